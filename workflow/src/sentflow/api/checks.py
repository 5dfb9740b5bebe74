"""What an evaluator is given, checked before anything is downloaded."""

import os
import re
from pathlib import Path
from typing import Any

from sentflow.api.arguments import ArgumentError
from sentflow.errors import instead

SPLITS = ("all", "train", "eval", "test")


def check_encoder(model: Any) -> None:
    """Refuse a model without `encode`."""
    if isinstance(model, str | Path):
        raise ArgumentError(
            f"sentence_model is the text {str(model)!r}. Write SentenceTransformer({str(model)!r}), the "
            "model "
            "itself; or 'path/to/file.py:ClassName' for a class of your own."
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
            "vectoriser of "
            "scikit-learn, or override embed."
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
