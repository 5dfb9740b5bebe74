"""Derived tasks of the catalog on the real files: rows, classes, documents, and what gives labels away."""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from sentflow.audit.leaks import leaks
from sentflow.downloads.mirrors import places
from sentflow.graph.config.catalog import load_catalog
from sentflow.texts.prepare import PrepareSettings, prepare
from sentflow.texts.table import SEPARATOR, TaskTable
from sentflow.texts.task_files import DERIVED, files_of

pytestmark = pytest.mark.mirror
REPOSITORY = Path(__file__).parents[2]


@cache
def entries() -> dict[str, Any]:
    config = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
    return load_catalog(config, REPOSITORY / "workflow")


DERIVED_TASKS = [name for name, entry in entries()["tasks"].items() if entry["reader"]["format"] == DERIVED]


@pytest.fixture(scope="module")
def table(mirror, tmp_path_factory) -> Callable[[str], TaskTable]:
    """A task by its name; checksums are checked on the way."""
    raw = tmp_path_factory.mktemp("raw")

    @cache
    def prepared(name: str) -> TaskTable:
        entry = entries()["tasks"][name]
        known = entries()["datasets"][entry["dataset"]]["files"]
        folder = raw / entry["dataset"]
        folder.mkdir(exist_ok=True)
        files = [folder / file for file in files_of(entry["reader"])]
        for file in files:
            if not file.exists():
                [place, *_] = places(known[file.name]["urls"], [str(mirror)])
                file.symlink_to(place)
        settings = {**entry, "folds": 5, "files": known, "small_parts": True}
        return prepare(name, files, PrepareSettings.from_settings(settings, task=name))

    return prepared


@pytest.mark.parametrize("name", DERIVED_TASKS)
def test_tasks_have_the_rows_that_the_catalog_expects(table, name):
    entry, made = entries()["tasks"][name], table(name)
    assert len(made) == entry["rows"]
    assert Counter(map(str, made.labels.tolist())) == entry["class_counts"]


@pytest.mark.parametrize("name", ["F1A-open", "F6-open", "G1-open"])
def test_exchanged_pairs_are_documents_of_two_rows_with_one_label(table, name):
    made = table(name)
    labels: dict[Any, list[int]] = {}
    for group, label in zip(made.groups, made.labels.tolist(), strict=True):
        labels.setdefault(group, []).append(label)
    assert all(len(found) == 2 and len(set(found)) == 1 for found in labels.values())
    assert len(set(made.text_a)) == len(made)


@pytest.mark.parametrize("name", ["F1A-open", "F4-open", "F6-open", "G1-open", "G2B-open", "G3-open"])
@pytest.mark.parametrize("seen", ["lengths", "punctuation", "text_a", "text_b"])
def test_parts_of_exchanged_pairs_do_not_tell_the_label(table, name, seen):
    made = table(name)
    found = leaks(made.text_a, made.text_b, made.labels.tolist(), made.groups)[seen]
    assert abs(found.mcc) < 3 * found.error


def test_lengths_do_not_tell_whether_sentences_of_news_are_similar(table):
    made = table("G2A-open")
    found = leaks(made.text_a, made.text_b, made.labels.tolist(), made.groups)["lengths"]
    assert abs(found.mcc) < 3 * found.error


def test_bills_have_no_header_and_four_a_page_mark(table):
    made = table("G2B-open")
    marks = re.compile(
        r"PROJETO DE|PROPOSTA DE|CÂMARA DOS DEPUTADOS|\*(?: [\dA-F]){8}|n ta ç ã o|\(Do Sr|^Do Sr"
    )
    assert not any(marks.search(text) for text in [*made.text_a, *made.text_b])
    rest = re.compile(r"Gabinete do deputado|(?:Câmara dos Deputados|Deputado \w+ \w+| DA)$")
    assert len({text for text in made.text_b if rest.search(text)}) == 4


def test_headings_and_notes_on_amendments_are_removed_but_nine_that_the_source_does_not_close(table):
    texts = table("F2-open").text_a
    assert not any(text.startswith("Art.") for text in texts)
    assert sum("(Redação dada" in text for text in texts) == 9


def test_exams_have_four_options(table):
    for name in ("F3-open", "F5-simulated"):
        assert {len(text.split(SEPARATOR)) for text in table(name).text_b} == {4}


def test_simulated_exams_have_no_question_of_the_official_ones(table):
    official = {text.casefold() for text in table("F3-open").text_a}
    assert not official & {text.casefold() for text in table("F5-simulated").text_a}
