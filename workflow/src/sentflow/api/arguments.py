"""Arguments of an evaluator, checked before anything is downloaded; those of `kwargs_train` as published."""

import logging
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError, instead
from sentflow.probing.settings import ProbeProtocol

logger = logging.getLogger(__name__)

DEFAULT_PROCESSES = 5  # published evaluator, f2a12c2; never more than the machine has

# kwargs_train → field of the protocol, smallest and largest value (None: no limit)
_NUMBERS: dict[str, tuple[str, int, int | None]] = {
    "batch_size": ("batch_size", 1, None),
    "n_repeats": ("repetitions", 1, None),
    "k_fold": ("folds", 2, None),
    "n_epochs": ("max_epochs", 1, None),
    "tenacity": ("patience", 0, None),
    "random_state": ("seed", 0, 2**32 - 1),
}
_SHARES = {"eval_frac": "evaluation_share", "early_stopping_rel_improv": "min_improvement"}
_OTHERS = ("n_processes", "device", "show_progress_bar", "hidden_dims")
NAMES = (*_OTHERS, *_NUMBERS, *_SHARES)


class ArgumentError(ConfigError, ValueError):
    """An argument that does not exist or does not fit; a `ValueError`, as callers of the published class expect."""


@dataclass(frozen=True)
class TrainArguments:
    """`kwargs_train`, checked and complete.

    Attributes
    ----------
    protocol
        The protocol of the evaluator with what the caller changed.
    n_processes
        Processes that train folds side by side; 1 is the caller's own.
    show_progress_bar
        Whether to show one.
    """

    protocol: ProbeProtocol
    n_processes: int
    show_progress_bar: bool

    @classmethod
    def parse(
        cls, given: Mapping[str, Any] | None, *, protocol: ProbeProtocol, one_process: bool
    ) -> "TrainArguments":
        """Check the caller's mapping, which stays as it is."""
        given = given or {}
        problems = [_unknown(name) for name in given if name not in NAMES]
        problems += [_misfit(name, value) for name, value in given.items() if name in NAMES]
        if one_process and "n_processes" in given:
            problems.append(
                "kwargs_train.n_processes does not go with disable_multiprocessing=True. Leave one out."
            )
        if told := [problem for problem in problems if problem]:
            raise ArgumentError(" ".join(told))
        if str(given.get("device") or "cpu") != "cpu":
            logger.warning("kwargs_train.device has no effect: probes are trained on the processor")
        return cls(
            protocol=protocol.but(**_training(given)),
            n_processes=1 if one_process else int(given.get("n_processes", _default_processes())),
            show_progress_bar=bool(given.get("show_progress_bar", True)),
        )


def _unknown(name: str) -> str:
    return f"kwargs_train has no key {name!r}. {instead(str(name), sorted(NAMES))}"


def _misfit(name: str, value: Any) -> str:
    """What is wrong with a value; empty if nothing."""
    if name == "n_processes" and not _is_integer(value):  # published: 1 and less mean one process
        return f"kwargs_train.n_processes is {value!r}. Write a whole number."
    if name in _NUMBERS:
        _, low, high = _NUMBERS[name]
        if not _is_integer(value) or value < low or (high is not None and value > high):
            limits = f"from {low} to {high}" if high is not None else f"of at least {low}"
            return f"kwargs_train.{name} is {value!r}. Write a whole number {limits}."
    elif name == "eval_frac":
        if not isinstance(value, float) or not 0 < value < 1:
            return f"kwargs_train.eval_frac is {value!r}. Write a share between 0 and 1, e.g. 0.2."
    elif name == "early_stopping_rel_improv":
        if not isinstance(value, int | float) or value != value:
            return f"kwargs_train.early_stopping_rel_improv is {value!r}. Write a number, e.g. 0.0025."
    elif name == "hidden_dims" and value is not None:
        is_list = isinstance(value, Sequence) and not isinstance(value, str)
        if not is_list or len(value) > 1 or not all(_is_integer(width) and width > 0 for width in value):
            return (
                f"kwargs_train.hidden_dims is {value!r}. Write None or [] for a logistic probe, or one "
                "width, e.g. [256]: probes have at most one hidden layer."
            )
    return ""


def _is_integer(value: Any) -> bool:
    # the integers of numpy too, but not truth values
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _training(given: Mapping[str, Any]) -> dict[str, Any]:
    """The caller's settings by the names that protocols have for them."""
    found: dict[str, Any] = {
        **{field: int(given[name]) for name, (field, _, _) in _NUMBERS.items() if name in given},
        **{field: float(given[name]) for name, field in _SHARES.items() if name in given},
    }
    if "hidden_dims" not in given:
        return found
    widths = [int(width) for width in given["hidden_dims"] or ()]
    return {
        **found,
        "classifier": "mlp" if widths else "logistic",
        **({"hidden_width": widths[0]} if widths else {}),
    }


def _default_processes() -> int:
    # a cluster job may use fewer processors than the machine has
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(DEFAULT_PROCESSES, usable)


SPLITS = ("all", "train", "eval", "test")


def check_encoder(model: Any) -> None:
    """Refuse a model without `encode`."""
    if isinstance(model, str | Path):
        raise ArgumentError(
            f"sentence_model is the text {str(model)!r}. Write SentenceTransformer({str(model)!r}), the "
            "model itself; or 'path/to/file.py:ClassName' for a class of your own."
        )
    if not callable(getattr(model, "encode", None)):
        lazy = callable(getattr(model, "transform", None))
        advice = "override embed" + (
            ", or use UlyssesSentEvalLazy, which fits and transforms" if lazy else ""
        )
        raise ArgumentError(
            f"sentence_model is a {type(model).__name__}, which has no method encode. To use it, {advice}."
        )


def check_vectoriser(model: Any) -> None:
    """Refuse a model that cannot be cloned, fitted and asked for vectors."""
    missing = [name for name in ("fit", "transform", "get_params") if not hasattr(model, name)]
    if missing:
        raise ArgumentError(
            f"sentence_model is a {type(model).__name__}, which has no {', '.join(missing)}. Give a "
            "vectoriser of scikit-learn, or override embed."
        )


def check_split(data_split: str) -> None:
    """Refuse a split that is none of `SPLITS`."""
    if data_split not in SPLITS:
        raise ArgumentError(f"data_split is {data_split!r}. {instead(str(data_split), SPLITS)}")


def check_name(name: str | None) -> None:
    """Refuse a model's name that cannot be a file's."""
    if name is None or not re.fullmatch(r"[\w.+-]*\w[\w.+-]*", name):
        raise ArgumentError(
            f"model_name is {name!r}. With results_dir, the name may have letters, digits, dots, hyphens and "
            "underscores: it becomes a file name."
        )


def cache_folder(cache_dir: str | Path, key: str) -> str:
    """The folder of one model in the cache; the key may hold slashes, as names of the hub do."""
    folder = os.path.normpath(Path(expanded(cache_dir)) / key)
    if Path(expanded(cache_dir)) not in Path(folder).parents:
        raise ArgumentError(f"cache_embed_key is {key!r}. Write a name, not a path outside cache_dir.")
    return folder


def expanded(path: str | Path) -> str:
    """An absolute path, with ``~`` and environment variables filled in."""
    return os.path.normpath(Path(os.path.expandvars(path)).expanduser().absolute())
