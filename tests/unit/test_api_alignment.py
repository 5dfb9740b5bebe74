"""Alignment and uniformity in notebooks, encoders as functions, and vectors that are kept between calls."""

import math
import warnings

import numpy as np
import pytest

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.api.embedding import SAMPLE_ROWS, SentenceEncoder, cached_features

WORDS = {"right": [3.0, 0.0], "up": [0.0, 4.0], "left": [-3.0, 0.0]}
STSB = [  # genre, file, year, id, score, two sentences; the second row has an unbalanced quote and notes on licences
    ["main", "a", "2012", "1", "4.5", "right", "up"],
    ["main", "a", "2012", "2", "4.0", 'left "', "left", "licence", "licence"],
    ["main", "a", "2012", "3", "1.0", "right", "left"],
]
# distances: 5; of the one-sided uniformity set see below


def encode(text: str) -> np.ndarray:
    return np.array(WORDS[text.split()[0]])


def test_the_published_call_gives_the_published_formulas(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("".join("\t".join(row) + "\n" for row in STSB), encoding="utf-8")
    evaluator = sentflow.STSBEval(encode, str(file), 4.0)  # by place, as published
    with pytest.warns(UserWarning, match="lengths from 3 to 4"):
        found = evaluator.eval_summary()
    assert list(found) == ["alignment", "uniformity"]
    assert found["alignment"] == evaluator.eval_alignment() == pytest.approx(5)  # only 4.5 is above 4
    # right, left, right; up, left, left: not squared, not normalised
    distances = [6, 0, 5, 6, 6, 6, 5, 0, 0, 5, 6, 6, 5, 5, 0]
    expected = math.log(sum(math.exp(-2 * distance) for distance in distances) / 15)
    assert found["uniformity"] == evaluator.eval_uniform() == pytest.approx(expected, abs=1e-9)
    assert isinstance(found["alignment"], float)


def test_functions_of_either_kind_give_the_same_vectors():
    texts = ["right", "up", "left"]
    expected = np.array([WORDS[text] for text in texts], np.float32)
    kinds = [
        encode,
        lambda text: encode(text)[None],  # (1, d)
        lambda texts: np.stack([WORDS[text] for text in texts]),  # a list only
        lambda given: encode(given) if isinstance(given, str) else [encode(text) for text in given],
        type("Model", (), {"encode": lambda self, texts: np.stack([WORDS[text] for text in texts])})(),
    ]
    for kind in kinds:
        np.testing.assert_array_equal(SentenceEncoder(kind, batch_size=2).vectors(texts), expected)


def test_what_is_no_encoder_is_told_what_it_should_return():
    with pytest.raises(ArgumentError, match="encode_fn is a int"):
        SentenceEncoder(3)
    with pytest.raises(ArgumentError, match=r"a string \(one number, 1\.0\) nor two vectors"):
        SentenceEncoder(lambda text: 1.0).vectors(["a", "b"])
    with pytest.raises(ArgumentError, match="different widths"):
        SentenceEncoder(lambda text: np.ones(len(str(text)))).vectors(["a", "bc"])
    with pytest.raises(ArgumentError, match="not finite"):
        SentenceEncoder(lambda text: np.array([np.nan, len(text)])).vectors(["a", "bc"])


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
