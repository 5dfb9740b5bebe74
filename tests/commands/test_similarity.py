"""Commands similarity, overlap, compare_similarity and regress."""

import json
from pathlib import Path

import numpy as np
import pytest
from pair_sets import arguments, make_pairs, write_family

from sentflow.commands import compare_similarity, overlap, regress, similarity
from sentflow.compare.rows import SimilarityDifference
from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.files.rows import read_rows
from sentflow.similarity.storage import read_similarities
from sentflow.texts.pairs import write_pairs

SETTINGS = {"pairs": "small", "model": "hash", "level": 0.95, "n_resamples": 50, "seed": 1}


def run_similarity(folder: Path, table, vectors=None, **changed) -> dict:
    settings = {**SETTINGS, **changed}
    write_pairs(folder / "pairs.parquet", table)
    output, rows = folder / f"{settings['model']}.json", folder / f"{settings['model']}.parquet"
    words = arguments(write_family(folder, [table], vectors))
    words += ["--pairs", str(folder / "pairs.parquet"), "--settings", json.dumps(settings)]
    assert similarity.main([*words, "--output", str(output), "--rows", str(rows)]) == 0
    return read_json(output)


def test_similarity_writes_scores_intervals_and_every_pair(tmp_path):
    table = make_pairs()
    found = run_similarity(tmp_path, table)
    assert (found["pairs"], found["model"], found["n_pairs"]) == ("small", "hash", 24)
    assert set(found["scores"]) == {"cosine", "euclidean", "manhattan", "dot"}
    cosine, limits = found["scores"]["cosine"], found["intervals"]["cosine"]
    assert {name: part["n"] for name, part in cosine["subsets"].items()} == {"one": 12, "two": 12}
    for name in ("all", "mean", "wmean"):
        low, high = limits[name]["spearman"]
        assert -1 <= low < cosine[name]["spearman"] < high <= 1
    rows = read_similarities(tmp_path / "hash.parquet")
    assert rows.subset == table.subset
    assert rows.columns["cosine"][0] == 1.0  # the same sentence twice
    assert found["warnings"] == []


def test_constant_encoder_has_no_score_and_a_warning(tmp_path):
    table = make_pairs()
    vectors = np.ones((len(table.texts()), 8), np.float32)
    found = run_similarity(tmp_path, table, vectors, model="constant")
    assert found["scores"]["cosine"]["all"] == {"pearson": None, "spearman": None}
    assert found["intervals"]["cosine"]["all"]["spearman"] == [None, None]
    assert [text.split(":")[0] for text in found["warnings"]] == ["cosine", "euclidean", "manhattan", "dot"]


def test_zero_vectors_are_told(tmp_path):
    table = make_pairs()
    vectors = np.random.default_rng(0).normal(size=(len(table.texts()), 8)).astype(np.float32)
    vectors[3] = 0
    found = run_similarity(tmp_path, table, vectors)
    assert found["warnings"] == [
        "1 of 24 pairs have a sentence whose vector is zero; their cosine counts as 0."
    ]


def test_table_of_another_pair_set_is_refused(tmp_path):
    with pytest.raises(DataError, match="of the pair set other, not of small"):
        run_similarity(tmp_path, make_pairs("other"))


def test_sentence_without_vector_is_named(tmp_path):
    write_pairs(tmp_path / "pairs.parquet", make_pairs(seed=1))
    words = arguments(write_family(tmp_path, [make_pairs(seed=2)]))
    words += ["--pairs", str(tmp_path / "pairs.parquet"), "--settings", json.dumps(SETTINGS)]
    with pytest.raises(
        DataError,
        match="noch ein Satz .* of the pair set small has no vector .*texts.parquet lacks it: delete that file",
    ):
        similarity.main([*words, "--output", str(tmp_path / "o.json"), "--rows", str(tmp_path / "o.parquet")])


def run_overlap(folder: Path, table, baseline: str) -> dict:
    write_pairs(folder / "pairs.parquet", table)
    output, rows = folder / f"{baseline}.json", folder / f"{baseline}.parquet"
    settings = {**SETTINGS, "baseline": baseline}
    del settings["model"]
    words = ["--pairs", str(folder / "pairs.parquet"), "--settings", json.dumps(settings)]
    assert overlap.main([*words, "--output", str(output), "--rows", str(rows)]) == 0
    return read_json(output)


def test_overlap_is_scored_as_encoders_are(tmp_path):
    found = run_overlap(tmp_path, make_pairs(), "jaccard-words")
    assert (found["model"], found["embeddings"], list(found["scores"])) == (
        "jaccard-words",
        None,
        ["overlap"],
    )
    assert read_similarities(tmp_path / "jaccard-words.parquet").columns["overlap"][0] == 1.0


def test_encoders_and_baselines_are_compared_in_order(tmp_path):
    table = make_pairs()
    run_similarity(tmp_path, table)
    generator = np.random.default_rng(5)
    vectors = generator.normal(size=(len(table.texts()), 8)).astype(np.float32)
    run_similarity(tmp_path, table, vectors, model="random")
    run_overlap(tmp_path, table, "jaccard-words")
    settings = {
        "order": [["small"], ["random", "hash", "jaccard-words"]],
        "measure": "cosine",
        "correlation": "spearman",
        "alpha": 0.01,
        "level": 0.99,
        "n_resamples": 50,
        "seed": 1,
    }
    output = tmp_path / "comparisons.parquet"
    files = [str(tmp_path / f"{name}.parquet") for name in ("hash", "random", "jaccard-words")]
    words = ["--settings", json.dumps(settings), "--output", str(output)]
    assert compare_similarity.main(["--rows", *files, *words]) == 0
    rows = read_rows(output, SimilarityDifference)
    assert [(row.model_a, row.model_b) for row in rows] == [
        ("random", "hash"),
        ("random", "jaccard-words"),
        ("hash", "jaccard-words"),
    ]
    for row in rows:
        assert row.low < row.difference < row.high
        assert row.p_bootstrap <= row.p_holm <= 1
        assert (row.n, row.alpha, row.level, row.aggregation) == (24, 0.01, 0.99, "all")


def test_regress_writes_what_the_regressor_reaches(tmp_path):
    tables = {
        name: make_pairs(name, n=80, subsets=("",), seed=seed) for seed, name in enumerate(regress.PARTS)
    }
    words = arguments(write_family(tmp_path, list(tables.values())))
    for name, table in tables.items():
        write_pairs(tmp_path / f"{name}.parquet", table)
        words += [f"--{name}", str(tmp_path / f"{name}.parquet")]
    output = tmp_path / "regression.json"
    settings = json.dumps({"regression": "STSB", "model": "hash", "seed": 3})
    assert regress.main([*words, "--settings", settings, "--output", str(output)]) == 0
    found = read_json(output)
    assert (found["n_train"], found["n_dev"], found["n_test"]) == (80, 80, 80)
    assert found["epochs"] % 50 == 0
    assert found["mse"] > 0
    assert found["settings"]["batch_rows"] == 64


def test_gold_scores_that_the_regressor_cannot_learn_are_refused(tmp_path):
    table = make_pairs()
    table.score[3] = 7.0
    write_pairs(tmp_path / "pairs.parquet", table)
    words = arguments(write_family(tmp_path, [table]))
    words += [word for name in regress.PARTS for word in (f"--{name}", str(tmp_path / "pairs.parquet"))]
    settings = json.dumps({"regression": "STSB", "model": "hash", "seed": 3})
    with pytest.raises(DataError, match="the pair set small has gold scores from .* to 7.0.*0 to 5"):
        regress.main([*words, "--settings", settings, "--output", str(tmp_path / "o.json")])
