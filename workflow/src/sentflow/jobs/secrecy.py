"""Passwords, tokens and keys: refused in configurations, and kept out of whatever is written.

Standard library only: the Snakefile imports this module in every job.
"""

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

TOKEN_VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
# Before the name of a key of a service
KEY_PREFIX = "SENTFLOW_KEY_"
HIDDEN = "***"
SHORTEST_SECRET = 8  # shorter ones would be found in ordinary words
# user, or user:password, before the host of an address
_CREDENTIALS = re.compile(r"\b(https?://)[^/?#\s\"'@]*(?:@[^/?#\s\"'@]*)*@", re.IGNORECASE)
# as the Hugging Face hub and services with keys of OpenAI's form write them
_TOKEN = re.compile(r"\b(?:hf_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9_-]{20,})")
_ESCAPE = re.compile("%[0-9A-F]{2}")
_URL_SAFE = str.maketrans("+/", "-_")


def without_secrets(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text with ``***`` for every secret.

    Secrets are user and password in addresses, what looks like a token, and the values of `TOKEN_VARIABLES` and of all
    variables that begin with `KEY_PREFIX`: as they are, and as addresses, JSON and base64 write them.
    """
    known = os.environ if environment is None else environment
    forms = {form for value in _secrets(known) for form in _forms(value)}
    for form in sorted(forms, key=len, reverse=True):
        text = text.replace(form, HIDDEN)
    return _TOKEN.sub(HIDDEN, _CREDENTIALS.sub(rf"\1{HIDDEN}@", text))


def secret_problems(value: Any, *, where: str) -> Iterator[str]:
    """One sentence for each text in nested settings that holds a password or a token; never the text itself."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from secret_problems(inner, where=f"{where}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from secret_problems(inner, where=f"{where}.{number}")
    elif isinstance(value, str) and _CREDENTIALS.search(value):
        yield (
            f"{where}: an address with a user or a password would be copied into logs and records. Write it without "
            "them, and put both into ~/.netrc; a mirror can also be set in SENTFLOW_MIRROR."
        )
    elif isinstance(value, str) and without_secrets(value) != value:
        yield (
            f"{where}: this looks like a key or a token, and would be copied into logs and records. Keep it in an "
            f"environment variable: HF_TOKEN for the hub, {KEY_PREFIX}NAME for a service (key_variable)."
        )


def _secrets(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        if name in TOKEN_VARIABLES or name.startswith(KEY_PREFIX):
            secret = value.strip()
            if len(secret) >= SHORTEST_SECRET:
                yield secret


def _forms(secret: str) -> Iterator[str]:
    yield secret
    for quoted in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield quoted
        yield _ESCAPE.sub(lambda escape: escape[0].lower(), quoted)
    for escaped in (json.dumps(secret)[1:-1], repr(secret)[1:-1]):
        yield escaped
        yield escaped.replace("/", r"\/")
    # A character of base64 is six bits, which may begin before the secret, as in "Bearer …", and end after it
    raw = secret.encode()
    for n_before in range(3):
        written = base64.b64encode(bytes(n_before) + raw).decode().rstrip("=")
        whole = written[(0, 2, 3)[n_before] : 8 * (n_before + len(raw)) // 6]
        yield whole
        yield whole.translate(_URL_SAFE)
