import pytest

from sentflow.errors import DataError
from sentflow.geometry.permuted_texts import permute_texts, read_permuted, write_permuted

ENGLISH = [f"the {noun} sleeps under a tree" for noun in ("cat", "dog", "cow", "pig", "owl", "hen")]
JAPANESE = ["猫が木の下で眠る", "犬が川の前で走る", "短い"]


def test_words_change_places_and_none_is_lost():
    found = permute_texts(ENGLISH, n=10, seed=3)
    assert found.unit == "words"
    assert sorted(found.originals) == sorted(ENGLISH)
    for text, original in zip(found.texts, found.originals, strict=True):
        assert text != original
        assert sorted(text.split()) == sorted(original.split())


def test_the_seed_decides_and_a_longer_list_changes_no_order():
    few, many = permute_texts(ENGLISH[:3], n=10, seed=3), permute_texts(ENGLISH, n=10, seed=3)
    of_many = dict(zip(many.originals, many.texts, strict=True))
    assert all(of_many[original] == text for text, original in zip(few.texts, few.originals, strict=True))
    assert permute_texts(ENGLISH, n=10, seed=4).texts != many.texts


def test_languages_without_spaces_have_their_characters_permuted():
    found = permute_texts(JAPANESE, n=10, seed=1)
    assert found.unit == "characters"
    assert sorted(found.originals) == sorted(JAPANESE[:2])  # the third has two characters
    assert sorted(found.texts[0]) == sorted(found.originals[0])
    with pytest.raises(DataError, match="none of 1 texts has 3 characters whose order can change"):
        permute_texts(JAPANESE[2:], n=10, seed=1)


def test_a_file_gives_back_what_was_written(tmp_path):
    found = permute_texts(ENGLISH, n=4, seed=3)
    write_permuted(tmp_path / "permuted.parquet", found)
    assert read_permuted(tmp_path / "permuted.parquet") == found
    (tmp_path / "permuted.parquet").write_bytes(b"nothing")
    with pytest.raises(DataError, match=r"permuted\.parquet"):
        read_permuted(tmp_path / "permuted.parquet")
