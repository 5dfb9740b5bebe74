"""What a user reads who made a mistake: one message, no traceback, and nothing was computed in vain."""

from pathlib import Path

import pytest
import yaml
from workflow_copy import TINY, command_line, copy_workflow, snakemake

# 200 rows per class are enough for two folds of the published protocol; accents need the right encoding.
GOOD_ROWS = "".join(f"{row},Votação número {row},{row % 2}\n" for row in range(400))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_workflow(tmp_path_factory.mktemp("mistakes") / "project")


def write_config(folder: Path, config: dict) -> str:
    file = folder / "mine.yaml"
    file.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    return str(file)


@pytest.mark.slow
def test_a_misspelt_target_is_told_with_the_nearest(project):
    outcome = command_line(project, "-n", "scroes", "--configfile", str(TINY))
    assert outcome.code == 1
    assert "there is no target 'scroes'. Did you mean scores?" in outcome.text


# Name of the file -> its bytes, and what the message says.
BAD_FILES = {
    "small-class": (
        (",text,label\n" + GOOD_ROWS.replace(",1\n", ",0\n", 197)).encode(),
        ["class 1 has 3 rows, fewer than 5 folds", "write fewer folds"],
    ),
    "latin": ((",text,label\n" + GOOD_ROWS).encode("latin-1"), ["cannot be decoded", "encoding: cp1252"]),
}


def bad_files_config(folder: Path) -> dict:
    """One task per bad file, each on a local file of its own."""
    about = {"text": "text", "label": "label", "metric": "mcc", "licence": "mine", "language": "pt"}
    tasks = {}
    for name, (content, _) in BAD_FILES.items():
        path = folder / f"{name}.csv"
        path.write_bytes(content)
        tasks[name] = {"file": str(path), "protocol": "published", **about}
    nothing = dict.fromkeys(("pair_sets", "alignments", "regressions", "question_sets"), [])
    return {
        "tasks": tasks,
        "select": {"tasks": list(tasks), "models": ["random"], **nothing},
        "probe": {"folds": 5},
    }


@pytest.mark.slow
def test_a_mistake_in_the_data_is_told_before_anything_is_computed(tmp_path):
    project = copy_workflow(tmp_path / "project")
    config = write_config(tmp_path, bad_files_config(tmp_path))
    outcome = snakemake(project, "--cores", "2", "--configfile", config)
    assert outcome.code == 1
    assert "Traceback" not in outcome.text
    for name, (_, message) in BAD_FILES.items():
        log = (project / f"results/logs/prepare/{name}.log").read_text(encoding="utf-8")
        told = log.partition("\nerror: ")[2]
        assert name in told, log
        for part in message:
            assert part in told
        assert told.strip() in outcome.text, "the message is not shown where the user looks"
        assert not (project / f"results/data/tasks/{name}.parquet").exists()
    assert not (project / "results/embeddings").exists()
