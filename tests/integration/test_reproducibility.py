"""The same numbers anywhere on one machine: another clone, locale, clock, hash seed or number of threads."""

from pathlib import Path

import pytest
from workflow_copy import TINY, copy_workflow, ended, environment, result_files, snakemake_words

pytestmark = pytest.mark.nightly

# Every folder of numbers; what is measured anew in each run is none
FOLDERS = ("scores", "tables", "similarity", "alignments", "regressions", "geometry", "comparisons")
MEASURED = {f"{name}.{ending}" for name in ("costs", "encoders") for ending in ("csv", "md", "tex")}
# A user far away, with another shell: nothing of this may show in a result
ELSEWHERE = {
    **{"PYTHONHASHSEED": "12345", "LC_ALL": "C", "LANG": "C", "TZ": "Asia/Kathmandu", "COLUMNS": "40"},
    **{"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},
}


def numbers(project: Path) -> dict[str, bytes]:
    """Every file of results that must be the same bytes."""
    found = result_files(project, *FOLDERS)
    return {name: content for name, content in found.items() if Path(name).name not in MEASURED}


def test_a_second_clone_elsewhere_gives_the_same_bytes(reference, tmp_path):
    clone = copy_workflow(tmp_path / "outra pasta" / "clone")
    words = snakemake_words("scores", "tables", "similarities", "--cores", "1", "--configfile", str(TINY))
    done = ended(words, clone, {**environment(), **ELSEWHERE})
    assert done.code == 0, done.text[-6000:]
    found, expected = numbers(clone), numbers(reference)
    assert found.keys() == expected.keys()
    folders = {name.split("/")[1] for name in expected}
    assert folders >= {"scores", "tables", "similarity", "alignments", "regressions", "geometry"}
    assert [name for name in expected if found[name] != expected[name]] == []
