import warnings

import numpy as np
import pytest

from sentflow.api.embedding import SAMPLE_ROWS, cached_features

ROWS = [f"ação {row}\0" for row in range(40)]


class Embed:
    """Vectors that depend on the row and a shift; counts the rows it was asked for."""

    def __init__(self, shift: float = 0.0) -> None:
        self.shift = shift
        self.n_rows = 0

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        self.n_rows += len(rows)
        vectors = np.random.default_rng(0).standard_normal((len(ROWS), 6))
        return (vectors[rows] + self.shift).astype(np.float32)


def features(folder, embed, *, rows=ROWS, ignore_cached=False):
    return cached_features(folder, "T1B", rows, embed, ignore_cached=ignore_cached)


def test_the_second_time_only_a_sample_is_embedded(tmp_path):
    first = features(tmp_path, Embed())
    embed = Embed()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        second = features(tmp_path, embed)
    assert embed.n_rows == SAMPLE_ROWS
    np.testing.assert_array_equal(first, second)


def test_vectors_of_another_model_are_found_out_and_replaced(tmp_path):
    features(tmp_path, Embed())
    with pytest.warns(UserWarning, match="another model"):
        shifted = features(tmp_path, Embed(shift=0.01))
    np.testing.assert_array_equal(shifted, Embed(shift=0.01)(np.arange(40)))
    np.testing.assert_array_equal(shifted, features(tmp_path, Embed(shift=0.01)))


def test_a_damaged_file_is_made_again(tmp_path):
    first = features(tmp_path, Embed())
    file = tmp_path / "T1B.npy"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.warns(UserWarning, match="computed again"):
        np.testing.assert_array_equal(features(tmp_path, Embed()), first)
