"""Passwords and tokens: refused in a configuration, hidden in whatever is written."""

import base64
import json
import re
import subprocess
import sys
from urllib.parse import quote, quote_plus

import pytest
import yaml
from workflow_copy import REPOSITORY

from sentflow.config.load import load_experiment
from sentflow.errors import ConfigError
from sentflow.jobs.secrecy import without_secrets

PASSWORD = "segredo-Xy7"
TOKEN = "hf_" + "aB3" * 11


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://ana:segredo@host/x", "https://***@host/x"),
        ("HTTP://ana@host:81/x?y=a@b", "HTTP://***@host:81/x?y=a@b"),
        ("https://ana:p@ss@host/x", "https://***@host/x"),
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


@pytest.mark.parametrize("key", ["chave/do+lab\"='zq81", "ççéé1234"])
@pytest.mark.parametrize("before", ["", "a", "ab"])
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


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"mirrors": [f"https://ana:{PASSWORD}@host"]}, "config.mirrors.0"),
        ({"experiment": {"title": "t", "description": f"com {TOKEN}"}}, "config.experiment.description"),
        ({"models": {"x": {"kind": "api", "url": f"https://ana:{PASSWORD}@host/v1"}}}, "models.x"),
    ],
)
def test_a_configuration_with_a_secret_is_refused_without_repeating_it(changes, place):
    config = {**yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8")), **changes}
    with pytest.raises(ConfigError) as error:
        load_experiment(config, REPOSITORY / "workflow")
    assert place in str(error.value)
    assert PASSWORD not in str(error.value) and TOKEN not in str(error.value)


PROGRAM = """
import logging, sys
from sentflow.errors import DataError
from sentflow.jobs.log import exit_with, start_log
def main():
    start_log(["x", "--mirrors", sys.argv[1]])
    logging.getLogger("urllib3").error("lost %s", sys.argv[1])
    raise {error}(sys.argv[1])
exit_with(main)
"""


@pytest.mark.parametrize("error", ["DataError", "KeyError"])
def test_jobs_hide_secrets_in_records_errors_and_tracebacks(error):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(error=error), f"https://ana:{PASSWORD}@host/x {TOKEN}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (2 if error == "DataError" else 1)
    assert done.stderr.count("https://***@host/x ***") == 3
    assert PASSWORD not in done.stderr and TOKEN not in done.stderr
