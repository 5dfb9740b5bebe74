"""An S3 server (moto) on a free port of the loopback interface, in a thread of the tests; it notes every request."""

import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote

BUCKET = "lab-results"


class Request(NamedTuple):
    """What somebody asked for: one object, or a folder of them to be listed."""

    by: str  # the rule of the job that asked, `main` for Snakemake itself
    method: str
    key: str
    received: int  # bytes
    sent: int


class S3Server:
    """One bucket, which is empty at the beginning and is not kept."""

    def __init__(self) -> None:
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import WSGIRequestHandler, make_server

        class Quiet(WSGIRequestHandler):
            def log_request(self, *_words: Any) -> None:
                """Say nothing: tests read `requests`."""

        self.requests: list[Request] = []
        self._moto = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True, request_handler=Quiet)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.client.create_bucket(Bucket=BUCKET)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def client(self) -> Any:
        """A connection as the plugin makes it."""
        import boto3

        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        return boto3.client("s3", endpoint_url=self.address, region_name="us-east-1", **keys)

    def objects(self, prefix: str) -> dict[str, bytes]:
        """What is stored below a prefix, by the key behind it."""
        client = self.client
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=f"{prefix}/")
        keys = [found["Key"] for page in pages for found in page.get("Contents", ())]
        bodies = {key: client.get_object(Bucket=BUCKET, Key=key)["Body"] for key in keys}
        return {key.removeprefix(f"{prefix}/"): body.read() for key, body in bodies.items()}

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, environment: dict[str, Any], begin: Any) -> Iterable[bytes]:
        sent: list[int] = []

        def begin_and_note(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            with suppress(StopIteration):
                sent.append(next(int(value) for name, value in headers if name.lower() == "content-length"))
            return begin(status, headers, *rest)

        answer: Iterable[bytes] = self._moto(environment, begin_and_note)
        key = unquote(environment["PATH_INFO"]).lstrip("/").partition("/")[2]
        key = key or parse_qs(environment.get("QUERY_STRING", "")).get("prefix", [""])[0]
        method = environment["REQUEST_METHOD"]
        # AWS_EXECUTION_ENV of who asks, which nodes set to the name of the rule
        _, _, by = environment.get("HTTP_USER_AGENT", "").partition("exec-env/")
        received = int(environment.get("CONTENT_LENGTH") or 0)
        self.requests.append(
            Request(
                by.partition(" ")[0] or "main", method, key, received, 0 if method == "HEAD" else sum(sent)
            )
        )
        return answer
