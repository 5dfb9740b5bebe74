"""What Snakemake's plugin asks of Kubernetes, on this machine: each pod is a process in an empty folder.

A pod has the variables of its image and of its secret, nothing of who started it, and no folder of another.
"""

import base64
import json
import os
import subprocess
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_CONFIG = """\
apiVersion: v1
kind: Config
current-context: test
contexts: [{{name: test, context: {{cluster: test, user: test}}}}]
clusters: [{{name: test, cluster: {{server: "{address}"}}}}]
users: [{{name: test, user: {{}}}}]
"""


class Kubernetes:
    """Takes secrets and jobs; `pods` are the specifications of all jobs, in the order in which they came."""

    def __init__(self, folder: Path, image: Mapping[str, str]) -> None:
        folder.mkdir()
        self.folder, self.image = folder, image
        self.secrets: dict[str, dict[str, str]] = {}
        self.pods: list[dict[str, Any]] = []
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.config = folder / "config"
        address = f"http://127.0.0.1:{self._server.server_port}"
        self.config.write_text(_CONFIG.format(address=address), encoding="utf-8")

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        for process in self._processes.values():
            process.kill()
            process.wait()

    def _create(self, kind: str, body: dict[str, Any]) -> None:
        name = body["metadata"]["name"]
        if kind == "secrets":
            self.secrets[name] = body["data"]
            return
        pod = body["spec"]["template"]["spec"]
        self.pods.append(pod)
        (container,) = pod["containers"]
        variables = {
            one["name"]: self._secret(**one["valueFrom"]["secretKeyRef"]) for one in container["env"]
        }
        node = self.folder / name
        (node / "home").mkdir(parents=True)
        (node / "work").mkdir()
        with (node / "log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                [*container["command"], *container["args"]],
                cwd=node / "work",
                env={**self.image, "HOME": str(node / "home"), **variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _secret(self, name: str, key: str) -> str:
        return base64.b64decode(self.secrets[name][key]).decode()

    def _status(self, name: str) -> dict[str, int]:
        code = self._processes[name].poll()
        return {"active": 1} if code is None else {"succeeded": 1} if code == 0 else {"failed": 1}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        cluster = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                cluster._create(Path(self.path).name, body)
                self._answer(body)

            def do_GET(self) -> None:
                path = Path(self.path.partition("?")[0])
                if path.name == "status":
                    name = path.parent.name
                    self._answer({"metadata": {"name": name}, "status": cluster._status(name)})
                else:
                    self._answer({"items": []})

            def do_DELETE(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self._answer({})

            def _answer(self, body: dict[str, Any]) -> None:
                content = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_words: Any) -> None:
                """Say nothing."""

        return Handler


def image(folder: Path, python: Path, plugins: str) -> dict[str, str]:
    """Variables of an image that holds sentflow and the storage plugins, which pods need not install again."""
    folder.mkdir()
    (folder / "pip").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "pip").chmod(0o755)
    path = os.pathsep.join([str(folder), str(python.parent), os.defpath])
    return {"PATH": path, "PYTHONPATH": plugins, "OMP_NUM_THREADS": "1", "LANG": "C.UTF-8"}
