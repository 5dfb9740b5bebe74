"""Fixtures for every test."""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from processor_settings import VARIABLE

# On a busy machine any example may take long; that says nothing about the code.
settings.register_profile("sentflow", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# As another processor the same formulas are computed again: what examples find, they have found before.
settings.register_profile("another processor", settings.get_profile("sentflow"), max_examples=20)
settings.load_profile("another processor" if VARIABLE in os.environ else "sentflow")

# Packages whose results are sums of floats, or orders of such sums: their tests are run again as other processors
_COMPUTING = [
    *("compare", "encoders", "geometry", "probing", "retrieval", "similarity", "sparse"),
    *("stats", "training"),
]
_TESTS = Path(__file__).parent
_BESIDE_THE_REPOSITORY = Path(__file__).parents[2] / "shared" / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let random cases be tried more often than there is time for after every change."""
    parser.addoption("--thorough", action="store_true", help="three times as many random kills and inputs")


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> int:
    """By what to multiply the number of random cases: 3 with --thorough, else 1."""
    return 3 if request.config.getoption("thorough") else 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that are run again as other processors, by where they lie (`make nightly-processors`)."""
    for item in items:
        folder, first, *_ = item.path.relative_to(_TESTS).parts
        computing = first in _COMPUTING or first.startswith(tuple(f"test_{name}_" for name in _COMPUTING))
        if folder == "golden" or (folder == "unit" and computing):
            item.add_marker("numeric")


def pytest_collection_finish() -> None:
    """Let the garbage collector no longer look at libraries and tests, which stay until the end."""
    gc.freeze()


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder with the mirror of real data; skips the test where there is none.

    It is the first entry of the environment variable SENTFLOW_MIRROR or, without it, ../shared/data beside
    the repository.
    """
    entries = os.environ.get("SENTFLOW_MIRROR", "").split()
    folder = Path(entries[0]) if entries else _BESIDE_THE_REPOSITORY
    if not folder.is_dir():
        pytest.skip(f"no mirror of real data at {folder}; name one in SENTFLOW_MIRROR")
    return folder.resolve()
