import subprocess
import sys

import numpy as np
import pytest

from sentflow.probing import loops

SIGNATURE = "void(f4[:,::1], f4)"


def add(values, more):
    for i in range(len(values)):
        for j in range(values.shape[1]):
            values[i, j] += more


def test_a_loop_is_compiled_once_where_it_can_be_kept(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(loops, "_cache_folders", lambda: (tmp_path / "file" / "below", tmp_path / "kept"))
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    run = loops.Loop(add, SIGNATURE).bound(values, np.float32(2))
    run()
    monkeypatch.setattr(loops.Loop, "_compile", None)
    loops.Loop(add, SIGNATURE)(values, np.float32(0.5))
    assert values.tolist() == [[2.5, 3.5, 4.5], [5.5, 6.5, 7.5]]
    run()
    assert values[0, 0] == 4.5


@pytest.mark.parametrize(
    "values", [np.zeros((2, 3)), np.zeros(3, np.float32), np.zeros((3, 2), np.float32).T], ids=str
)
def test_arrays_that_are_not_those_of_the_signature_are_refused(values):
    with pytest.raises(TypeError, match="add is for"):
        loops.Loop(add, SIGNATURE)(values, np.float32(2))


def test_probes_import_no_numba_once_the_loops_are_compiled():
    loops.compile_all()
    program = """
import sys
import numpy as np
from sentflow.probing.fold import ProbeDesign
from sentflow.probing.settings import PUBLISHED
from sentflow.probing.training import FixedFeatures, train_folds
features = np.random.default_rng(0).normal(size=(400, 2)).astype(np.float32)
design = ProbeDesign("mcc", 2, 4, PUBLISHED.but(max_epochs=2, search_epochs=1))
[*_] = train_folds(FixedFeatures(features), np.arange(400) % 2, design, wanted={(1, 1)})
print(*{"numba", "scipy"} & {*sys.modules})
"""
    assert subprocess.check_output([sys.executable, "-c", program], text=True).split() == []
