"""Other processors on this one: every library computes as it was told, or the test fails."""

import os

import pytest

from processor_settings import PROCESSORS, VARIABLE


@pytest.mark.numeric
def test_this_process_computes_as_it_was_started():
    if VARIABLE not in os.environ:
        pytest.skip(f"{VARIABLE} is not set: started as the processor of this machine")
    assert PROCESSORS[os.environ[VARIABLE]].problems() == []
