"""Word vectors: every form of file, every wrong line by its number, and averages that can be worked out."""

import gzip

import numpy as np
import pytest

from sentflow.encoders.kinds import word_vectors
from sentflow.encoders.kinds.word_vector_files import describe_word_vectors, read_word_vectors
from sentflow.encoders.kinds.word_vectors import TOKENS, Settings, WordVectorEncoder
from sentflow.errors import DataError
from sentflow.files.limits import LINE_BYTES, limited

PLAIN = "lei 1 2\nvoto 3 4\nação -1 0.5e1\n"


def write(path, text=PLAIN):
    content = text if isinstance(text, bytes) else text.encode("utf-8")
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def described(path):
    description = describe_word_vectors(path)
    return description.n_words, description.dimension


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("glove.txt", PLAIN),
        ("glove.txt.gz", PLAIN),
        ("word2vec.txt", "3 2\n" + PLAIN),
        ("fasttext.vec", "3 2\r\n" + PLAIN.replace("\n", " \r\n")),
        ("tabs.txt", PLAIN.replace(" ", "\t")),
        ("no-last-line-feed.txt", PLAIN.rstrip()),
    ],
)
def test_forms_of_files(tmp_path, name, text):
    path = write(tmp_path / name, text)
    assert described(path) == (3, 2)
    found = read_word_vectors(path, {"ação", "lei", "nada"})
    assert {word: vector.tolist() for word, vector in found.items()} == {"ação": [-1, 5], "lei": [1, 2]}
    assert {vector.dtype for vector in found.values()} == {np.dtype("float32")}


def test_words_may_hold_spaces_and_odd_line_ends(tmp_path):
    path = write(tmp_path / "v.txt", "2 2\n. . . 1 2\na\u2028b 3 4\n")
    assert described(path) == (2, 2)
    assert read_word_vectors(path, {"."}) == {}
    assert read_word_vectors(path, {"a\u2028b"})["a\u2028b"].tolist() == [3, 4]


def test_a_numeric_word_is_a_word(tmp_path):
    assert read_word_vectors(write(tmp_path / "v.txt", "2 2\n1988 1 2\nlei 3 4\n"), {"1988"})[
        "1988"
    ].tolist() == [1, 2]


def test_the_first_of_two_equal_words_counts(tmp_path):
    path = write(tmp_path / "v.txt", "lei 1 2\nlei 3 4\n")
    assert described(path) == (2, 2)
    assert read_word_vectors(path, {"lei"})["lei"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("lei 1 2\nvoto 3\n", "line 2: holds 1 values, expected 2"),
        ("lei 1 2\nvoto 3 4 5\n", "line 2: holds more than 2 values"),
        ("3 2\nlei 1 2\n\nvoto 3 x\nx 1 2\n", "line 4: holds a value that is no number"),
        ("lei 1 2\nvoto nan 4\n", "line 2: holds a value that is not finite"),
        ("lei 1 2\nvoto 1e39 4\n", "line 2: holds a value that is not finite"),
        ("lei\n", "line 1: holds no values"),
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("3 2\n", "no line follows"),
        ("3 2\nlei 1 2\nvoto 3 4\n", "announces 3 words, but 2 follow"),
        ("1 2\nlei 1 2\nvoto 3 4\n", "announces 1 words, but 2 follow"),
        (b"lei 1 2\na\xe7\xe3o 3 4\n", "line 2: is not UTF-8"),
        (b"3 2\nlei \x00\x01\x02\x03\x04\x05\x06\x07\n", "line 2: .* a binary file of word2vec"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, text, part):
    with pytest.raises(DataError, match=part) as error:
        describe_word_vectors(write(tmp_path / "v.txt", text))
    assert str(tmp_path / "v.txt") in str(error.value)


@pytest.mark.parametrize("damage", ["truncated", "not gzip", "missing"])
def test_a_damaged_gzip_is_told(tmp_path, damage):
    path = write(tmp_path / "v.txt.gz", "".join(f"w{n} {n} {n * n}\n" for n in range(500)))
    content = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(content[: len(content) // 2] if damage == "truncated" else b"lei 1 2\n")
    with pytest.raises(DataError, match=r"v\.txt\.gz is missing or damaged"):
        describe_word_vectors(path)


def test_ways_to_cut_are_those_of_the_docs():
    text = "guarda-chuva, 3!"
    assert {name: cut(text) for name, cut in TOKENS.items()} == {
        "words": ["guarda", "chuva", "3"],
        "hyphenated-words": ["guarda-chuva", "3"],
        "words-and-signs": ["guarda", "-", "chuva", ",", "3", "!"],
        "whitespace": ["guarda-chuva,", "3!"],
    }


def encoder(tmp_path, text=PLAIN, **settings):
    return WordVectorEncoder(write(tmp_path / "v.txt", text), Settings(**settings), dimension=2)


def test_a_text_is_the_mean_of_its_known_words(tmp_path):
    texts = ["Lei, voto!", "voto voto LEI xyz", "xyz"]
    vectors = encoder(tmp_path).encode(texts, role="text", task=None)
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(np.array([[2, 3], [7 / 3, 10 / 3], [0, 0]]))


def test_words_keep_their_case_if_asked(tmp_path):
    cased = encoder(tmp_path, "Lei 1 2\nlei 3 4\n", lower_case=False)
    assert cased.encode(["Lei", "lei", "LEI"], role="text", task=None).tolist() == [[1, 2], [3, 4], [0, 0]]


def test_vectors_have_length_one_if_asked(tmp_path):
    vectors = encoder(tmp_path, "lei 3 4\n", normalise=True).encode(["lei", "x"], role="text", task=None)
    assert vectors == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))


def test_the_file_is_read_once_however_many_batches(tmp_path, monkeypatch):
    passes = []
    read = word_vectors.read_word_vectors
    monkeypatch.setattr(word_vectors, "read_word_vectors", lambda *args: passes.append(1) or read(*args))
    monkeypatch.setattr(word_vectors, "_ROWS_AT_A_TIME", 2)
    texts = ["lei", "voto", "ação", "lei voto", "xyz"]
    batched = encoder(tmp_path)
    plan = batched.plan(texts)
    assert [batch.rows.tolist() for batch in plan] == [[0, 1], [2, 3], [4]]
    together = np.concatenate(list(batched.encode_batches(texts, plan)))
    assert len(passes) == 1
    assert together.tobytes() == encoder(tmp_path).encode(texts, role="text", task=None).tobytes()


def test_only_words_that_occur_are_kept(tmp_path):
    small = encoder(tmp_path)
    small.plan(["lei"])
    assert set(small._vectors) == {"lei"}


def test_a_line_without_end_is_left(tmp_path):
    path = tmp_path / "v.gz"
    path.write_bytes(gzip.compress(b"a 1 2\n" + b"b" * (LINE_BYTES + 10)))
    with pytest.raises(DataError, match=rf"line 2 has more than {LINE_BYTES} bytes"):
        describe_word_vectors(path)


def test_a_packed_file_is_left_at_the_limit_of_what_it_may_unpack_to(tmp_path):
    path = tmp_path / "v.gz"
    path.write_bytes(gzip.compress(b"a 1 2\n" * 1000))
    with (
        limited(unpacked_bytes=3000),
        pytest.raises(DataError, match=r"limits\.unpacked_bytes allows \(3000\)"),
    ):
        describe_word_vectors(path)
    assert describe_word_vectors(path).n_words == 1000
    path = tmp_path / "v.txt"
    path.write_bytes(b"a 1 2\n" * 1000)
    with limited(unpacked_bytes=3000):
        assert describe_word_vectors(path).n_words == 1000


@pytest.mark.parametrize("digits", [5000, 30])
@pytest.mark.parametrize("place", [0, 1])
def test_a_header_of_endless_numbers_is_no_header(tmp_path, digits, place):
    numbers = ["2", "2"]
    numbers[place] = "1" * digits
    path = write(tmp_path / "v.txt", " ".join(numbers) + "\na 1 2\nb 3 4\n")
    with pytest.raises(DataError, match=r"v\.txt"):
        describe_word_vectors(path)


def test_a_long_value_that_is_no_number_is_not_repeated_whole(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text(f"lei 0.1 {'x' * 70_000}\n", encoding="utf-8")
    with pytest.raises(DataError, match="no number") as error:
        describe_word_vectors(path)
    assert len(str(error.value)) < 500


def test_a_first_line_with_thousands_of_digits_is_no_header(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text(f"{'9' * 5000} 3\nlei 0.1 0.2 0.3\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2: holds more than 1 values"):
        describe_word_vectors(path)
