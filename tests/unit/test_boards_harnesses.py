"""What evaluation harnesses publish: values by hand for each version, and what must never be read silently."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sentflow.boards.files import read_files
from sentflow.boards.scores import Options, Scores
from sentflow.errors import DataError

BOARDS = Path(__file__).parents[1] / "data" / "boards"


def read(*names: str | Path, **options: Any) -> Scores:
    return read_files([BOARDS / name for name in names], Options(**options))


def scores(found: Scores, key: str = "task") -> dict[tuple[str, str], float]:
    rows = found.rows
    return dict(zip(zip(rows["model"], rows[key], strict=True), rows["score"].tolist(), strict=True))


def changed(source: str, path: Path, **values: Any) -> Path:
    """A JSON file with other values at its top."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**json.loads((BOARDS / source).read_text()), **values}))
    return path


TINY, BIG = "acme/tiny-embed", "other_lab/big embed v2"
CLONE = "mteb/results_repository/results"
REVISION = f"{CLONE}/acme__tiny-embed/0123456789abcdef0123456789abcdef01234567"


def test_mteb_reads_files_of_all_versions() -> None:
    found = scores(read("mteb/results_repository", duplicates="first"))
    assert found[TINY, "STS17"] == pytest.approx(
        (0.861 + 0.295) / 2
    )  # before 1.11: subsets, nested, no main score
    assert found[TINY, "SprintDuplicateQuestions"] == 0.96  # max_ap
    assert found[TINY, "StackOverflowDupQuestions"] == 0.5012  # map
    assert found[TINY, "Banking77Classification"] == 0.7612
    assert found[TINY, "STS22"] == pytest.approx((0.68 + 0.61) / 2)  # one of three entries is a repetition
    assert found["acme/tiny-embed (embed_dim=64)", "ArguAna"] == 0.377  # an experiment is another model
    assert found[BIG, "ArguAna"] == 0.538  # the name is that of the metadata, not that of the folder


def test_mteb_takes_the_split_of_the_definition() -> None:
    """AFQMC is evaluated on validation; its test split is NaN."""
    assert scores(read(f"{REVISION}/AFQMC.json")) == {(TINY, "AFQMC"): 0.233}


def test_mteb_means_are_over_subsets_that_all_models_have() -> None:
    task = "MassiveIntentClassification"
    found = read(CLONE, duplicates="first", tasks=frozenset({task}))
    assert scores(found) == {(TINY, task): 0.704, (BIG, task): 0.744}
    assert any("1 of 2" in note for note in found.notes)
    alone = scores(read(f"{REVISION}/{task}.json"))
    assert alone[TINY, task] == pytest.approx((0.704 + 0.624) / 2)
    german = read(CLONE, tasks=frozenset({f"{task}:de"}))
    assert scores(german) == {(TINY, f"{task}:de"): 0.624}


def test_mteb_models_without_a_common_subset_are_refused(tmp_path: Path) -> None:
    entry = {"main_score": 0.5, "hf_subset": "pl", "languages": ["pol-Latn"]}
    other = changed(
        f"{REVISION}/MassiveIntentClassification.json",
        tmp_path / "lab__other" / "x" / "MassiveIntentClassification.json",
        scores={"test": [entry]},
    )
    with pytest.raises(DataError, match="MassiveIntentClassification:"):
        read(f"{REVISION}/MassiveIntentClassification.json", other)


def test_mteb_revisions_and_caches_that_differ_are_refused_by_name() -> None:
    for name in (CLONE, "mteb/cache", "mteb/leaderboard/results.parquet"):
        with pytest.raises(DataError, match="--duplicates") as raised:
            read(name)
        assert TINY in str(raised.value)
    assert scores(read("mteb/cache", duplicates="first")) == {(TINY, "ArguAna"): 0.4122}  # the newer one
    assert scores(read(CLONE, duplicates="first"))[TINY, "AFQMC"] == 0.233  # a named revision


def test_mteb_export_is_read_like_the_files() -> None:
    found = scores(read("mteb/leaderboard/results.parquet", without=frozenset({"AFQMC"})))
    assert found[TINY, "MassiveIntentClassification"] == 0.704
    assert found[BIG, "ArguAna"] == 0.538


def test_mteb_other_metrics_can_be_chosen() -> None:
    found = read(f"{REVISION}/ArguAna.json", metric="ndcg_at_1")
    assert scores(found) == {(TINY, "ArguAna"): 0.2884}
    assert found.rows["metric"].tolist() == ["ndcg_at_1"]


def test_mteb_predictions_and_speed_are_no_scores(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="judgements"):
        read("mteb/predictions")
    shutil.copytree(BOARDS / REVISION, tmp_path / "a__b" / "1234567")
    changed(
        f"{REVISION}/ArguAna.json",
        tmp_path / "a__b" / "1234567" / "GPUSpeedTask.json",
        task_name="GPUSpeedTask",
    )
    assert "GPUSpeedTask" not in read(tmp_path).rows["task"].tolist()


def test_mteb_repeated_subsets_that_differ_are_refused(tmp_path: Path) -> None:
    twice = [{"main_score": score, "hf_subset": "en"} for score in (0.5, 0.6)]
    path = changed(f"{REVISION}/ArguAna.json", tmp_path / "ArguAna.json", scores={"test": twice})
    with pytest.raises(DataError, match="twice"):
        read(path)
