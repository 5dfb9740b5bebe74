"""Descriptions of embeddings, those of older results among them, as the costs of encoders read them."""

import pytest

from sentflow.errors import DataError
from sentflow.files.io import write_json
from sentflow.report.costs.encoders import Embedding

VECTORS = {"model": "m", "shape": [3, 8], "device": "cpu"}


@pytest.mark.parametrize(
    ("names", "collection", "benchmark"),
    [
        ({"collection": "d", "task": None}, "d", "embed/m/d.jsonl"),
        ({"collection": "d/T", "task": "T"}, "d/T", "embed/m/d/T.jsonl"),
        ({"collection": "d/T/sides", "task": "T"}, "d/T/sides", "embed/m/d/T/sides.jsonl"),
        # before there were collections, a rule of its own embedded tasks with prompts
        ({"dataset": "d", "task": None}, "d", "embed/m/d.jsonl"),
        ({"dataset": "d", "task": "T"}, "d/T", "embed_task/m/d/T.jsonl"),
    ],
)
def test_descriptions_of_older_results_are_read_like_those_of_today(tmp_path, names, collection, benchmark):
    info = tmp_path / "x.json"
    write_json(info, {**VECTORS, **names})
    found = Embedding.read(info)
    assert (found.model, found.collection, found.texts, found.dimension) == ("m", collection, 3, 8)
    assert found.benchmark(tmp_path) == tmp_path / benchmark


def test_description_that_names_no_texts_is_refused(tmp_path):
    info = tmp_path / "x.json"
    write_json(info, VECTORS)
    with pytest.raises(DataError, match=r"x\.json is damaged"):
        Embedding.read(info)
