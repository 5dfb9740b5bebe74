"""Files of a job's own on the storage of a run, through Snakemake's plugins (S3, a file system and so on).

For copies whose loss costs time only: no failure is an error, but each is logged. Keys and addresses are those that the
plugin reads from the environment, which jobs on other machines have, too.
"""

import asyncio
import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from sentflow.files.atomic import atomic

logger = logging.getLogger(__name__)
_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Storage:
    """A place below the prefix of a provider, e.g. ``s3`` and ``s3://lab/run1/results/cache``."""

    provider: str
    prefix: str

    def put(self, file: Path, name: str) -> bool:
        """Whether a file was stored under a name."""
        return bool(
            self._tried("stored", name, file, lambda found: asyncio.run(found.managed_store()) or True)
        )

    def get(self, name: str, file: Path) -> bool:
        """Whether there is a file of a name, and it was fetched; it is there whole or not at all."""

        def fetch(found: Any) -> bool:
            if not found.exists():
                return False
            with atomic(file) as part:
                found.set_local_path(part)
                asyncio.run(found.managed_retrieve())
            return True

        return bool(self._tried("fetched", name, file, fetch))

    def newest(self, names: Iterable[str]) -> list[str]:
        """Those of these names that are there, the newest first."""
        times = {
            name: self._tried(
                "found", name, Path(name), lambda found: found.mtime() if found.exists() else None
            )
            for name in names
        }
        return sorted((name for name, time in times.items() if time is not None), key=times.get, reverse=True)  # type: ignore[arg-type]

    def has(self, name: str) -> bool:
        """Whether there is a file of a name."""
        return bool(self._tried("found", name, Path(name), lambda found: found.exists()))

    def delete(self, name: str) -> None:
        """Delete a file of a name if there is one."""
        self._tried(
            "deleted",
            name,
            Path(name),
            lambda found: asyncio.run(found.managed_remove()) if found.exists() else None,
        )

    def _tried(self, done: str, name: str, file: Path, act: Callable[[Any], _Found]) -> _Found | None:
        query = f"{self.prefix.rstrip('/')}/{name}"
        try:
            return act(self._object(query, file))
        except Exception as error:  # noqa: BLE001 (plugins raise errors of all libraries)
            logger.warning("%s could not be %s, which costs time only: %s", query, done, error)
            return None

    def _object(self, query: str, file: Path) -> Any:
        from snakemake_interface_storage_plugins.registry import StoragePluginRegistry

        plugin = StoragePluginRegistry().get_plugin(self.provider)
        settings = None
        if plugin.settings_cls:
            named = [one.name for one in fields(plugin.settings_cls) if one.metadata.get("env_var")]
            variables = {name: os.environ.get(plugin.get_envvar(name)) for name in named}
            settings = plugin.settings_cls(**{name: value for name, value in variables.items() if value})
        # A prefix that is not there would be made; the file has a place of its own
        provider = plugin.storage_provider(
            local_prefix=Path(), logger=logger, settings=settings, keep_local=True
        )
        found = provider.object(query)
        found.set_local_path(file)
        return found
