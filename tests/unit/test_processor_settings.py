"""Other processors on this one: every library computes as it was told, or the test fails."""

import os
from pathlib import Path

import pytest

import sentflow
from processor_settings import PROCESSORS, VARIABLE

PACKAGE = Path(sentflow.__file__).parent


@pytest.mark.numeric
def test_this_process_computes_as_it_was_started():
    if VARIABLE not in os.environ:
        pytest.skip(f"{VARIABLE} is not set: started as the processor of this machine")
    assert PROCESSORS[os.environ[VARIABLE]].problems() == []
