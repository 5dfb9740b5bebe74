"""Passwords, tokens and keys of services: where they may be sent, and that nothing written shows them."""

import base64
import json
import logging
import re
import shlex
import subprocess
import sys
from urllib.parse import quote, quote_plus

import pytest
import yaml
from workflow_copy import REPOSITORY

from sentflow.config.load import load_experiment
from sentflow.encoders.service_keys import is_key_variable, read_key
from sentflow.errors import ConfigError
from sentflow.jobs.log import exit_with, start_log
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


KEY = "chave-do-lab-Zq81"


def key_for(url: str, hosts: str = "api.example.org", variable: str = "SENTFLOW_KEY_LAB") -> str:
    return read_key(
        variable, url, {"SENTFLOW_KEY_LAB": KEY + "\n", "SENTFLOW_HOST_LAB": hosts, "HF_TOKEN": KEY}
    )


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("HTTPS://API.example.org:443", "api.EXAMPLE.org"),
        ("https://api.example.org:8443/v1", "api.example.org:8443"),
        ("https://b.example.org/v1", "https://a.example.org b.example.org"),
        ("http://[::1]:8000/v1", "[::1]:8000"),
        ("http://gpu_server:8000/v1", "http://gpu_server:8000/"),
    ],
)
def test_a_key_goes_to_the_host_that_its_owner_names(url, hosts):
    assert key_for(url, hosts) == KEY


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("https://api.example.org.evil.example/v1", "api.example.org"),
        ("https://x.api.example.org/v1", "api.example.org"),
        ("https://api.example.org:8443/v1", "api.example.org"),
        ("http://127.0.0.1:9000/v1", "127.0.0.1:8000"),  # of another user of this machine, perhaps
        ("http://api.example.org/v1", "api.example.org"),  # unencrypted
        ("https://gpu_server:8000/v1", "http://gpu_server:8000"),
        # Two readers of an address may find two hosts in these
        ("https://evil.example\\@api.example.org/v1", "api.example.org"),
        ("https://api.example.org@evil.example/v1", "api.example.org"),
        ("https://api.example.org\n.evil.example", "api.example.org"),
        ("https://api.example.org", "*.example.org"),
    ],
)
def test_a_key_goes_nowhere_else(url, hosts):
    with pytest.raises(ConfigError, match="SENTFLOW_KEY_LAB") as error:
        key_for(url, hosts)
    assert KEY not in str(error.value)


@pytest.mark.parametrize(
    ("url", "export"),
    [
        ("https://api.example.org:8443/v1", "export SENTFLOW_HOST_LAB=api.example.org:8443"),
        ("http://gpu:8000/v1", "export SENTFLOW_HOST_LAB=http://gpu:8000"),
    ],
)
def test_a_key_without_a_host_is_told_with_what_to_write_and_that_is_right(url, export):
    with pytest.raises(ConfigError, match="SENTFLOW_KEY_LAB") as error:
        key_for(url, " ")
    assert str(error.value).endswith(f": {export}")
    assert key_for(url, export.partition("=")[2]) == KEY


@pytest.mark.parametrize(
    "variable", ["AWS_SECRET_ACCESS_KEY", "SENTFLOW_KEY_", "SENTFLOW_KEY_lab", "SENTFLOW_KEY_A\n"]
)
def test_another_variable_is_no_key_wherever_it_is_named(variable):
    assert not is_key_variable(variable)
    with pytest.raises(ConfigError, match="SENTFLOW_KEY_NAME"):
        key_for("https://api.example.org/v1", variable=variable)


@pytest.mark.parametrize("value", [None, "  ", "secret\nX-Evil: 1", "secret secret", "secrét56", "secre"])
def test_a_variable_without_a_key_is_told_and_its_value_is_not(value):
    environment = {} if value is None else {"SENTFLOW_KEY_LAB": value}
    with pytest.raises(ConfigError, match="SENTFLOW_KEY_LAB") as error:
        read_key("SENTFLOW_KEY_LAB", "https://api.example.org", environment)
    assert "secr" not in str(error.value)


@pytest.fixture(autouse=True)
def loggers():
    """Jobs set up the root logger of their process; other tests keep theirs."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def test_log_begins_with_the_job_as_it_could_be_typed(capsys):
    words = ["probe", "--task", "a b/é.parquet", '--settings={"metric": "mcc"}', "--folds", "1.parquet", ""]
    start_log(words, ["numpy"])
    first, second = capsys.readouterr().err.splitlines()
    assert shlex.split(first.partition("python -P -m sentflow.jobs ")[2]) == words
    assert "numpy=" in second


def test_too_little_memory_is_told_without_a_traceback(capsys):
    def main():
        raise MemoryError("Unable to allocate 7.45 GiB for an array")

    with pytest.raises(SystemExit) as ended:
        exit_with(main)
    assert ended.value.code == 2
    assert capsys.readouterr().err == "\nerror: not enough memory: Unable to allocate 7.45 GiB for an array\n"


def test_what_is_logged_does_not_steer_the_terminal(capsys):
    start_log(["x"])
    logging.getLogger("sentflow").warning("label %s", "\x1b[2J\u202e\r")
    assert r"label \x1b[2J\u202e\r" in capsys.readouterr().err
