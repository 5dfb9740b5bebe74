"""The command on a folder served on loopback; what servers do wrong is in tests/unit/test_download.py."""

import hashlib
import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from sentflow.commands import download, prepare
from sentflow.errors import ConfigError, DataError
from sentflow.texts.table import read_task

CATALOG = Path(__file__).parents[2] / "workflow/catalog"
CONTENT = "texto,rótulo\nágua,1\n".encode()
ADDRESS = "https://raw.githubusercontent.com/ana/repo/0a1b/pasta/x.csv"


@pytest.fixture
def served(tmp_path) -> Iterator[tuple[Path, str]]:
    """A folder and the address under which its files are served."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield folder, f"http://127.0.0.1:{http.server_port}"
    http.shutdown()
    thread.join()
    http.server_close()


@pytest.fixture(autouse=True)
def no_mirror(monkeypatch):
    monkeypatch.delenv("SENTFLOW_MIRROR", raising=False)


def arguments(output: Path, urls: list[str], mirrors: list[str] | None = None, **keys: object) -> list[str]:
    entry = {"urls": urls, "sha256": hashlib.sha256(CONTENT).hexdigest(), **keys}
    words = ["--dataset", "dados", "--file", "x.csv", "--settings", json.dumps(entry), "--attempts", "1"]
    return [*words, "--mirrors", json.dumps(mirrors or []), "--output", str(output)]


def put(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(CONTENT)


def test_second_address_stands_in_for_the_first(tmp_path, served):
    folder, address = served
    put(folder / "b/x.csv")
    urls = [f"{address}/a/x.csv", f"{address}/b/x.csv"]
    assert download.main(arguments(tmp_path / "raw/x.csv", urls)) == 0
    assert (tmp_path / "raw/x.csv").read_bytes() == CONTENT


def test_mirror_folder_of_the_config_serves(tmp_path):
    put(tmp_path / "espelho/github/ana/repo/0a1b/pasta/x.csv")
    assert download.main(arguments(tmp_path / "raw/x.csv", [ADDRESS], [str(tmp_path / "espelho")])) == 0
    assert (tmp_path / "raw/x.csv").read_bytes() == CONTENT


def test_mirror_address_of_the_environment_serves(tmp_path, served, monkeypatch):
    folder, address = served
    put(folder / "d/github/ana/repo/0a1b/pasta/x.csv")
    monkeypatch.setenv("SENTFLOW_MIRROR", f"/nao/ha {address}/d")
    assert download.main(arguments(tmp_path / "raw/x.csv", [ADDRESS])) == 0
    assert (tmp_path / "raw/x.csv").read_bytes() == CONTENT


def test_official_zip_comes_from_the_second_address_and_becomes_a_table(tmp_path, served):
    folder, address = served
    rows = "".join(f"{row},São {row},{row % 2}\n" for row in range(420))
    with zipfile.ZipFile(folder / "offcombr2.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("offcombr2.csv", f",text,label\n{rows}")
    catalog = {
        "urls": [f"{address}/s/X/download/offcombr2.zip", f"{address}/offcombr2.zip?id=7&export=download"],
        "sha256": hashlib.sha256((folder / "offcombr2.zip").read_bytes()).hexdigest(),
    }
    raw, table = tmp_path / "raw/offcombr2.zip", tmp_path / "T1B.parquet"
    words = ["--dataset", "ulysses-t1b", "--file", raw.name, "--settings", json.dumps(catalog)]
    download.main([*words, "--output", str(raw)])
    tasks = yaml.safe_load((CATALOG / "tasks.yaml").read_text(encoding="utf-8"))
    settings = {**tasks["T1B"], "folds": 5, "files": {raw.name: catalog}}
    words = ["--task", "T1B", "--raw", str(raw), "--settings", json.dumps(settings)]
    prepare.main([*words, "--output", str(table)])
    assert (len(read_task(table)), read_task(table).info.data_version) == (420, "official")


def test_misspelt_key_is_refused_before_anything_is_asked(tmp_path):
    with pytest.raises(ConfigError, match=r"datasets\.dados\.files\.x\.csv: unknown key sha265"):
        download.main(arguments(tmp_path / "x.csv", [ADDRESS], sha265="0"))


def test_output_that_cannot_be_written_is_an_error_for_people(tmp_path):
    put(tmp_path / "espelho/github/ana/repo/0a1b/pasta/x.csv")
    (tmp_path / "raw").write_text("a file where a folder should be")
    with pytest.raises(DataError, match="could not be written"):
        download.main(arguments(tmp_path / "raw/x.csv", [ADDRESS], [str(tmp_path / "espelho")]))


def test_process_ends_with_one_paragraph_and_no_traceback(tmp_path):
    command = [sys.executable, "-m", "sentflow.commands.download"]
    words = arguments(tmp_path / "raw/x.csv", ["http://127.0.0.1:9/x.csv"])
    done = subprocess.run([*command, *words], capture_output=True, text=True, env={**os.environ})
    assert done.returncode == 2
    assert "error: " in done.stderr
    assert "127.0.0.1:9/x.csv: no connection" in done.stderr
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "raw").iterdir()) == []
