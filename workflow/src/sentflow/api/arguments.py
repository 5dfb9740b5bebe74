"""Arguments of an evaluator, checked before anything is downloaded; those of `kwargs_train` as published."""

import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from sentflow.config.model import Count, Int, Settings, mistakes
from sentflow.errors import ConfigError, instead
from sentflow.probing.settings import ProbeProtocol

logger = logging.getLogger(__name__)


class ArgumentError(ConfigError, ValueError):
    """An argument that does not exist or does not fit; a `ValueError`, as callers of the published class expect."""


# --- kwargs_train -------------------------------------------------------------------------------------------


class KwargsTrain(Settings):
    """`kwargs_train`: fields of the protocol under their published names; what is left out is that of the protocol."""

    n_processes: Int = 5
    device: Any = None
    show_progress_bar: Any = True
    hidden_dims: Annotated[tuple[Count, ...], Field(strict=False, max_length=1)] | None = ()
    batch_size: Count = 128
    repetitions: Count = Field(10, alias="n_repeats")
    folds: Int = Field(5, ge=2, alias="k_fold")
    max_epochs: Count = Field(100, alias="n_epochs")
    patience: Int = Field(5, ge=0, alias="tenacity")
    seed: Int = Field(9847706, ge=0, le=2**32 - 1, alias="random_state")
    evaluation_share: float = Field(0.2, gt=0, lt=1, alias="eval_frac")
    min_improvement: float = Field(
        0.0025, strict=False, allow_inf_nan=False, alias="early_stopping_rel_improv"
    )


class TrainArguments(NamedTuple):
    """The protocol with what the caller changed; processes that train folds side by side, 1 is the caller's own."""

    protocol: ProbeProtocol
    n_processes: int
    show_progress_bar: bool


def train_arguments(
    given: Mapping[str, Any] | None, *, protocol: ProbeProtocol, one_process: bool
) -> TrainArguments:
    """Check the caller's `kwargs_train`, which stays as it is."""
    plain = {name: _plain(value) for name, value in (given or {}).items()}
    wrong = [str(mistake) for mistake in mistakes(KwargsTrain, plain, where="kwargs_train")]
    if one_process and "n_processes" in plain:
        wrong.append("kwargs_train.n_processes does not go with disable_multiprocessing=True. Leave one out.")
    if wrong:
        raise ArgumentError(" ".join(wrong))
    kwargs = KwargsTrain.model_validate(plain)
    if str(kwargs.device or "cpu") != "cpu":
        logger.warning("kwargs_train.device has no effect: probes are trained on the processor")
    of_callers = {"n_processes", "device", "show_progress_bar", "hidden_dims"}
    changes = {field: getattr(kwargs, field) for field in kwargs.model_fields_set - of_callers}
    if "hidden_dims" in plain:
        changes["classifier"] = "mlp" if kwargs.hidden_dims else "logistic"
        if kwargs.hidden_dims:
            changes["hidden_width"] = kwargs.hidden_dims[0]
    # a cluster job may use fewer processors than the machine has
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    n_processes = kwargs.n_processes if "n_processes" in plain else min(kwargs.n_processes, usable)
    return TrainArguments(
        protocol.but(**changes), 1 if one_process else n_processes, bool(kwargs.show_progress_bar)
    )


def _plain(value: Any) -> Any:
    """Numbers of NumPy as those of Python."""
    if isinstance(value, list | tuple):
        return [*map(_plain, value)]
    return value.item() if hasattr(value, "item") else value


# --- others -------------------------------------------------------------------------------------------------

SPLITS = ("all", "train", "eval", "test")


def check_encoder(model: Any) -> None:
    """Refuse a model without `encode`."""
    if isinstance(model, str | Path):
        raise ArgumentError(
            f"sentence_model is the string {str(model)!r}. Write SentenceTransformer({str(model)!r}), the "
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
