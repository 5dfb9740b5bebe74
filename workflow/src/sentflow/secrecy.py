"""Passwords and tokens: refused in configurations, and kept out of whatever is written.

Standard library only: the Snakefile imports this module in every job.
"""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

TOKEN_VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
HIDDEN = "***"
_SHORTEST_TOKEN = 8  # shorter ones would be found in ordinary words
# user, or user:password, before the host of an address
_CREDENTIALS = re.compile(r"\b(https?://)[^/?#\s\"'@]*(?:@[^/?#\s\"'@]*)*@", re.IGNORECASE)
# as the Hugging Face hub and services with keys of OpenAI's form write them
_TOKEN = re.compile(r"\b(?:hf_[A-Za-z0-9]{20,}|sk-[A-Za-z0-9_-]{20,})")


def without_secrets(text: str, environment: Mapping[str, str] | None = None) -> str:
    """The text with ``***`` for user and password in addresses, for tokens, and for the values of `TOKEN_VARIABLES`."""
    known = os.environ if environment is None else environment
    text = _TOKEN.sub(HIDDEN, _CREDENTIALS.sub(rf"\1{HIDDEN}@", text))
    for variable in TOKEN_VARIABLES:
        value = known.get(variable, "").strip()
        if len(value) >= _SHORTEST_TOKEN:
            text = text.replace(value, HIDDEN)
    return text


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
            f"{where}: an address with a user or a password would be copied into logs and records. Write it without, "
            "and put user and password of the host into ~/.netrc; a mirror may also be named in SENTFLOW_MIRROR."
        )
    elif isinstance(value, str) and _TOKEN.search(value):
        yield (
            f"{where}: this looks like a key or a token, and would be copied into logs and records. Keep it in an "
            "environment variable: HF_TOKEN for the hub, key_variable for a service."
        )
