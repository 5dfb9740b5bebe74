"""What is wrong with the entry of an encoder behind an address."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from sentflow.encoders.kinds.service_keys import how_to_name, is_key_variable

# HF_TOKEN, AWS_SECRET_ACCESS_KEY, OPENAI_API_KEY …: a name, and nothing that could be a key itself
_OTHER_SECRET = re.compile(r"[A-Z]+(_[A-Z]+)+")


def service_problems(where: str, entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with address and key of a service; never repeats a value that may hold a key."""
    problems = []
    if "url" in entry and not _is_plain_address(entry["url"]):
        problems.append(
            f"{where}.url: write the http(s) address that takes the requests, e.g. "
            "https://api.example.org/v1/embeddings, without user, password, query or fragment. A key belongs "
            "into an environment variable, whose name is key_variable."
        )
    variable = entry.get("key_variable")
    if variable is None or is_key_variable(variable):
        return problems
    if isinstance(variable, str) and _OTHER_SECRET.fullmatch(variable):
        problems.append(f"{where}.key_variable: {variable} is not sent: {how_to_name(entry.get('url'))}")
    else:
        problems.append(
            f"{where}.key_variable: write the name of an environment variable, SENTFLOW_KEY_NAME with capital letters, "
            "digits and _, not the key itself. If a key stood here, it is in a file now: revoke it."
        )
    return problems


def _is_plain_address(url: Any) -> bool:
    try:
        parts: SplitResult = urlsplit(url)
        extra = (parts.username, parts.password, parts.query, parts.fragment)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not any(extra)
    except (ValueError, AttributeError, TypeError):
        return False
