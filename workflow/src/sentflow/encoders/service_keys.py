"""Keys of services: each is for the host that its owner names beside it, and is sent to no other.

A configuration may come from a stranger. It can only name a key that was put into the shell for services, never
another secret, and it cannot say where that key goes::

    export SENTFLOW_KEY_LAB=… SENTFLOW_HOST_LAB=api.example.org

Standard library only: the Snakefile imports this module in every job.
"""

import os
import re
from collections.abc import Mapping

from sentflow.errors import ConfigError
from sentflow.jobs.secrecy import KEY_PREFIX, SHORTEST_SECRET

HOST_PREFIX = "SENTFLOW_HOST_"

_NAME = re.compile(f"{KEY_PREFIX}[A-Z0-9_]+")
# A key travels in a header: it is one word of visible ASCII.
_KEY = re.compile(r"[\x21-\x7e]+")
# Strict, so that no two readers of an address can find different hosts in it.
_ADDRESS = re.compile(
    r"(?:(?P<scheme>https?)://)?(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?(?:/[!-~]*)?",
    re.IGNORECASE,
)
_PORTS = {"https": 443, "http": 80}
_THIS_MACHINE = ("localhost", "127.0.0.1", "[::1]")


def is_key_variable(name: object) -> bool:
    """Whether a configuration may name a variable as the one that holds a key."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def host_variable(variable: str) -> str:
    """The variable that names the host of a key: ``SENTFLOW_HOST_LAB`` for ``SENTFLOW_KEY_LAB``."""
    return HOST_PREFIX + variable.removeprefix(KEY_PREFIX)


def read_key(variable: str, url: str, environment: Mapping[str, str] | None = None) -> str:
    """The key of a variable ``SENTFLOW_KEY_…``, if it may be sent to an address; it is never shown.

    Raises ConfigError: there is no key, or its owner did not name the host of the address.
    """
    known = os.environ if environment is None else environment
    if not is_key_variable(variable):
        raise ConfigError(f"key_variable: {how_to_name(url)}")
    key, hosts = known.get(variable, "").strip(), known.get(host_variable(variable), "")
    name = variable.removeprefix(KEY_PREFIX)
    if not key:
        raise ConfigError(
            f"key_variable: the environment variable {variable} is not set. In the shell that starts snakemake, not in "
            f"a file of the project, set the key and name its host: {_exports(name, url)}"
        )
    # Checked here, because the HTTP library would repeat it in its error
    if not _KEY.fullmatch(key) or len(key) < SHORTEST_SECRET:
        raise ConfigError(
            f"key_variable: the environment variable {variable} holds no key: one word of at least {SHORTEST_SECRET} "
            "characters. Set it again, or leave key_variable out if the service asks for no key."
        )
    if not hosts.strip():
        raise ConfigError(
            f"key_variable: no host is named for the key in {variable}, and the configuration sends it to "
            f"{url}. If the key is of that service, say so in the shell that starts snakemake: "
            f"export {host_variable(variable)}={_named(url)}"
        )
    if not any(_origins(url) & _origins(host) for host in hosts.split()):
        raise ConfigError(
            f"key_variable: {host_variable(variable)} says that the key in {variable} is for {hosts.strip()}, and the "
            f"configuration would send it to {url}. A host is its port too, and https unless http:// is written before "
            "it. Correct the address; or, if the key is of that service, write in the shell that starts snakemake: "
            f"export {host_variable(variable)}={_named(url)}"
        )
    return key


def how_to_name(url: object) -> str:
    """What to write instead of another variable so that a key is sent to an address."""
    return (
        "a configuration of others could send any secret of your shell to any address, so keys of services have names "
        f"of their own. Write {KEY_PREFIX}NAME with a NAME that you choose, and in the shell that starts snakemake: "
        + _exports("NAME", url)
    )


def _exports(name: str, url: object) -> str:
    return f"export {KEY_PREFIX}{name}=… {HOST_PREFIX}{name}={_named(url)}"


def _origins(address: str) -> set[str]:
    """Scheme, host and port that an address or a host means, https without a scheme; none if it is neither."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return set()
    host = found["host"].lower()
    either = ("https", "http") if host in _THIS_MACHINE else ("https",)
    schemes = (found["scheme"].lower(),) if found["scheme"] else either
    return {f"{scheme}://{host}:{int(found['port'] or _PORTS[scheme])}" for scheme in schemes}


def _named(url: object) -> str:
    """The shortest way to name the host of an address beside its key."""
    found = _ADDRESS.fullmatch(url) if isinstance(url, str) else None
    if found is None or not found["scheme"]:
        return "api.example.org"
    host = found["host"].lower() + (f":{found['port']}" if found["port"] else "")
    return host if _origins(str(url)) <= _origins(host) else f"{found['scheme'].lower()}://{host}"
