"""Files of the workflow as built-in types."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

try:
    from yaml import CSafeLoader as SafeLoader  # ten times faster
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]


@cache
def read_yaml(path: Path) -> Any:
    """A YAML file of the workflow, which must not be changed in place."""
    with path.open(encoding="utf-8") as stream:
        return yaml.load(stream, Loader=SafeLoader)
