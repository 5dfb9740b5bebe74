"""Word vectors: every form of file, every wrong line by its number, and averages that can be worked out."""

import gzip

import numpy as np
import pytest

from sentflow.encoders.kinds.word_vectors import (
    TOKENS,
    WordVectorEncoder,
    describe,
    read_word_vectors,
)
from sentflow.encoders.settings import WordVectorSettings
from sentflow.errors import DataError
from sentflow.files.limits import limited

PLAIN = "lei 1 2\nvoto 3 4\nação -1 0.5e1\n"


def write(path, text=PLAIN):
    content = text if isinstance(text, bytes) else text.encode("utf-8")
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def described(path):
    description = describe({}, path)
    return description.settings["n_words"], description.dimension


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("glove.txt.gz", PLAIN),
        ("word2vec.txt", "3 2\n" + PLAIN),
        ("fasttext.vec", "3 2\r\n" + PLAIN.replace("\n", " \r\n")),
    ],
)
def test_forms_of_files(tmp_path, name, text):
    path = write(tmp_path / name, text)
    assert described(path) == (3, 2)
    found = read_word_vectors(path, {"ação", "lei", "nada"})
    assert {word: vector.tolist() for word, vector in found.items()} == {"ação": [-1, 5], "lei": [1, 2]}
    assert {vector.dtype for vector in found.values()} == {np.dtype("float32")}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("lei 1 2\nvoto 3\n", "line 2: holds 1 values, expected 2"),
        ("lei 1 2\nvoto 3 4 5\n", "line 2: holds more than 2 values"),
        ("3 2\nlei 1 2\n\nvoto 3 x\nx 1 2\n", "line 4: holds a value that is no number"),
        ("lei 1 2\nvoto nan 4\n", "line 2: holds a value that is not finite"),
        ("", "is empty"),
        ("3 2\nlei 1 2\nvoto 3 4\n", "announces 3 words, but 2 follow"),
        (b"lei 1 2\na\xe7\xe3o 3 4\n", "line 2: is not UTF-8"),
        (b"3 2\nlei \x00\x01\x02\x03\x04\x05\x06\x07\n", "line 2: .* a binary file of word2vec"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, text, part):
    with pytest.raises(DataError, match=part) as error:
        described(write(tmp_path / "v.txt", text))
    assert str(tmp_path / "v.txt") in str(error.value)


def test_ways_to_cut_are_those_of_the_docs():
    text = "guarda-chuva, 3!"
    assert {name: cut(text) for name, cut in TOKENS.items()} == {
        "words": ["guarda", "chuva", "3"],
        "hyphenated-words": ["guarda-chuva", "3"],
        "words-and-signs": ["guarda", "-", "chuva", ",", "3", "!"],
        "whitespace": ["guarda-chuva,", "3!"],
    }


def test_a_text_is_the_mean_of_its_known_words(tmp_path):
    texts = ["Lei, voto!", "voto voto LEI xyz", "xyz"]
    encoder = WordVectorEncoder(write(tmp_path / "v.txt"), WordVectorSettings(), dimension=2)
    vectors = encoder.encode(texts, role="text", task=None)
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(np.array([[2, 3], [7 / 3, 10 / 3], [0, 0]]))


def test_a_packed_file_is_left_at_the_limit_of_what_it_may_unpack_to(tmp_path):
    path = tmp_path / "v.gz"
    path.write_bytes(gzip.compress(b"a 1 2\n" * 1000))
    with (
        limited(unpacked_bytes=3000),
        pytest.raises(DataError, match=r"limits\.unpacked_bytes allows \(3000\)"),
    ):
        described(path)
    assert described(path) == (1000, 2)
