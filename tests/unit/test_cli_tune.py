"""`sentflow tune`: its form and its errors; what it chooses is in test_encoders_tuning.py. No test looks at times."""

import pytest
import yaml
from called import refused
from tiny_bert import TEXTS, save_tiny_bert

from sentflow.encoders.kinds.neural.settings import TORCH


@pytest.fixture
def words(tmp_path, monkeypatch):
    """A tiny model and texts to measure it with."""
    monkeypatch.chdir(tmp_path)
    save_tiny_bert(tmp_path / "bert")
    entry = {"title": "Tiny", "licence": "none", "citation": "none", "kind": "transformers", "prompt": "lei "}
    models = {"tiny": {**entry, "source": {"folder": str(tmp_path / "bert")}}}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"models": models}), encoding="utf-8")
    (tmp_path / "texts.txt").write_text("\n".join([*TEXTS, "", "saúde"]), encoding="utf-8")
    # exports take a minute; they are tested by themselves
    missing = lambda backend: [] if backend == TORCH else ["a_library"]  # noqa: E731
    monkeypatch.setattr("sentflow.encoders.tuning.tune.missing_libraries", missing)
    return ["tiny", "--configfile", "mine.yaml", "--texts", "texts.txt", "--rounds", 1, "--threads", 2]


@pytest.mark.slow
def test_what_cannot_be_measured_is_refused(words, tmp_path):
    (tmp_path / "empty.txt").write_bytes(b"\n \n\t\n")
    for others, said in (
        (["tfidf"], "kind tfidf"),
        ([*words, "--tolerance", "nan"], "Write a number > 0"),
        ([*words, "--texts", "empty.txt"], "empty.txt holds no texts"),
    ):
        assert said in refused("tune", *others)
