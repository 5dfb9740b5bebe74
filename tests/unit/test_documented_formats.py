"""Every file format that a reader knows stands in the table of formats of its page."""

import re
from pathlib import Path

import pytest

from sentflow.texts import pair_readers, readers, record_readers
from sentflow.training.data import reader as training_reader

REPOSITORY = Path(__file__).parents[2]
DERIVED = "derived"  # rows made from records of other formats, by a reader of its own


def in_first_column(page: str) -> set[str]:
    """Words in code marks in the first column of the page's tables of formats."""
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    rows = re.findall(r"^\| `format` \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", text, flags=re.MULTILINE)
    return {
        name for row in "".join(rows).splitlines() for name in re.findall(r"`([\w-]+)`", row.split("|")[1])
    }


@pytest.mark.parametrize(
    ("page", "formats"),
    [
        ("data.md", {*readers.FORMATS, DERIVED}),
        ("similarity-data.md", set(pair_readers.FORMATS)),
        ("retrieval.md", set(record_readers.FORMATS)),
    ],
)
def test_every_format_has_a_row_in_its_page(page, formats):
    assert in_first_column(page) == formats


def test_every_format_of_training_data_is_in_its_page():
    text = (REPOSITORY / "docs/training.md").read_text(encoding="utf-8")
    assert set(training_reader.FORMATS) <= set(re.findall(r"`([\w-]+)`", text))
