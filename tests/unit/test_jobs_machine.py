from sentflow.jobs.machine import instructions, processor_name


def test_the_processor_is_called_as_the_machine_calls_it(tmp_path):
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: A Processor 9000\nmodel name\t: other\n")
    assert processor_name(tmp_path / "cpuinfo") == "A Processor 9000"
    assert processor_name(tmp_path / "not-there")
    (tmp_path / "cpuinfo").write_text("flags\t\t: fpu sse4_2 avx avx2\n")
    assert (instructions(tmp_path / "cpuinfo"), instructions(tmp_path / "not-there")) == ("AVX2", "")
