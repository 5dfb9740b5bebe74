"""The classes of scikit-learn that an entry may name, and the arguments that it may give to each.

Closed by default, for an argument can be a wish to read the files that texts name (`input`), or code. `dtype` is left
out too, for it changes no vector here.

Asked when a configuration is read, and again before anything is built. Standard library only: the Snakefile imports
this module in every job.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

STEP_KEYS = ("class", "arguments")
SEED = "random_state"
REDUCER = "sklearn.decomposition.TruncatedSVD"

_TEXT = "strip_accents lowercase stop_words token_pattern ngram_range analyzer binary"
_COUNTS = f"{_TEXT} max_df min_df max_features vocabulary"
_ARGUMENTS = {
    "sklearn.feature_extraction.text.CountVectorizer": _COUNTS,
    "sklearn.feature_extraction.text.HashingVectorizer": f"{_TEXT} n_features norm alternate_sign",
    "sklearn.feature_extraction.text.TfidfVectorizer": f"{_COUNTS} norm use_idf smooth_idf sublinear_tf",
    REDUCER: "n_components algorithm n_iter n_oversamples power_iteration_normalizer tol random_state",
}
# Dotted name of a class → the arguments that it may be given.
ALLOWED = {name: tuple(arguments.split()) for name, arguments in _ARGUMENTS.items()}


def step_problems(where: str, entry: Mapping[str, Any]) -> list[str]:
    """What is wrong with the steps of a scikit-learn entry, as far as can be told without scikit-learn.

    Classes and arguments are allowed by list, see `ALLOWED`.

    `entry`: has either ``class`` and perhaps ``arguments``, or ``pipeline``: a list of such maps.
    """
    if ("class" in entry) == ("pipeline" in entry):
        return [
            f"{where}: an encoder of kind scikit-learn is one class or several. Write either class: "
            "sklearn.… or pipeline: with a list of steps that have a class each."
        ]
    if "class" in entry:
        step = {key: entry[key] for key in STEP_KEYS if key in entry}
        return [*_problems_of_step(where, step), *_problems_of_order(where, [step])]
    problems = []
    if "arguments" in entry:
        problems.append(f"{where}.arguments: these belong to a step of the pipeline. Write them there.")
    steps = entry["pipeline"]
    if not isinstance(steps, list) or not steps:
        return [*problems, f"{where}.pipeline: write a list of steps, each a map with the key class."]
    for number, step in enumerate(steps):
        problems += _problems_of_step(f"{where}.pipeline.{number}", step)
    return problems or _problems_of_order(f"{where}.pipeline", steps)


def _problems_of_step(where: str, step: Any) -> list[str]:
    if not isinstance(step, Mapping) or "class" not in step:
        return [f"{where}: a step is a map. Write class: sklearn.…, and arguments: {{…}} if it needs any."]
    problems = [
        f"{where}.{key}: a step has no such key. Known: {', '.join(STEP_KEYS)}."
        for key in step
        if key not in STEP_KEYS
    ]
    name = step["class"]
    if not isinstance(name, str) or name not in ALLOWED:
        return [
            *problems,
            f"{where}.class: {name!r} is no class that an entry may name. {_other_class(name)} Any other class may be "
            "called by a custom class of your own (docs/own-encoder.md).",
        ]
    arguments = step.get("arguments", {})
    if not isinstance(arguments, Mapping):
        return [*problems, f"{where}.arguments: write a map of names and values."]
    if SEED in ALLOWED[name] and arguments.get(SEED) is None:
        problems.append(
            f"{where}: {name} draws random numbers, and equal runs must give equal numbers. Write a seed into its "
            f"arguments, e.g. {SEED}: 1."
        )
    for key, value in arguments.items():
        problems += _problems_of_argument(f"{where}.arguments.{key}", key, value, known=ALLOWED[name])
    return problems


def _problems_of_order(where: str, steps: list[Mapping[str, Any]]) -> list[str]:
    first, *others = (step["class"] for step in steps)
    if first == REDUCER:
        return [
            f"{where}: the first step, {first}, does not read texts. Begin with a vectoriser, e.g. "
            "sklearn.feature_extraction.text.TfidfVectorizer."
        ]
    return [
        f"{where}: {other} reads texts, so it can only be the first step. Write it first, or leave it out."
        for other in others
        if other != REDUCER
    ]


def _other_class(name: Any) -> str:
    wanted = str(name).rpartition(".")[2].lower()
    by_name = {allowed.rpartition(".")[2].lower(): allowed for allowed in ALLOWED}
    near = get_close_matches(wanted, by_name, n=2, cutoff=0.6)
    if near:
        return f"Did you mean {' or '.join(by_name[key] for key in near)}?"
    return f"Write one of: {', '.join(sorted(ALLOWED))}."


def _problems_of_argument(where: str, key: Any, value: Any, *, known: tuple[str, ...]) -> list[str]:
    if key not in known:
        return [
            f"{where}: this argument is not on the list of an entry. Leave it out if it changes no vector (dtype); "
            f"arguments that read files or name code are refused. Write only: {', '.join(sorted(known))}."
        ]
    items = value if isinstance(value, list) else [value]
    if any(item is not None and not isinstance(item, bool | int | float | str) for item in items):
        return [f"{where}: write a number, a word, true, false, null, or a list of such."]
    return []
