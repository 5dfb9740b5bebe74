import numpy as np
import pytest
import yaml
from api_stubs import QUICK, WordEncoder, sample_table
from small_tasks import make_task, task_features, text_vectors

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.api.tasks import WORKFLOW, known_tasks
from sentflow.errors import ConfigError, DataError
from sentflow.graph.config.experiment import load_experiment
from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.features.rows import row_features
from sentflow.texts.sample.rows import to_csv
from sentflow.texts.sample.tasks import generate


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def evaluator(data):
    return sentflow.UlyssesSentEval(WordEncoder(), data_dir_path=data)


def own_task(path, **reader) -> dict:
    return {
        "datasets": {
            "own": {
                "title": "Own",
                "files": {"own.csv": {"urls": [str(path)]}},
                "licence": "MIT",
                "citation": "none",
                "language": "pt",
            }
        },
        "tasks": {"own": {"like": "T1A", "dataset": "own", "reader": reader, "data_version": "own"}},
    }


def test_own_tasks_are_laid_over_the_catalog(tmp_path):
    table = make_task(420)
    rows = [f"{text},{label}" for text, label in zip(table.text_a, table.labels, strict=True)]
    (tmp_path / "mine.csv").write_text("t,y\n" + "\n".join(rows), encoding="utf-8")
    config = own_task(tmp_path / "mine.csv", format="csv", file="own.csv", text_a="t", label="y")
    # without it own tasks take another
    config["tasks"]["own"]["protocol"] = "published"
    evaluator = sentflow.UlyssesSentEval(
        WordEncoder(), tasks="own", config=config, data_dir_path=tmp_path / "data"
    )
    _, scores = evaluator.evaluate(kwargs_train=QUICK, return_all_results=True)
    expected = cross_validate(task_features(table), table.labels, metric="mcc", repetitions=1, folds=2).scores
    assert scores["value"].sum() == pytest.approx(expected["value"].sum())


def test_unknown_tasks_are_told_with_the_nearest_name(evaluator, tmp_path):
    with pytest.raises(ValueError, match="there is no task 'T1B-smaple'. Did you mean T1B-sample?"):
        sentflow.UlyssesSentEval(WordEncoder(), tasks=["T1B-smaple"])
    with pytest.raises(ArgumentError, match="there is no task 'T9'"):
        evaluator.evaluate_in_task("T9")
    for tasks in ([], ["T1A", "T1A"]):
        with pytest.raises(ArgumentError, match="at least one task, and each one once"):
            sentflow.UlyssesSentEval(WordEncoder(), tasks=tasks)
    with pytest.raises(ConfigError, match="there is no dataset 'nowhere'"):
        sentflow.UlyssesSentEval(
            WordEncoder(), config={"tasks": {"x": {"like": "T1A", "dataset": "nowhere"}}}
        )
    with pytest.raises(ConfigError, match="there is no file"):
        sentflow.UlyssesSentEval(WordEncoder(), config=tmp_path / "absent.yaml")


def test_every_task_is_checked_before_the_first_is_embedded(tmp_path):
    (tmp_path / "mine.csv").write_text("t,y\nlei,0\n,1\n", encoding="utf-8")
    config = own_task(tmp_path / "mine.csv", format="csv", file="own.csv", text_a="t", label="y")
    model = WordEncoder()
    evaluator = sentflow.UlyssesSentEval(
        model, tasks=["T1B-sample", "own"], config=config, data_dir_path=tmp_path
    )
    with pytest.raises(DataError, match="text a is empty in row 2"):
        evaluator.evaluate(kwargs_train=QUICK)
    assert model.asked == []


def test_training_parts_smaller_than_a_batch_are_refused(evaluator):
    with pytest.raises(DataError, match=r"trains on \d+ rows, fewer than one batch of 400"):
        evaluator.evaluate_in_task("T1B-sample", kwargs_train={**QUICK, "batch_size": 400})


def test_csvs_of_the_published_evaluator_are_read_with_a_warning(tmp_path):
    (tmp_path / "offcombr2.csv").write_text(to_csv(generate("T1B", seed=1)), encoding="utf-8")
    evaluator = sentflow.UlyssesSentEval(WordEncoder(), tasks="T1B", data_dir_path=tmp_path)
    with pytest.warns(UserWarning, match="cannot be verified"):
        official = evaluator.evaluate(kwargs_train=QUICK)["T1B"]
    sample = evaluator.evaluate_in_task("T1B-sample", kwargs_train=QUICK)
    assert official["avg_loss_test"] == sample["avg_loss_test"]


def test_downloads_come_from_mirrors_and_wrong_bytes_are_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("SENTFLOW_MIRROR", raising=False)
    monkeypatch.setattr(
        "sentflow.downloads.download._transfer",
        lambda *_, **__: (_ for _ in ()).throw(DataError("no network")),
    )
    mirror = tmp_path / "mirror/cloud.andrelab.icmc.usp.br/s/5ftKfJB8HNLzJ62/download"
    mirror.mkdir(parents=True)
    (mirror / "offcombr2.zip").write_bytes(b"something else")
    evaluator = sentflow.UlyssesSentEval(
        WordEncoder(), tasks="T1B", data_dir_path=tmp_path / "data", mirrors=[str(tmp_path / "mirror")]
    )
    with pytest.raises(DataError, match="SHA-256 is .*, expected 99b66"):
        evaluator.evaluate(kwargs_train=QUICK)
    assert not (tmp_path / "data/ulysses-t1b/offcombr2.zip").exists()


def test_tasks_are_those_of_the_pipeline():
    config = yaml.safe_load((WORKFLOW.parent / "config.yaml").read_text(encoding="utf-8"))
    experiment = load_experiment(config, WORKFLOW)
    catalog = known_tasks(None)
    for name, entry in experiment.selected["tasks"].items():
        assert catalog.tasks[name] == entry
        assert catalog.datasets[entry["dataset"]] == experiment.entries["datasets"][entry["dataset"]]


def test_features_of_a_task_do_not_depend_on_where_they_are_made(data):
    """The evaluator's own features equal those that the pipeline makes of embeddings of distinct texts."""
    table = sample_table(data, "F3-sample")
    texts = list(
        dict.fromkeys([*table.text_a, *(t for row in range(len(table)) for t in table.alternatives(row))])
    )
    pipeline = row_features(table, text_vectors(texts), {text: row for row, text in enumerate(texts)})
    ours = sentflow.UlyssesSentEval(WordEncoder()).embed(table.text_a, table.text_b, "F3-sample", "all")
    np.testing.assert_array_equal(ours, pipeline)


def test_an_installation_without_the_catalog_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("sentflow.api.tasks.WORKFLOW", tmp_path)
    with pytest.raises(ConfigError, match="pip install -e FOLDER"):
        sentflow.UlyssesSentEval(WordEncoder())
