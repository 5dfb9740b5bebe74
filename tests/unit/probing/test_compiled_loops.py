"""What the loops compute does not depend on which process compiled them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import hashlib
from test_sparse import folds, words_of_classes

digest = hashlib.sha256()
for n_classes in (2, 3):
    for rows, width in ((300, 12), (450, 33), (600, 90)):
        counts, labels = words_of_classes(n_classes, rows=rows, width=width)
        for features in (counts, counts.toarray()):
            for hidden in (None, 16):
                for fold in folds(features, labels, hidden=hidden):
                    digest.update(repr(fold.test_loss).encode() + fold.scores.tobytes())
print(digest.hexdigest())
"""


@pytest.mark.slow
def test_loops_that_are_read_from_the_cache_give_the_same_bits(tmp_path):
    def digest():
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ
            | {
                "NUMBA_CACHE_DIR": str(tmp_path),
                "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
            },
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout

    compiled = digest()
    assert list(tmp_path.rglob("*.nbc"))
    assert digest() == compiled
