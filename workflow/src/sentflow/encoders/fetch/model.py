"""From a model entry to a manifest: the module that fetches its kind is imported by name."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from sentflow.encoders.kinds.contract import FetchModule
from sentflow.encoders.kinds.table import KINDS
from sentflow.encoders.manifest import Manifest
from sentflow.errors import ConfigError, DataError


def fetch_model(
    name: str, entry: Mapping[str, Any], folder: Path, *, mirrors: Sequence[str] = ()
) -> Manifest:
    """Obtain a model, verify it and describe it.

    `entry`: the part of its entry that `sentflow.encoders.entries.fetch_settings` gives, without problems.
    """
    module = cast("FetchModule", import_module(KINDS[entry["kind"]].fetcher))
    try:
        return module.fetch(entry, folder, mirrors)
    except ConfigError as error:
        raise ConfigError(f"models.{name}: {error}") from error
    except DataError as error:
        raise DataError(f"models.{name}: {error}") from error
