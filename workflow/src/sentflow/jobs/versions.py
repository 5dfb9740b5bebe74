"""Versions of libraries, as results hold them."""

from importlib.metadata import PackageNotFoundError, version


def library_version(distribution: str) -> str:
    """Installed version of a distribution, or ``"absent"``; nothing is imported."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"
