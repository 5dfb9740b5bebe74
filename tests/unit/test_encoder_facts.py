"""What an encoder is and costs: parameters from file headers, times from benchmark files."""

import json
import math

import fake_summary
import numpy as np
import pytest
from safetensors.numpy import save_file

from sentflow.encoders.safety import count_parameters
from sentflow.report.costs.summary import Embedding, encoder_rows

SCORES = fake_summary.score_rows(tasks=["T1A", "F3"], models=["minilm-l6", "tfidf"])


def counted(folder, *names, kind="sentence-transformers"):
    return count_parameters(kind, folder, names)


def test_parameters_are_counted_from_the_headers_of_all_files(tmp_path):
    save_file(
        {"a": np.zeros((3, 4), np.float32), "ids": np.zeros((1, 7), np.int64)}, tmp_path / "one.safetensors"
    )
    (tmp_path / "sub").mkdir()
    save_file({"b": np.zeros(5, np.float16)}, tmp_path / "sub" / "two.safetensors")
    # whole numbers are positions, not weights
    assert counted(tmp_path, "one.safetensors", "sub/two.safetensors", "config.json") == 3 * 4 + 5
    assert counted(tmp_path, kind="tfidf") == 0


def test_what_cannot_be_counted_is_not_known(tmp_path):
    (tmp_path / "broken.safetensors").write_bytes(b"\xff" * 20)
    assert counted(tmp_path, "broken.safetensors") is None
    assert counted(tmp_path, "absent.safetensors") is None
    assert counted(tmp_path, "pytorch_model.bin") is None
    assert counted(tmp_path, kind="api") is None


def write_embedding(folder, dataset, *, task=None, texts=100):
    name = f"{dataset}-{task}.json"
    collection = dataset if task is None else f"{dataset}/{task}"
    about = {"model": "minilm-l6", "collection": collection, "shape": [texts, 384], "device": "cpu"}
    (folder / name).write_text(json.dumps(about))
    return Embedding.read(folder / name)


def test_time_of_embedding_is_summed_over_datasets_and_prompts(tmp_path):
    embeddings = [write_embedding(tmp_path, "a"), write_embedding(tmp_path, "a", task="T", texts=50)]
    jobs = {("embed", f"minilm-l6/{name}"): [{"s": s}] for name, s in (("a", 10.0), ("a/T", 5.0), ("b", 1.0))}
    row, lazy = encoder_rows(SCORES, {"minilm-l6": {"parameters": 7.0}}, embeddings, jobs)
    assert (row.texts, row.embed_seconds, row.dimension, row.device) == (150, 15, 384, "cpu")
    assert row.parameters == 7
    assert row.mean == pytest.approx(sum(one.mean for one in SCORES if one.model == "minilm-l6") / 2)
    assert math.isnan(lazy.texts)
    assert math.isnan(lazy.embed_seconds)
