import os

import pytest

from sentflow.jobs.machine import instructions, prepare_environment, processor_name


def test_the_processor_is_called_as_the_machine_calls_it(tmp_path):
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: A Processor 9000\nmodel name\t: other\n")
    assert processor_name(tmp_path / "cpuinfo") == "A Processor 9000"
    assert processor_name(tmp_path / "not-there")
    (tmp_path / "cpuinfo").write_text("flags\t\t: fpu sse4_2 avx avx2\n")
    assert (instructions(tmp_path / "cpuinfo"), instructions(tmp_path / "not-there")) == ("AVX2", "")


@pytest.mark.parametrize("told", [{}, {"OMP_WAIT_POLICY": "ACTIVE"}])
def test_threads_that_wait_leave_their_core_unless_the_user_says_otherwise(monkeypatch, told):
    monkeypatch.setattr(os, "environ", dict(told))
    prepare_environment(2)
    assert os.environ["OMP_WAIT_POLICY"] == told.get("OMP_WAIT_POLICY", "PASSIVE")
