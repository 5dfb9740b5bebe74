"""Passwords, tokens and keys of a whole run: in no log, result, record or archive."""

import base64
import hashlib
import json
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from embeddings_server import embeddings_server
from workflow_copy import PACKAGE, REPOSITORY, TINY, copy_workflow, environment, snakemake_words

pytestmark = pytest.mark.slow

PASSWORD = "senha-Zq81xW"
KEY = "chave-Pk42mT-abcdef"
TOKEN = "hf_" + "tK9" * 11
SECRETS = (PASSWORD, KEY, TOKEN, base64.b64encode(f"ana:{PASSWORD}".encode()).decode())
ROWS = ",text,label\n" + "".join(f"{row},Votação número {row},{row % 2}\n" for row in range(400))


@pytest.fixture
def mirror(tmp_path) -> Iterator[str]:
    """The address of a mirror that wants a password."""
    folder = tmp_path / "served"
    (folder / "data.example").mkdir(parents=True)
    (folder / "data.example" / "rows.csv").write_text(ROWS, encoding="utf-8")

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Authorization") != f"Basic {SECRETS[-1]}":
                self.send_error(401, f"not {self.headers.get('Authorization')}")
                return
            super().do_GET()

        def log_message(self, format: str, *args: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://ana:{PASSWORD}@127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def found_in(folder: Path) -> list[str]:
    """Files below a folder, and members of archives, that hold a secret."""
    found = []
    for file in folder.rglob("*"):
        if not file.is_file():
            continue
        parts = {"": file.read_bytes()}
        if file.suffix == ".zip":  # zipfile.is_zipfile takes any file with those four bytes for one
            with zipfile.ZipFile(file) as archive:
                parts |= {name: archive.read(name) for name in archive.namelist()}
        found += [
            f"{file} {name}" for name, content in parts.items() for s in SECRETS if s.encode() in content
        ]
    return found


def test_a_run_with_secrets_writes_none_of_them(tmp_path, mirror):
    project = copy_workflow(tmp_path / "project")
    with embeddings_server() as service:
        service.failures.append((503, {}, f"overloaded, key {KEY}"))
        service.reason = f"Overloaded {KEY}"
        config = {
            "datasets": {
                "mine": {
                    "title": "Mine",
                    "files": {
                        "rows.csv": {
                            "urls": ["https://data.example/rows.csv"],
                            "sha256": hashlib.sha256(ROWS.encode()).hexdigest(),
                        }
                    },
                    "licence": "mine",
                    "citation": "none",
                    "language": "pt",
                }
            },
            "tasks": {
                "MINE": {
                    "like": "T1B",
                    "layout": "single",
                    "dataset": "mine",
                    "reader": {"format": "csv", "file": "rows.csv", "text_a": "text", "label": "label"},
                }
            },
            "models": {
                "service": {
                    "kind": "api",
                    "url": service.url,
                    "model": "m",
                    "dimension": 4,
                    "key_variable": "SENTFLOW_KEY_LAB",
                    "licence": "x",
                    "citation": "none",
                }
            },
            "select": {"tasks": ["MINE"], "models": ["service", "random"]},
            "report": {"tables": ["scores"], "figures": ["heatmap"], "checks": ["complete"]},
        }
        file = tmp_path / "mine.yaml"
        file.write_text(yaml.safe_dump(config), encoding="utf-8")
        done = subprocess.run(
            snakemake_words(
                *("results/exports/ro-crate/run.crate.zip", "results/report/index.html", "--verbose"),
                *("--printshellcmds", "--cores", "1", "--configfile", str(TINY), str(file)),
            ),
            cwd=project,
            env={
                **environment(),
                "SENTFLOW_MIRROR": mirror,
                "SENTFLOW_KEY_LAB": KEY,
                "SENTFLOW_HOST_LAB": urlsplit(service.url).netloc,
                "HF_TOKEN": TOKEN,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        keys = {headers.get("Authorization") for headers, _ in service.requests}
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-6000:]
    assert keys == {f"Bearer {KEY}"}  # it was there, and used
    log = (project / "results/logs/download/mine/rows.csv.log").read_text(encoding="utf-8")
    assert "bytes from http://***@127.0.0.1" in log
    assert [secret for secret in SECRETS if secret in said] == []
    assert found_in(project) == []
    assert len([file for file in project.rglob("*") if file.is_file()]) > 100


@pytest.fixture
def rude_hub() -> Iterator[str]:
    """The address of a hub that repeats the token it was given, in its refusal."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            token = self.headers.get("Authorization", "none")
            self.send_response(401, f"no {token}")
            self.send_header("X-Error-Message", f"bad {token}")
            body = json.dumps({"error": f"no {token}"}).encode()
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, *args: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_hub_that_repeats_the_token_is_not_quoted(tmp_path, rude_hub):
    entry = {"kind": "sentence-transformers", "source": {"hub": "a/b", "revision": "0" * 40}}
    words = ["--model", "mine", "--settings", json.dumps(entry), "--output", str(tmp_path / "manifest.json")]
    done = subprocess.run(
        [sys.executable, "-m", "sentflow.commands.fetch_model", *words],
        env={
            **environment(),
            "PYTHONPATH": str((REPOSITORY / PACKAGE).parent),
            "HF_TOKEN": TOKEN,
            "HF_ENDPOINT": rude_hub,
            "HF_HOME": str(tmp_path / "home"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "the hub did not give a/b" in done.stderr
    assert "a model that needs permission wants HF_TOKEN" in done.stderr
    assert TOKEN not in done.stdout + done.stderr
    assert found_in(tmp_path) == []
