"""Settings that several jobs have in common."""

from collections.abc import Mapping
from typing import Any

from sentflow.errors import ConfigError


def described(settings: Mapping[str, Any], section: str, name: str) -> Mapping[str, Any]:
    """The entry of a task, encoder, pair set … in the settings.

    Raises
    ------
    ConfigError
        There is a result of something that the settings do not know.
    """
    entries: Mapping[str, Any] = settings.get(section, {})
    if name not in entries:
        raise ConfigError(
            f"there are results of {name!r}, but the settings under {section!r} know only: "
            f"{', '.join(entries) or 'nothing'}."
        )
    entry: Mapping[str, Any] = entries[name]
    return entry
