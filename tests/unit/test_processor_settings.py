"""Other processors on this one: every library computes as it was told, or the test fails."""

import os
from pathlib import Path

import pytest
from numeric_tests import COMPUTING, OTHERS, TESTS, is_numeric

import processor_settings
import sentflow
from processor_settings import PROCESSORS, USED, VARIABLE

PACKAGE = Path(sentflow.__file__).parent


@pytest.mark.numeric
def test_this_process_computes_as_it_was_started():
    if VARIABLE not in os.environ:
        pytest.skip(f"{VARIABLE} is not set: started as the processor of this machine")
    assert PROCESSORS[os.environ[VARIABLE]].problems() == []


def test_a_setting_without_effect_is_a_problem(monkeypatch):
    monkeypatch.setitem(USED, "torch", lambda: "AVX512")
    assert processor_settings.TORCH_AVX2.problem() == (
        "torch uses AVX512, not AVX2, although {'ATEN_CPU_CAPABILITY': 'avx2'} is asked for"
    )


def test_every_library_has_a_setting_in_every_processor():
    for processor in PROCESSORS.values():  # MKL has two settings, of which each processor has one
        of_mkl = {setting.library for setting in processor.settings} & {"MKL", "MKL's mode"}
        assert {setting.library for setting in processor.settings} - of_mkl == USED.keys() - {
            "MKL",
            "MKL's mode",
        }
        assert of_mkl


# --- what is run as other processors


def test_every_package_is_known_to_compute_or_not_to():
    packages = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}
    assert {*COMPUTING, *OTHERS} == packages
    assert set(COMPUTING).isdisjoint(OTHERS)


def test_every_package_that_computes_has_tests_that_are_run_again():
    files = [
        file.relative_to(TESTS / "unit") for file in (TESTS / "unit").rglob("test_*.py") if is_numeric(file)
    ]
    for package in COMPUTING:
        assert any(file.parts[0] == package or file.name.startswith(f"test_{package}_") for file in files)


def test_tests_of_published_results_are_run_again():
    assert all(is_numeric(file) for file in (TESTS / "golden").glob("test_*.py"))


def test_tests_of_anything_else_are_not_run_again():
    assert not any(is_numeric(file) for file in (TESTS / "dag").glob("test_*.py"))
