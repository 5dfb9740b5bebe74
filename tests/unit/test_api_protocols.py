"""Protocols of the Python API: chosen by name or changed, honoured, and told of in files and in the log."""

import json
import logging
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from api_stubs import COLUMNS, QUICK, WordEncoder, sample_table
from sklearn.feature_extraction.text import TfidfVectorizer
from small_tasks import make_task, task_features

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.api.protocols import named_protocol
from sentflow.compare.scores import score_row
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import read_json
from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.protocol.catalog import changed_settings, classifier_of
from sentflow.probing.protocol.settings import PUBLISHED
from sentflow.probing.protocol.switches import Switches
from sentflow.probing.storage.folds import read_folds
from sentflow.texts.sample.rows import to_csv
from sentflow.texts.sample.tasks import generate

TASK = "T1B-sample"
SHORTER = {"max_epochs": {"here": 2, "published": 100}}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


def evaluator(data, **settings) -> sentflow.UlyssesSentEval:
    return sentflow.UlyssesSentEval(WordEncoder(), tasks=TASK, data_dir_path=data, **settings)


def test_a_protocol_is_that_of_the_catalog_with_nothing_left_out():
    corrected = named_protocol("corrected", None)
    assert corrected.switches.best_checkpoint
    assert corrected.switches.interval == "generalisation"
    assert sentflow.probe_protocol("corrected").switches == corrected.switches
    assert sentflow.probe_protocol() == PUBLISHED
    assert sentflow.UlyssesSentEval(WordEncoder()).protocol == named_protocol("published", None)


def test_an_entry_of_ones_own_takes_from_another_and_changes_it():
    own = {"like": "corrected", "switches": {"clip_metric": True}, "training": {"learning_rates": (0.01,)}}
    before = json.dumps(own)
    protocol = named_protocol(own, None)
    assert protocol.name == "own"
    assert protocol.switches == replace(named_protocol("corrected", None).switches, clip_metric=True)
    assert sentflow.probe_protocol(own).learning_rates == (0.01,)
    assert json.dumps(own) == before


def test_protocols_of_a_config_have_names():
    config = {"protocols": {"short": {"title": "Short", "training": {"max_epochs": 2}}}}
    assert changed_settings(named_protocol("short", config)) == SHORTER
    assert changed_settings(named_protocol({"like": "short"}, config)) == SHORTER
    assert sentflow.probe_protocol("short", config=config).max_epochs == 2


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        ("correct", "there is no protocol 'correct'. Did you mean corrected?"),
        ({"like": "correct"}, "protocols.own.like: there is no protocol 'correct'. Did you mean corrected?"),
        (
            {"switches": {"clip": False}},
            "protocols.own.switches.clip: there is no such key. Did you mean clip_metric?",
        ),
        (
            {"training": {"batch_size": 0}},
            "protocols.own.training.batch_size: 0 is less than the minimum of 2",
        ),
        ({"training": {"epochs": 3}}, "protocols.own.training.epochs: there is no such key."),
    ],
)
def test_a_wrong_protocol_is_refused_with_the_repair(protocol, message):
    with pytest.raises(ArgumentError) as told:
        sentflow.UlyssesSentEval(WordEncoder(), protocol=protocol)
    assert message in str(told.value)


def test_a_config_may_not_change_the_switches_of_the_catalog():
    config = {"protocols": {"published": {"switches": {"clip_metric": False}}}}
    with pytest.raises(ConfigError, match="the protocol published of the catalog is fixed"):
        sentflow.UlyssesSentEval(WordEncoder(), config=config)


def test_the_evaluator_trains_as_cross_validate_does_under_the_same_protocol(data):
    protocol = {"like": "corrected", "training": {"max_epochs": 20}}
    _, rows = evaluator(data, protocol=protocol).evaluate_in_task(
        TASK, kwargs_train=QUICK, return_all_results=True
    )
    table = sample_table(data, TASK)
    features = task_features(table)
    of_engine = cross_validate(
        features,
        table.labels,
        metric="mcc",
        protocol=sentflow.probe_protocol(protocol),
        repetitions=1,
        folds=2,
    ).scores
    published = cross_validate(features, table.labels, metric="mcc", repetitions=1, folds=2).scores
    order = {"by": COLUMNS[:4], "ignore_index": True}
    pd.testing.assert_frame_equal(rows.sort_values(**order), of_engine.sort_values(**order))
    assert not of_engine.equals(published)


def test_results_on_disk_and_in_memory_are_those_of_the_protocol(data, tmp_path):
    own = {"like": "corrected", "training": {"patience": 0}}
    both = {}
    for name, protocol in (("published", "published"), ("own", own)):
        folder = tmp_path / name
        one = evaluator(data, protocol=protocol, results_dir=folder, model_name="words")
        both[name] = one.evaluate(kwargs_train={**QUICK, "k_fold": 5}, return_all_results=True)
    score = read_json(tmp_path / f"own/scores/{TASK}/words.json")
    assert score["protocol"] == "own"
    assert score["switches"] == named_protocol("corrected", None).switches.changes()
    assert score["not_comparable"]["patience"] == {"here": 0, "published": 5}
    assert "mean_clipped" in score
    # what reads score files of the pipeline reads these
    titles = {
        "tasks": {TASK: {"title": "T", "family": "trust"}},
        "models": {"words": {"title": "W", "control": False}},
    }
    row = score_row(score, titles)
    assert (row.protocol, row.own_interval, row.n_train > 0) == ("own", "generalisation", True)
    assert "patience 0 (published: 5)" in row.not_comparable
    _, infos = read_folds([tmp_path / f"own/probes/{TASK}/words/rep-1/fold-1.parquet"])
    settings = json.loads(infos[0].settings)
    assert settings["training"] == {"patience": 0}
    assert settings["switches"]["best_checkpoint"] is True
    plain = read_json(tmp_path / f"published/scores/{TASK}/words.json")
    assert "switches" not in plain
    assert list(plain["not_comparable"]) == ["repetitions"]

    (published, own_result) = (both[name][0][TASK] for name in ("published", "own"))
    limits = {"generalisation_low_metric_test", "generalisation_high_metric_test"}
    assert set(own_result) - set(published) == limits
    assert own_result["generalisation_low_metric_test"] == pytest.approx(
        score["intervals"]["generalisation"]["low"]
    )
    # without curve_survivors a curve ends where fewer than three of the five folds are left
    rows = both["own"][1]
    epochs = rows[rows["metric"] == "loss_per_epoch_eval"].groupby("kfold_partition").size()
    assert epochs.nunique() > 1
    assert len(own_result["avg_loss_per_epoch_eval"]) == sorted(epochs)[2]
    rows = both["published"][1]
    longest = rows[rows["metric"] == "loss_per_epoch_eval"]["train_epoch"].max()
    assert len(published["avg_loss_per_epoch_eval"]) == longest


def test_changed_settings_are_told_once_in_the_log_and_switches_are_not_settings(data, caplog):
    caplog.set_level(logging.WARNING, logger="sentflow")
    quick = {**QUICK, "n_epochs": 1}
    one = evaluator(data, protocol={"like": "corrected"})
    for _ in range(2):
        one.evaluate(kwargs_train=quick)
    told = [record.message for record in caplog.records if "not comparable" in record.message]
    assert told == [
        "scores are not comparable with published ones: repetitions 1 (published: 10), folds 2 (published: 5), "
        "max_epochs 1 (published: 100)"
    ]


def test_cross_validate_warns_of_changed_numbers_only(caplog):
    table = make_task(420)
    caplog.set_level(logging.WARNING, logger="sentflow")
    short = replace(PUBLISHED, max_epochs=1, learning_rates=(1e-3,))
    cross_validate(task_features(table), table.labels, metric="mcc", protocol=short)
    assert [record.message for record in caplog.records] == [
        "scores are not comparable with published ones: learning_rates 0.001 (published: 0.0005 / 0.001 / 0.002), "
        "max_epochs 1 (published: 100)"
    ]
    assert changed_settings(replace(PUBLISHED, switches=Switches(clip_metric=False))) == {}


def test_the_leaked_hidden_layer_reaches_the_tasks_after_f3_and_no_others():
    leak = sentflow.UlyssesSentEval(WordEncoder(), protocol="published-mlp-leak")
    tasks, protocol = leak._catalog.tasks, leak.protocol
    assert [classifier_of(protocol, tasks[name]) for name in ("F1A", "F2", "F3", "T1B")] == [
        "logistic",
        "logistic",
        "mlp",
        "mlp",
    ]


def test_small_tasks_are_trained_on_where_the_protocol_can(data, tmp_path):
    rows = generate("T1B", seed=1)
    (tmp_path / "few.csv").write_text("\n".join(to_csv(rows).splitlines()[:61]), encoding="utf-8")
    config = {
        "datasets": {
            "few": {
                "title": "Few",
                "files": {"few.csv": {"urls": [str(tmp_path / "few.csv")]}},
                "licence": "MIT",
                "citation": "none",
                "language": "pt",
            }
        },
        "tasks": {"few": {"like": TASK, "dataset": "few", "reader": {"file": "few.csv"}}},
    }
    settings = {"config": config, "tasks": "few", "data_dir_path": tmp_path}
    published = {**config, "tasks": {"few": {**config["tasks"]["few"], "protocol": "published"}}}
    with pytest.raises(DataError, match='protocol="corrected"'):
        sentflow.UlyssesSentEval(WordEncoder(), **{**settings, "config": published}).evaluate(
            kwargs_train=QUICK
        )
    corrected = sentflow.UlyssesSentEval(WordEncoder(), **settings)
    assert corrected._protocols.of("few").name == "corrected"
    result = corrected.evaluate(kwargs_train={**QUICK, "n_epochs": 2})
    assert np.isfinite(result["few"]["avg_loss_test"])


def test_documents_stay_together_where_the_protocol_says_so():
    table = make_task(420)
    documents = np.array([f"document {row // 6}" for row in range(len(table))])
    protocol = replace(sentflow.probe_protocol("corrected-documents"), max_epochs=1, learning_rates=(1e-3,))
    features = task_features(table)
    settings = {"metric": "mcc", "protocol": protocol, "repetitions": 1}
    found = cross_validate(features, table.labels, groups=documents, **settings).predictions
    of_document = found.assign(document=documents[found["row"]]).groupby("document")["fold"].nunique()
    assert (of_document == 1).all()
    with pytest.raises(ValueError, match="groups must give the document of each of the 420 rows; got none"):
        cross_validate(features, table.labels, **settings)


def test_a_lazy_vectoriser_sees_alternatives_as_the_protocol_says():
    texts_a, texts_b = ["lei nova", "lei velha"], ["ação [SEP] veto", "voto [SEP] ação"]
    widths = {}
    for protocol in ("published", "corrected"):
        lazy = sentflow.UlyssesSentEvalLazy(TfidfVectorizer(), protocol=protocol)
        widths[protocol] = lazy.embed(texts_a, texts_b, "F3", "train").shape[1]
        vocabulary = set(lazy._lazy_sentence_model.vocabulary_)
        assert ("sep" in vocabulary) == (protocol == "published")
    n_words = len({"lei", "nova", "velha", "ação", "veto", "voto"})
    assert widths == {"published": 4 * (n_words + 1), "corrected": 3 * n_words}


def test_a_classifier_is_no_part_of_a_protocol_for_features():
    with pytest.raises(ArgumentError, match="write hidden=None for logistic probes"):
        sentflow.probe_protocol({"training": {"classifier": "mlp"}})
