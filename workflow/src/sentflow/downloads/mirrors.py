"""Where a file of the catalog may be found: mirrors first, then the addresses of the catalog itself.

A mirror is a folder or a base URL that holds copies of other hosts' files. What it holds is never trusted:
the checksum of the catalog decides, not the place.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from urllib.request import url2pathname

from sentflow.config.datasets import SAMPLES
from sentflow.errors import ConfigError
from sentflow.flow.environment import workflow_folder

MIRROR_VARIABLE = "SENTFLOW_MIRROR"
_RAW_GITHUB = "raw.githubusercontent.com"
_ONLY_MIRRORS = "mirror"  # scheme of a file that has no public address

Place = str | Path
"""Where a file may lie: an http(s) address, or a path of this machine."""


def mirrors_in_use(configured: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """The mirrors of the config, then those of the environment, each once.

    The variable may name several, separated by white space: neither ``:`` nor ``;`` would do, for both occur
    in addresses. A folder with a space in its name can be given in the config.
    """
    return list(dict.fromkeys([*configured, *environment.get(MIRROR_VARIABLE, "").split()]))


def is_remote(address: str) -> bool:
    """Whether an address is not a path of this machine: it needs the network, or a mirror (``mirror://path``)."""
    scheme, separator, _ = address.partition("://")
    if not separator or scheme.lower() == "file" or address.startswith(SAMPLES):
        return False
    if scheme.lower() in ("http", "https", _ONLY_MIRRORS):
        return True
    raise ConfigError(
        f"{address}: write an address that starts with http://, https:// or file://, or a path."
    )


def names_in_mirror(address: str) -> list[str]:
    """Relative names under which a mirror may hold the file of a remote address, the surest first.

    A raw GitHub file lies at ``github/<owner>/<name>/<commit>/<path>``, any other at ``<host>/<path>``, and
    ``mirror://path`` at that path. Where
    the address has a query, which may be all that tells two files of a host apart, the name with its query
    comes first (as ``wget --force-directories`` writes it), then the name without.

    Raises ConfigError: the address has no host, or its path holds ``..`` and would leave the mirror.
    """
    parts = urlsplit(address)
    if not parts.hostname:
        raise ConfigError(f"{address}: no host. Write an address like https://host/path.")
    host = "github" if parts.hostname == _RAW_GITHUB else parts.hostname
    path = unquote(parts.path).strip("/")
    if ".." in path.split("/"):
        raise ConfigError(f"{address}: an address with '..' in its path cannot be looked up in a mirror.")
    name = f"{host}/{path}"
    return [f"{name}?{parts.query}", name] if parts.query else [name]


def places(addresses: Sequence[str], mirrors: Sequence[str]) -> list[Place]:
    """Every place to try for a file, in order: each mirror for each remote address, then the addresses.

    `addresses`: of the catalog: http(s) addresses, ``mirror://`` for files that only mirrors have, ``file://``
    addresses or paths.
    """
    names = [name for address in addresses if is_remote(address) for name in names_in_mirror(address)]
    in_mirrors = [_in_mirror(mirror, name) for mirror in mirrors for name in names]
    direct = [
        address if is_remote(address) else local_path(address)
        for address in addresses
        if not address.lower().startswith(f"{_ONLY_MIRRORS}://")
    ]
    return list(dict.fromkeys([*in_mirrors, *direct]))


def local_path(address: str) -> Path:
    """The path that an address of this machine or a plain path means; ``~`` is the home folder."""
    if address.startswith(SAMPLES):
        return workflow_folder() / "catalog" / "samples" / address.removeprefix(SAMPLES)
    if address.lower().startswith("file://"):
        return Path(url2pathname(urlsplit(address).path))
    return Path(address).expanduser()


def _in_mirror(mirror: str, name: str) -> Place:
    if is_remote(mirror):
        # A query of the original address is part of a file name here, so that its characters are quoted.
        return f"{mirror.rstrip('/')}/{quote(name)}"
    return local_path(mirror) / name
