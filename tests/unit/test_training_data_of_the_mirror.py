"""Training data of the catalog on the real files: what the descriptions of the data say of them."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from training_files import prepared_of

from sentflow.audit.training_audit import audit_training
from sentflow.downloads.mirrors import places
from sentflow.families.training.settings import REQUIRED, known_files, prepared_by
from sentflow.graph.config.catalog import load_catalog
from sentflow.texts.pair_files import raw_files_of as raw_files_of_pairs
from sentflow.texts.pairs import PairTable
from sentflow.texts.prepare_pairs import PairSettings, prepare_pairs
from sentflow.training.data.settings import TrainingDataSettings
from sentflow.training.data.sources import raw_files_of, sources_of
from sentflow.training.data.table import TrainingData

pytestmark = pytest.mark.mirror
REPOSITORY = Path(__file__).parents[2]


@cache
def entries() -> dict[str, Any]:
    config = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
    return load_catalog(config, REPOSITORY / "workflow")


REAL = [
    name
    for name, entry in entries()["training_data"].items()
    if "sample" not in name and REQUIRED not in str(entry) and {"dataset", "pair_sets"} & entry.keys()
]
# Bills without a detailed summary or subject terms, laws without a popular name
EMPTY = {
    "bill-details": 513,
    "bill-details-1998": 1508,
    "bill-explanations": 513,
    "bill-explanations-1998": 1505,
    "bill-keywords": 146,
    "bill-keywords-1998": 414,
    "law-nicknames": 2,
}
Read = Callable[[str], tuple[TrainingData, dict[str, Any]]]


@pytest.fixture(scope="module")
def read(mirror, tmp_path_factory) -> Read:
    """Training data by name; checksums and numbers of rows are checked on the way."""
    raw = tmp_path_factory.mktemp("raw")

    @cache
    def read_once(name: str) -> tuple[TrainingData, dict[str, Any]]:
        entry, pair_sets = entries()["training_data"][name], entries()["pair_sets"]
        needed = raw_files_of(entry, pair_sets)
        known = known_files(needed, entries()["datasets"])
        for dataset, file in needed:
            (raw / dataset).mkdir(exist_ok=True)
            if not (raw / dataset / file).exists():
                [place, *_] = places(known[dataset][file]["urls"], [str(mirror)])
                (raw / dataset / file).symlink_to(place)
        settings = {**prepared_by(entry), "rows": entry["rows"], "files": known}
        settings["sources"] = sources_of(entry, pair_sets)
        return prepared_of(
            name,
            [raw / dataset / file for dataset, file in needed],
            TrainingDataSettings.from_settings(json.loads(json.dumps(settings)), data=name),
        )

    return read_once


@pytest.mark.parametrize("name", REAL)
def test_data_have_the_rows_that_the_catalog_expects(read, name):
    data, facts = read(name)
    assert len(data) == entries()["training_data"][name]["rows"]
    assert facts["dropped"]["empty"] == EMPTY.get(name, 0)
    assert all(text.strip() for row in data.row_texts() for text in row)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        # Sentences that the released programs read: yym6472/ConSERT@03c9e8ff, data_utils.py, and
        # galsang/SG-BERT@23d5ebec, training.py
        ("consert-sts", [6216, 3000, 7500, 17000, 18366, 17256, 19854]),
        ("sg-bert-stsb", [11498, 3000, 2758]),
    ],
)
def test_sentences_of_pair_sets_are_as_many_as_published(read, name, parts):
    assert len(read(name)[0]) == sum(parts) == {"consert-sts": 89192, "sg-bert-stsb": 17256}[name]


def test_the_wiki_sample_has_short_lines_which_are_headings(read):
    texts = read("wiki-10k")[0].columns["text"]
    assert sum(len(text.split()) < 3 for text in texts) == 696


def test_triplets_of_the_study_have_three_words_as_negatives(read):
    data, _ = read("kornli-slice-study-label-word")
    assert set(data.columns["negative"]) == {"entailment", "neutral", "contradiction"}
    honest, _ = read("kornli-slice")
    labelled, _ = read("kornli-slice-labelled")
    rows = {(row["text"], row["other"]): row["label"] for row in labelled.rows()}
    assert {rows[row["text"], row["other"]] for row in honest.rows()} == {1}
    assert {rows[row["text"], row["negative"]] for row in honest.rows()} == {0}


def test_overlap_with_tests_is_found_where_it_is_known_and_nowhere_else(read, mirror):
    def table(name: str) -> PairTable:
        entry = entries()["pair_sets"][name]
        files = entries()["datasets"][entry["dataset"]]["files"]
        paths = [Path(places(files[file]["urls"], [str(mirror)])[0]) for file in raw_files_of_pairs(entry)]
        return prepare_pairs(name, paths, PairSettings.from_settings({**entry, "files": files}, pairs=name))

    tests = {("pair set", "STSB-test"): table("STSB-test")}

    def share(name: str) -> float:
        [test] = audit_training(read(name)[0], tests, declared=False)["tests"]
        found: float = test["texts"]["share"]
        return found

    assert share("sg-bert-stsb") == 1
    assert share("wiki-10k") == 0
    assert 0 < share("stsb-train-texts") < 0.2
