import json

import pandas as pd
import pytest
from api_stubs import QUICK, WordEncoder

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.files.io import read_json
from sentflow.probing.storage.folds import read_folds


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


def test_a_cached_model_encodes_a_sample_only(data, tmp_path):
    settings = {
        "tasks": "G3-sample",
        "data_dir_path": data,
        "cache_dir": tmp_path,
        "cache_embed_key": "owner/words",
    }
    first, second = WordEncoder(), WordEncoder()
    results = [
        sentflow.UlyssesSentEval(model, **settings).evaluate(kwargs_train=QUICK)["G3-sample"]["avg_loss_test"]
        for model in (first, second)
    ]
    assert results[0] == results[1]
    assert len(second.asked) <= 16 < len(first.asked)
    assert (tmp_path / "owner/words/G3-sample.npy").is_file()
    ignoring = WordEncoder()
    sentflow.UlyssesSentEval(ignoring, **settings).evaluate(kwargs_train=QUICK, ignore_cached=True)
    assert ignoring.asked == first.asked


@pytest.mark.parametrize("key", ["", "../words", "/words", "."])
def test_a_cache_key_stays_in_the_cache(tmp_path, key):
    with pytest.raises(ArgumentError, match="cache_embed_key"):
        sentflow.UlyssesSentEval(WordEncoder(), cache_embed_key=key, cache_dir=tmp_path)


def test_results_on_disk_are_what_was_returned(data, tmp_path):
    evaluator = sentflow.UlyssesSentEval(
        WordEncoder(), tasks="T1B-sample", data_dir_path=data, results_dir=tmp_path, model_name="words"
    )
    aggregated, rows = evaluator.evaluate(kwargs_train=QUICK, return_all_results=True)
    score = read_json(tmp_path / "scores/T1B-sample/words.json")
    assert score["mean"] == pytest.approx(aggregated["T1B-sample"]["avg_metric_test"])
    assert set(score["intervals"]) == {"repeatability", "generalisation"}
    assert (score["model"], score["data_version"], score["n_folds"]) == ("words", "sample data", 2)
    stored = pd.read_parquet(tmp_path / "scores/T1B-sample/words.parquet")
    pd.testing.assert_frame_equal(stored, rows, check_dtype=False)
    files = [tmp_path / f"probes/T1B-sample/words/rep-1/fold-{fold}.parquet" for fold in (1, 2)]
    folds, infos = read_folds(files)
    assert len(folds) == len(rows)
    assert json.loads(infos[0].settings)["classifier"] == "logistic"
    assert all(file.with_suffix(".predictions.parquet").is_file() for file in files)


def test_what_was_done_before_a_failure_is_on_disk(data, tmp_path):
    class Failing(WordEncoder):
        def encode(self, texts):
            if len(set(texts)) > 848:
                raise RuntimeError("out of memory")
            return super().encode(texts)

    evaluator = sentflow.UlyssesSentEval(
        Failing(),
        tasks=["T1B-sample", "G3-sample"],
        data_dir_path=data,
        results_dir=tmp_path,
        model_name="words",
    )
    with pytest.raises(RuntimeError, match="out of memory"):
        evaluator.evaluate(kwargs_train=QUICK)
    assert [file.parent.name for file in tmp_path.glob("scores/*/words.json")] == ["T1B-sample"]


def test_results_need_a_name_that_can_be_a_files(tmp_path):
    assert (
        sentflow.UlyssesSentEval(WordEncoder(), results_dir=tmp_path, cache_embed_key="words").model_name
        == "words"
    )
    for name in (None, "../words", "a/b", "..", ""):
        with pytest.raises(ArgumentError, match="model_name is"):
            sentflow.UlyssesSentEval(WordEncoder(), results_dir=tmp_path, model_name=name)
