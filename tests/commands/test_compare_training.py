"""Command compare_training: similarities of trainings → what seeds and pairs decide."""

import json

import numpy as np
import pytest
from made_graphs import unshared

from sentflow.commands import compare_training
from sentflow.compare.training_rows import TrainingSeeds
from sentflow.errors import DataError
from sentflow.files.rows import read_rows
from sentflow.similarity.storage import SimilarityRows, write_similarities

GROUPS = {
    "simcse": {1: "simcse-seed-1", 2: "simcse-seed-2"},
    "shuffled": {1: "shuffled-seed-1", 2: "shuffled-seed-2"},
}
SETTINGS = {
    "pairs": ["STSB-dev", "STSB-test"], "groups": GROUPS, "controls": ["shuffled"], "measure": "cosine",
    "correlation": "spearman", "alpha": 0.05, "level": 0.95, "n_resamples": 100, "seed": 1,
}  # fmt: skip


@pytest.fixture
def files(tmp_path):
    generator = np.random.default_rng(1)
    found = []
    for pairs in SETTINGS["pairs"]:
        gold = generator.uniform(0, 5, 40)
        for group, seeds in GROUPS.items():
            for model in seeds.values():
                noise = generator.standard_normal(40) * (1 if group == "simcse" else 4)
                path = tmp_path / f"{pairs}-{model}.parquet"
                columns = {"cosine": gold + noise}
                write_similarities(path, SimilarityRows(pairs, model, [""] * 40, gold, unshared(40), columns))
                found.append(path)
    return found


def run(files, output):
    rows = list(map(str, files))
    arguments = ["--rows", *rows, "--settings", json.dumps(SETTINGS), "--output", str(output)]
    assert compare_training.main(arguments) == 0
    return read_rows(output, TrainingSeeds)


def test_each_pair_set_has_its_means_and_their_difference(files, tmp_path):
    rows = run(files, tmp_path / "seeds.parquet")
    assert [(row.unit_set, row.group, row.other) for row in rows] == [
        (pairs, *names)
        for pairs in SETTINGS["pairs"]
        for names in (("simcse", ""), ("shuffled", ""), ("simcse", "shuffled"))
    ]
    assert [row.is_control for row in rows] == [False, True, True] * 2
    for row in rows:
        assert row.n_pairs == 40 and row.n_seeds == 2
        assert row.seeds_low < row.value < row.seeds_high and row.low < row.value < row.high
    assert all(row.least_p == row.least_p_holm == 0.5 for row in rows if row.other)


def test_neither_the_order_of_files_nor_of_jobs_matters(files, tmp_path):
    run(files, tmp_path / "one.parquet")
    run(files[::-1], tmp_path / "other.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "other.parquet").read_bytes()


def test_trainings_that_were_scored_on_other_pairs_are_refused(files, tmp_path):
    path = files[1]
    other = SimilarityRows(
        "STSB-dev", "simcse-seed-2", [""] * 40, np.arange(40.0), unshared(40), {"cosine": np.arange(40.0)}
    )
    write_similarities(path, other)
    arguments = [
        "--rows",
        *map(str, files),
        "--settings",
        json.dumps(SETTINGS),
        "--output",
        str(tmp_path / "x.parquet"),
    ]
    with pytest.raises(
        DataError, match="simcse-seed-1 and simcse-seed-2 were not scored on the same pairs of STSB-dev"
    ):
        compare_training.main(arguments)
