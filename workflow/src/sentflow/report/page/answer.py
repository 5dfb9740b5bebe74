"""The first lines of the page: what the results answer, and on what data."""

from collections.abc import Sequence

from sentflow.report.numbers import listed
from sentflow.report.page.sources import Section
from sentflow.report.rows import DataRow, data_versions, is_sample

_MEANING = "(which show only that the pipeline works)"
_MOST_NAMES = 3  # of data that a sentence can hold


def answers(sections: Sequence[Section]) -> list[str]:
    """A sentence per group of results, that of the first family first; what the data are is said where it changes."""
    found: list[str] = []
    before = ""
    for section in sections:
        data = _on_what(section.rows)
        for sentence in section.answer:
            found.append(sentence if data == before else f"{data}, {_inside(sentence)}")
            before = data
    return found or [f"{_on_what(section.rows)}, no scores were compared." for section in sections[:1]]


def _inside(sentence: str) -> str:
    """Behind a comma; names keep their letters."""
    return f"n{sentence[1:]}" if sentence.startswith("No ") else sentence


def _on_what(rows: Sequence[DataRow]) -> str:
    versions = data_versions(rows)
    made_up = [is_sample(version) for version in versions]
    if made_up and all(made_up):
        return f"On sample data {_MEANING}"
    if any(made_up):
        return f"Partly on sample data {_MEANING}"
    if len(versions) > _MOST_NAMES:
        return f"On {len(versions)} datasets"
    return f"On {listed(versions)}"
