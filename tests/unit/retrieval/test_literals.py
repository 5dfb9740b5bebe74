"""Lists as Python prints them, in a cell of a table."""

import pytest

from sentflow.errors import DataError
from sentflow.texts.formats.literals import MOST_CHARACTERS, literal_list


def test_texts_and_numbers_are_taken_and_maps_are_joined():
    assert literal_list("['a', 'b, \\'c\\'', 3]", where="f") == ["a", "b, 'c'", "3"]
    cell = "[{'law_id': '53/2010/qh12', 'article_id': '60'}, {'law_id': '82/2011/nđ-cp', 'article_id': '9'}]"
    assert literal_list(cell, where="f") == ["53/2010/qh12|60", "82/2011/nđ-cp|9"]
    assert literal_list(" [] ", where="f") == []


@pytest.mark.parametrize(
    "cell",
    [
        "__import__('os').getcwd()",
        "[x for x in (1, 2)]",
        "(" * 5000,
        "-" * 50_000 + "1",
        "'no list'",
        "[None]",
        "['a'",
        "[b'bytes']",
        "['a\0b',",
        "",
    ],
)
def test_what_is_no_list_of_texts_is_an_error_with_its_place(cell):
    with pytest.raises(DataError, match=r"^a.csv, row 3: "):
        literal_list(cell, where="a.csv, row 3")


def test_a_cell_without_bound_is_not_parsed():
    with pytest.raises(DataError, match="more than 100000"):
        literal_list("[" + "1," * MOST_CHARACTERS + "]", where="f")
