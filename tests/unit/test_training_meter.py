"""Energy and memory: counters of fake files, in any number, full, unreadable, absent."""

from sentflow.jobs.machine import instructions, processor_name
from sentflow.training.meter import Energy, Meter

FULL = 262_143_328_850  # microjoules, as processors have it


def write_package(folder, name, microjoules, full=FULL):
    package = folder / name
    package.mkdir(parents=True, exist_ok=True)
    (package / "energy_uj").write_text(f"{microjoules}\n")
    (package / "max_energy_range_uj").write_text(f"{full}\n")


def test_packages_are_added_without_their_parts_and_a_full_counter_goes_on(tmp_path):
    for name in ("intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0"):
        write_package(tmp_path, name, FULL - 1_000_000)
    energy = Energy(tmp_path)
    for name, microjoules in (("intel-rapl:0", 1), ("intel-rapl:1", 2), ("intel-rapl:0:0", 99)):
        write_package(tmp_path, name, microjoules * 1_000_000)
    assert energy.joules() == 5.0  # 1 + 1 J and 1 + 2 J
    write_package(tmp_path, "intel-rapl:0", 3_000_000)
    assert energy.joules() == 7.0  # since it was made, not since it was asked


def test_one_counter_that_cannot_be_read_makes_all_unknown(tmp_path):
    write_package(tmp_path, "intel-rapl:0", 0)
    write_package(tmp_path, "intel-rapl:1", 0)
    energy = Energy(tmp_path)
    (tmp_path / "intel-rapl:1/energy_uj").write_text("no number")
    assert energy.joules() is None
    assert Energy(tmp_path / "not-there").joules() is None


def test_counters_are_read_often_enough_while_steps_are_counted(tmp_path):
    # a counter that is full after 10 J starts again twice; read at the end alone, 20 J would be missing
    write_package(tmp_path, "intel-rapl:0", 0, full=10_000_000)
    clock = iter(range(0, 1000, 20))
    meter = Meter(Energy(tmp_path), now=lambda: next(clock))
    for microjoules in (8_000_000, 6_000_000, 4_000_000):  # 8, then 8 more each
        write_package(tmp_path, "intel-rapl:0", microjoules, full=10_000_000)
        meter.seconds()
    assert meter.energy_joules() == 24.0
    assert meter.seconds() == 80.0


def test_the_processor_is_called_as_the_machine_calls_it(tmp_path):
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: A Processor 9000\nmodel name\t: other\n")
    assert processor_name(tmp_path / "cpuinfo") == "A Processor 9000"
    assert processor_name(tmp_path / "not-there")
    (tmp_path / "cpuinfo").write_text("flags\t\t: fpu sse4_2 avx avx2\n")
    assert (instructions(tmp_path / "cpuinfo"), instructions(tmp_path / "not-there")) == ("AVX2", "")
