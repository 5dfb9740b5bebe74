"""How mistakes of a configuration are reported: all at once, each with its place and what to write instead."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sentflow.config.entries import as_map
from sentflow.errors import ConfigError, instead
from sentflow.jobs.secrecy import without_secrets

_LONGEST, _KEPT_AT_END = 1500, 400  # characters of a problem


def refuse(problems: Sequence[str]) -> None:
    """Raise `mistakes` if there are any."""
    if problems:
        raise mistakes(problems)


def mistakes(problems: Sequence[str]) -> ConfigError:
    """The error that lists problems, each once."""
    problems = list(dict.fromkeys(problems))
    count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
    # a schema repeats the value that it refuses
    listed = "\n".join(f"  - {_shortened(problem)}" for problem in problems)
    return ConfigError(without_secrets(f"the configuration has {count}:\n{listed}"))


def _shortened(problem: str) -> str:
    """Without the middle of what is too long to be read."""
    left_out = len(problem) - _LONGEST
    if left_out <= 0:
        return problem
    start, end = problem[: _LONGEST - _KEPT_AT_END], problem[-_KEPT_AT_END:]
    return f"{start} … ({left_out:,} characters) … {end}"


def made_of_seeds(name: str, known: Mapping[str, Any]) -> list[str]:
    """The entries that an entry with several seeds was written out as."""
    return [
        key
        for key, entry in known.items()
        if as_map(entry).get("seed_of") == name or key.startswith(f"{name}-seed-")
    ]


def unknown(place: str, noun: str, name: str, known: Iterable[str]) -> str:
    """A message that a name does not exist, with the names that do; or that it stands for several."""
    if isinstance(known, Mapping) and (made := made_of_seeds(name, known)):
        return f"{place}: {name} stands for one {noun} per seed. Write one of: {', '.join(made)}."
    return f"{place}: there is no {noun} {name!r}. {instead(name, sorted(known))}"


def not_reported(problems: Iterable[str], reported: Iterable[str]) -> list[str]:
    """Problems of entries without those at a place that is reported, or that holds a reported one."""
    places = [_place(problem) + "." for problem in reported]

    def is_reported(place: str) -> bool:
        return "." in place and any(other.startswith(place + ".") for other in places)

    return [problem for problem in problems if not is_reported(_place(problem))]


def _place(problem: str) -> str:
    return problem.partition(": ")[0]
