"""Passwords and tokens: refused in a configuration, hidden in whatever is written."""

import base64
import json
import logging
import re
import subprocess
import sys
from urllib.parse import quote, quote_plus

import pytest
import yaml
from workflow_copy import REPOSITORY

from sentflow.downloads.download import download
from sentflow.downloads.retries import RetryPolicy
from sentflow.downloads.transfer import Patience
from sentflow.errors import ConfigError, DataError
from sentflow.files.checksums import CatalogFile
from sentflow.graph.config.experiment import load_experiment
from sentflow.jobs.secrecy import secret_problems, without_secrets

PASSWORD = "segredo-Xy7"
TOKEN = "hf_" + "aB3" * 11


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://ana:segredo@host/x", "https://***@host/x"),
        ("HTTP://ana@host:81/x?y=a@b", "HTTP://***@host:81/x?y=a@b"),
        ("https://ana:p@ss@host/x", "https://***@host/x"),
        ("https://:segredo@host", "https://***@host"),
        ("['https://a:b@h/x', 'https://c:d@h']", "['https://***@h/x', 'https://***@h']"),
        ("https://host/pasta/@ana", "https://host/pasta/@ana"),
        ("https://host/x e ana@example.org", "https://host/x e ana@example.org"),
        (f"token {TOKEN}.", "token ***."),
        ("key sk-" + "a1B2" * 8, "key ***"),
        ("the task-based disk-" + "a" * 30, "the task-based disk-" + "a" * 30),
    ],
)
def test_passwords_and_tokens_are_hidden_and_nothing_else(text, expected):
    assert without_secrets(text, {}) == expected


def test_the_value_of_a_token_variable_is_hidden_whatever_its_form():
    environment = {"HF_TOKEN": "um valor qualquer", "HUGGING_FACE_HUB_TOKEN": "de"}
    assert without_secrets("erro: um valor qualquer de ana", environment) == "erro: *** de ana"


@pytest.mark.parametrize("key", ["chave/do+lab\"='zq81", "a1b2c3d4", "ççéé1234"])
@pytest.mark.parametrize("before", ["", "a", "ab", "Bearer "])
def test_the_key_of_a_service_is_hidden_in_every_form_that_texts_give_it(key, before):
    environment = {"SENTFLOW_KEY_LAB": key + "\n", "OTHER": "zz"}
    plain = (
        key,
        json.dumps(key),
        json.dumps(key).replace("/", "\\/"),
        repr(key),
        quote(key),
        quote(key, safe=""),
    )
    lower = re.sub("%..", lambda escape: escape[0].lower(), quote_plus(key))
    for form in (*plain, quote_plus(key), lower):
        unquoted = without_secrets(f"{before}{form} zz", environment).replace('"', "").replace("'", "")
        assert unquoted == f"{before}*** zz"
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        written = encode((before + key + ":x").encode()).decode()
        hidden = without_secrets(written, environment)
        # of the signs around it, some hold bits of the key
        assert "***" in hidden and len(hidden) <= len(written) - len(key) + 3


def test_an_error_for_people_hides_the_key_that_it_repeats(monkeypatch):
    monkeypatch.setenv("SENTFLOW_KEY_LAB", "chave-do-lab")
    assert str(DataError("the service says chave-do-lab")) == "the service says ***"


def test_the_value_of_a_secret_variable_in_a_configuration_is_refused(monkeypatch):
    monkeypatch.setenv("SENTFLOW_KEY_LAB", "chave-do-lab")
    (problem,) = secret_problems({"models": {"x": {"url": "https://host/chave-do-lab"}}}, where="config")
    assert problem.startswith("config.models.x.url: this looks like a key") and "chave-do-lab" not in problem


def test_secrets_in_settings_are_told_by_place_and_never_shown():
    settings = {
        "mirrors": ["/data", f"https://ana:{PASSWORD}@host"],
        "models": {"x": {"title": TOKEN, "n": 3}},
    }
    problems = list(secret_problems(settings, where="config"))
    assert [problem.partition(":")[0] for problem in problems] == [
        "config.mirrors.1",
        "config.models.x.title",
    ]
    assert PASSWORD not in "".join(problems) and TOKEN not in "".join(problems)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"mirrors": [f"https://ana:{PASSWORD}@host"]}, "config.mirrors.0"),
        (
            {"datasets": {"x": {"files": {"a.csv": {"urls": [f"https://ana:{PASSWORD}@host/a"]}}}}},
            "config.datasets.x.files.a.csv.urls.0",
        ),
        ({"experiment": {"title": "t", "description": f"com {TOKEN}"}}, "config.experiment.description"),
        ({"mirrors": f"https://ana:{PASSWORD}@host"}, "config.mirrors"),  # of the wrong type
        ({"models": {"x": {"kind": "api", "url": f"https://ana:{PASSWORD}@host/v1"}}}, "models.x"),
    ],
)
def test_a_configuration_with_a_secret_is_refused_without_repeating_it(changes, place):
    config = {**yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8")), **changes}
    with pytest.raises(ConfigError) as error:
        load_experiment(config, REPOSITORY / "workflow")
    assert place in str(error.value)
    assert PASSWORD not in str(error.value) and TOKEN not in str(error.value)


def test_a_place_that_fails_is_named_without_its_password(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    file = CatalogFile(urls=("https://example.org/x.csv",), sha256="0" * 64)
    patience = Patience(retries=RetryPolicy.of(2, first_seconds=0), connect_seconds=0.5)
    with pytest.raises(DataError) as error:
        download(
            CatalogFile(urls=(f"http://ana:{PASSWORD}@127.0.0.1:9/x.csv",), sha256=file.sha256),
            tmp_path / "x.csv",
            patience=patience,
        )
    assert "http://***@127.0.0.1:9/x.csv" in str(error.value)
    assert PASSWORD not in str(error.value) + caplog.text


PROGRAM = """
import argparse, logging, sys
from sentflow.errors import DataError
from sentflow.jobs.log import exit_with, start_log
def main():
    start_log("x", argparse.Namespace(mirrors=sys.argv[1]))
    logging.getLogger("urllib3").error("lost %s", sys.argv[1])
    raise {error}(sys.argv[1])
exit_with(main)
"""


@pytest.mark.parametrize("error", ["DataError", "KeyError"])
def test_commands_hide_secrets_in_records_errors_and_tracebacks(error):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(error=error), f"https://ana:{PASSWORD}@host/x {TOKEN}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (2 if error == "DataError" else 1)
    assert done.stderr.count("https://***@host/x ***") == 3
    assert PASSWORD not in done.stderr and TOKEN not in done.stderr
