"""What a user reads who made a mistake: one message, no traceback, and nothing was computed in vain."""

from pathlib import Path

import pytest
import yaml
from workflow_copy import REPOSITORY, TINY, command_line, copy_workflow, snakemake

from sentflow.cli.configuration import read_configuration
from sentflow.cli.validate import validate
from sentflow.errors import ConfigError, DataError
from sentflow.graph.config.experiment import load_experiment

pytestmark = pytest.mark.slow

HUB_MODEL = {"kind": "sentence-transformers", "licence": "MIT", "citation": "none"}
# 200 rows per class are enough for two folds of the published protocol; accents need the right encoding.
GOOD_ROWS = "".join(f"{row},Votação número {row},{row % 2}\n" for row in range(400))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_workflow(tmp_path_factory.mktemp("mistakes") / "project")


def write_config(folder: Path, config: dict) -> str:
    file = folder / "mine.yaml"
    file.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"statistics": {"n_resample": 5}}, ["config.statistics.n_resample", "Did you mean n_resamples?"]),
        ({"boostrap": 5}, ["config.boostrap", "there is no such key"]),
        ({"select": {"models": ["minilm-l7"]}}, ["there is no model 'minilm-l7'", "Did you mean minilm-l6?"]),
        (
            {"select": {"tasks": ["T1B-smaple"]}},
            ["there is no task 'T1B-smaple'", "Did you mean T1B-sample?"],
        ),
        (
            {"select": {"tasks": [], "pair_sets": [], "alignments": [], "regressions": []}},
            ["config.select", "pair_sets"],
        ),
        ({"probe": {"folds": 1}}, ["config.probe.folds", "2"]),
        ({"probe": {"job": "row"}}, ["config.probe.job", "'fold', 'repetition', 'task'"]),
        (
            {"models": {"mine": {**HUB_MODEL, "source": {"hub": "a/b"}}}, "select": {"models": ["mine"]}},
            ["models.mine.source.revision: is missing", "40 hexadecimal digits"],
        ),
        ({"models": {"random": {"dimnesion": 3}}}, ["models.random.dimnesion", "dimension"]),
        ({"tasks": {"T1B-tiny": {"metric": "accuracy"}}}, ["tasks.T1B-tiny.metric", "accuracy", "mcc"]),
        ({"tasks": {"T1B-tiny": {"dataset": "tiny"}}}, ["there is no dataset 'tiny'"]),
        (
            {"tasks": {"T1B-tiny": {"reader": {"file": "comment.csv"}}}},
            ["T1B-tiny.reader.file", "Did you mean comments.csv?"],
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_mistake_in_the_config_is_told_with_its_key(tmp_path, config, message):
    files = [TINY, Path(write_config(tmp_path, config))]
    with pytest.raises(ConfigError) as error:
        load_experiment(read_configuration(files), REPOSITORY / "workflow")
    told = str(error.value)
    assert "the configuration has 1 mistake" in told
    for part in message:
        assert part in told


@pytest.mark.parametrize("value", ["{repetitions: 2}", '{"repetitions": 2}'])
def test_numbers_inside_a_value_of_the_command_line_are_told_where_to_go(project, value):
    outcome = command_line(project, "-n", "--configfile", str(TINY), "--config", f"probe={value}")
    assert outcome.code == 1
    assert (
        "config.probe.repetitions: '2' is not of type 'integer'. Write 2 without quotes, in a file"
        in outcome.text
    )
    assert "--configfile" in outcome.text


def test_texts_and_lists_of_the_command_line_are_read(project):
    arguments = ["-n", "--configfile", str(TINY), "--config", "probe={job: fold}", 'mirrors=["/a"]']
    outcome = command_line(project, *arguments)
    assert outcome.code == 0, outcome.text


def test_several_mistakes_are_told_together_before_any_job(project, tmp_path):
    config = {
        "select": {"models": ["minilm-l7", "mine"], "tasks": ["T1B-smaple"]},
        "models": {"mine": {**HUB_MODEL, "source": {"hub": "a/b", "revision": "main"}}},
    }
    outcome = command_line(project, "-n", "--configfile", str(TINY), write_config(tmp_path, config))
    assert outcome.code == 1
    assert "Traceback" not in outcome.text
    assert not (project / "results").exists()
    assert "the configuration has 3 mistakes" in outcome.text
    assert "'main' can point to other weights tomorrow" in outcome.text


def test_a_misspelt_target_is_told_with_the_nearest(project):
    outcome = command_line(project, "-n", "scroes", "--configfile", str(TINY))
    assert outcome.code == 1
    assert "there is no target 'scroes'. Did you mean scores? Write one of: all, " in outcome.text


def test_a_result_behind_the_settings_is_told_to_be_a_target(project, tmp_path):
    result = tmp_path / "results/scores/T1A/random.json"
    result.parent.mkdir(parents=True)
    result.write_text('{"task": "T1A"}', encoding="utf-8")
    outcome = command_line(
        project, "-n", "--directory", str(tmp_path), "--configfile", str(TINY), str(result)
    )
    assert outcome.code == 1
    assert "results/scores/T1A/random.json --configfile FILE" in outcome.text


# Name of the file -> its bytes, and what the message says.
BAD_FILES = {
    "small-class": (
        ",text,label\n" + GOOD_ROWS.replace(",1\n", ",0\n", 197),
        ["class 1 has 3 rows, fewer than 5 folds", "write fewer folds"],
    ),
    "small-training": (
        ",text,label\n" + "".join(GOOD_ROWS.splitlines(keepends=True)[:100]),
        ["fewer than one batch of 128"],
    ),
    "words-as-labels": (
        ",text,label\n" + GOOD_ROWS.replace(",1\n", ",yes\n"),
        ["the label is not an integer", "'yes'"],
    ),
    "missing-label": (
        ",text,label\n" + GOOD_ROWS.replace(",0\n", ",\n", 1),
        ["the label is missing in row 1"],
    ),
    "missing-column": ("id,texto,classe\n" + GOOD_ROWS, ["text", "texto"]),
    "empty-text": (
        ",text,label\n" + GOOD_ROWS.replace("Votação número 6,", " ,", 1),
        ["text a is empty in row 7"],
    ),
    "empty-file": ("", ["empty"]),
    "latin": ((",text,label\n" + GOOD_ROWS).encode("latin-1"), ["cannot be decoded", "encoding: cp1252"]),
}


def bad_files_config(folder: Path) -> dict:
    """One task per bad file, each on a local file of its own."""
    reader = {"format": "csv", "text_a": "text", "label": "label"}
    files = {}
    for name, (content, _) in BAD_FILES.items():
        path = folder / f"{name}.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        files[path.name] = {"urls": [str(path)]}
    return {
        "datasets": {
            "mine": {"title": "Mine", "files": files, "licence": "mine", "citation": "none", "language": "pt"}
        },
        "tasks": {
            name: {
                "like": "T1B",
                "protocol": "published",
                "layout": "single",
                "dataset": "mine",
                "reader": {**reader, "file": f"{name}.csv"},
            }
            for name in BAD_FILES
        },
        "select": {
            **{"tasks": list(BAD_FILES), "models": ["random"]},
            **{"pair_sets": [], "alignments": [], "regressions": [], "question_sets": []},
        },
        "probe": {"folds": 5},
    }


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


def test_validate_tells_all_mistakes_in_the_data_of_this_machine(tmp_path):
    config = write_config(tmp_path, bad_files_config(tmp_path))
    with pytest.raises(DataError) as error:
        validate([Path(config)], alone=False)
    told = str(error.value)
    assert f"{len(BAD_FILES)} data sets have files that are not in order" in told
    for name, (_, message) in BAD_FILES.items():
        (line,) = [one for one in told.split("\n  - ") if name in one]
        for part in message:
            assert part in line


def test_a_setting_that_no_longer_fits_the_data_is_told_by_the_probe(tmp_path):
    project = copy_workflow(tmp_path / "project")
    config = ("--cores", "2", "--configfile", str(TINY))
    assert snakemake(project, "results/data/tasks/F3-tiny.parquet", *config).code == 0
    two_classes = write_config(tmp_path, {"tasks": {"F3-tiny": {"metric": "mcc"}}})
    fold = "results/probes/F3-tiny/tfidf/rep-1/fold-1.parquet"
    outcome = snakemake(project, fold, *config, two_classes)
    assert outcome.code == 1
    assert "F3-tiny: the metric mcc needs two classes, but there are 4" in outcome.text
    assert "Traceback" not in outcome.text
