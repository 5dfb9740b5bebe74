"""What is wrong with the values of a model entry, key by key: a key means the same in every kind that has it."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from sentflow.encoders.checks.prompts import prompt_problems
from sentflow.encoders.kinds.neural.settings import (
    BACKENDS,
    DTYPES,
    FLOAT32,
    LAYER_POOLINGS,
    POOLINGS,
    TORCH,
    TRUNCATIONS,
)
from sentflow.encoders.kinds.table import SEGMENTERS, SPLADE, TERMS_OF

SUM = "sum"
TERM_POOLINGS = ("max", SUM)  # of weights of terms
_DEVICE = re.compile(r"cpu|mps|(cuda|xpu)(:\d+)?")
TOKENS = ("words", "hyphenated-words", "words-and-signs", "whitespace")


def _count(what: str, *, optional: bool = False) -> Callable[[Any], str | None]:
    def problem(value: Any) -> str | None:
        right = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        return None if right or (optional and value is None) else f"{value!r} is not {what} >= 1."

    return problem


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else f"{value!r} is neither true nor false."


def _text(value: Any) -> str | None:
    return None if value is None or isinstance(value, str) else f"{value!r} is not a text; quote it."


def _choice(choices: tuple[str, ...], *, optional: bool = False) -> Callable[[Any], str | None]:
    def problem(value: Any) -> str | None:
        if (isinstance(value, str) and value in choices) or (optional and value is None):
            return None
        return f"{value!r} is none that is known. Write one of: {', '.join(sorted(choices))}."

    return problem


def _seconds(value: Any) -> str | None:
    right = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    return None if right else f"{value!r} is not a number of seconds > 0."


def _terms(value: Any) -> str | None:
    names = ", ".join(TERMS_OF.values())
    if not isinstance(value, Mapping):
        return f"{value!r} is no map. Write numbers of terms under {names}."
    known = TERMS_OF.values()
    wrong = [str(key) for key, n in value.items() if key not in known or _count("")(n)]
    return None if not wrong else f"{', '.join(wrong)}: write whole numbers >= 1, under {names} alone."


# Key → what is wrong with a value of it; None if nothing is
_PROBLEMS: Mapping[str, Callable[[Any], str | None]] = {
    "max_tokens": _count("a number of tokens", optional=True),
    "batch_size": _count("a number of texts", optional=True),
    "truncate_dim": _count("a number of values", optional=True),
    "batch_tokens": _count("a number of tokens"),
    "batch_texts": _count("a whole number"),
    "attempts": _count("a whole number"),
    "timeout_seconds": _seconds,
    "normalise": _flag,
    "lower_case": _flag,
    "prompt": _text,
    "pooling": _choice((*POOLINGS, SUM), optional=True),
    "terms": _terms,
    "truncation": _choice(TRUNCATIONS),
    "dtype": _choice(DTYPES),
    "backend": _choice(BACKENDS),
    "segment": _choice(tuple(SEGMENTERS), optional=True),
    "tokens": _choice(TOKENS),
    "tokenizer_class": _text,
}


def value_problems(entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with the values of an entry, one sentence each.

    Parameters
    ----------
    entry
        Key → value, of any type; keys that are checked elsewhere are passed over.
    """
    told = {key: _PROBLEMS[key](value) for key, value in entry.items() if key in _PROBLEMS}
    problems = [f"{key}: {problem}" for key, problem in told.items() if problem]
    problems += prompt_problems(entry.get("prompt"), entry.get("prompts", {}), entry.get("prompt_names", {}))
    return (
        problems + _pooling_problems(entry) + _backend_problems(entry) + _device_problems(entry.get("device"))
    )


def _pooling_problems(entry: Mapping[str, Any]) -> list[str]:
    """Poolings that are known, but not of the kind."""
    pooling, of_terms = entry.get("pooling"), entry.get("kind") == SPLADE
    if of_terms and pooling in POOLINGS and pooling not in TERM_POOLINGS:
        return [
            f"pooling: weights of terms are no vector of {pooling}. Write one of: {', '.join(TERM_POOLINGS)}."
        ]
    if pooling == SUM and not of_terms:
        return [f"pooling: {SUM} is of kind {SPLADE}. Write one of: {', '.join(sorted(POOLINGS))}."]
    return []


def _backend_problems(entry: Mapping[str, Any]) -> list[str]:
    """What the other backends cannot do."""
    backend = entry.get("backend", TORCH)
    if backend == TORCH:
        return []
    problems = []
    if entry.get("dtype", FLOAT32) != FLOAT32:
        problems.append(
            f"dtype: the backend {backend} computes in float32 here. Leave dtype out, or write backend: "
            "torch."
        )
    if entry.get("pooling") in tuple(LAYER_POOLINGS):
        problems.append(
            f"pooling: {entry['pooling']} reads inner layers, which the backend {backend} does not "
            "give. Write "
            "backend: torch, or a pooling of the last layer."
        )
    return problems


def _device_problems(value: Any) -> list[str]:
    """What is wrong with the key ``device`` of a model entry, one sentence each.

    Parameters
    ----------
    value
        The name of a device, a list of them, or None for the best there is.
    """
    names = value if isinstance(value, list) else [value]
    if value is None:
        return []
    wrong = [name for name in names if not isinstance(name, str) or not _DEVICE.fullmatch(name)]
    if wrong or not names:
        return [f"device: {value!r} is not a device. Write cpu, cuda, cuda:1, mps, or [cuda:0, cuda:1]."]
    kinds = {name.partition(":")[0] for name in names}
    if len(names) > 1 and (len(kinds) > 1 or len(set(names)) < len(names)):
        return [
            f"device: {value!r}: several devices are different ones of one kind, such as [cuda:0, cuda:1], "
            "for another kind gives other last bits. A processor is named once: its threads work together."
        ]
    if len(names) > 1 and not all(":" in name for name in names):
        return [f"device: {value!r}: several devices are named by number, such as [cuda:0, cuda:1]."]
    return []
