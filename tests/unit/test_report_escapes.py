"""No text of others is run by the page: neither in an element, nor in an attribute, nor as an address."""

import dataclasses
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import fake_comparisons
import fake_similarity
import pytest
from report_pages import make_parts, make_sources, page_sources

from sentflow.files.control_characters import HIDDEN, visible
from sentflow.report.checks import CheckResult
from sentflow.report.families.similarity.data import SimilarityData
from sentflow.report.page.page import render
from sentflow.report.table.cells import Cell, Group, Table
from sentflow.report.table.formats import csv_text, markdown_text
from sentflow.report.table.latex import latex_text

EVIL = "</td></title></script><script>alert('é')</script><img src=x onerror=\"alert(1)\"> ' onclick='x' {{ 7 * 7 }}"
# Fields of rows and keys of settings that hold words of users and of data, not names that others refer to
WORDS = re.compile(
    r"title|text_[ab]|label_name|data_version|description|note|licence|citation|warnings|sentence|source|reason"
)


def poisoned(value: Any, key: str = "", at_any_key: bool = False) -> Any:
    """The same with `EVIL` behind every text of users."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return dataclasses.replace(value, **{name: poisoned(getattr(value, name), name) for name in names})
    if isinstance(value, Mapping):
        return {name: poisoned(inner, str(name), at_any_key) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(poisoned(inner, key, at_any_key) for inner in value)
    if isinstance(value, str) and (at_any_key or WORDS.search(key)):
        return value + EVIL
    return value


class Page(HTMLParser):
    """Elements with their attributes, and what is read as text or as a script."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        (self.scripts if self._inside == "script" else self.texts).append(data)


@pytest.fixture(scope="module")
def similarity(tmp_path_factory):
    files = fake_similarity.summarise(tmp_path_factory.mktemp("similarity"), pairs=["STS12", "STSB-test"])
    entry = {"title": "t", "dataset": "sts", "family": "f", "scale": [0, 5], "language": "en", "note": "n"}
    pair_sets = dict.fromkeys(
        ("STS12", "STSB-test", "STSB-train", "STSB-dev"), {**entry, "data_version": "raw"}
    )
    return {"similarity": SimilarityData.read(list(files.values())), "pair_sets": pair_sets}


@pytest.fixture
def sources(tmp_path, similarity):
    plain = make_parts(tmp_path)
    names = [row.task for row in plain["scores"]]
    data = {
        key: dict.fromkeys(("title", "licence", "citation", "note"), "t") for key in ("sample-t1a", "sts")
    }
    whole = {
        **plain,
        **similarity,
        "comparisons": fake_comparisons.comparisons(plain["scores"]),
        "encoders": fake_comparisons.encoder_rows(plain["scores"]),
        "audits": {names[0]: fake_comparisons.audit(names[0])},
        "hardest": {names[0]: fake_comparisons.hard_texts(names[0])},
        "experiment": {"title": "t", "description": "d"},
        "datasets": data,
        "models": {row.model: {"title": "t", "licence": "l", "citation": "c"} for row in plain["scores"]},
    }
    harmless = {name: whole.pop(name) for name in ("versions", "files")}
    return {
        **{name: poisoned(part, name) for name, part in whole.items()},
        "checks": [CheckResult("intervals", EVIL, {}, [EVIL])],
        "config": EVIL,
        "versions": {**harmless["versions"], "platform": EVIL},
        "files": harmless["files"],
    }


def test_texts_of_others_are_shown_and_not_run(sources):
    page = Page(render(page_sources(**sources)))
    assert len(page.scripts) == len([tag for tag, _ in page.elements if tag == "script"]) == 1
    assert "alert" not in page.scripts[0]
    handlers = [(tag, name) for tag, found in page.elements for name in found if name.startswith("on")]
    assert handlers == []
    pictures = [found["src"] or "" for tag, found in page.elements if tag == "img"]
    assert all(address.startswith("data:image/") for address in pictures)
    # shown as it was written, again and again
    assert "".join(page.texts).count(EVIL) > 30
    assert "{{ 7 * 7 }}" in "".join(page.texts)


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", " JavaScript:alert(1)", "data:text/html,<script>", "httpx:alert", "//host"],
)
def test_an_address_that_is_not_of_the_web_is_no_link(sources, address):
    datasets = {name: {**entry, "homepage": address} for name, entry in sources["datasets"].items()}
    page = Page(render(page_sources(**{**sources, "datasets": datasets})))
    links = [found.get("href") or "" for tag, found in page.elements if tag == "a"]
    assert links and address not in links
    assert all(link.startswith(("#", "data:text/", "https://", "http://")) for link in links)
    downloads = [found for tag, found in page.elements if str(found.get("href")).startswith("data:text/")]
    assert all("download" in found for found in downloads)


# --- tables that leave the page -----------------------------------------------------------------------------


def table_of(text: str) -> Table:
    return Table(
        name="t",
        caption=text,
        header=("Task", text),
        alignment=("l", "l"),
        groups=(Group(text, ((Cell(text), Cell(text)),)),),
        notes=(text,),
        tidy_header=("task", "value"),
        tidy_rows=((text, -1.5),),
        lead=1,
    )


def test_latex_of_others_is_no_command():
    written = latex_text(table_of(r"\input{/etc/passwd} \write18{touch x} $x$ % # & ~ ^ _"))
    assert r"\input" not in written and r"\write18" not in written
    assert r"\textbackslash{}input\{/etc/passwd\}" in written


def test_markdown_of_others_is_no_element():
    written = markdown_text(table_of("<script>alert(1)</script> | [x](javascript:alert(1))"))
    assert "<script>" not in re.sub(r"\\<", "", written)
    assert r"\|" in written
    assert "](" not in written


@pytest.mark.parametrize("sign", list("=+-@") + ["\t", "\r"])
def test_a_text_that_a_spreadsheet_would_run_is_written_as_a_text(sign):
    formula = f"{sign}HYPERLINK(1)"
    line = csv_text(table_of(formula)).split("\n", 1)[1]
    assert line.strip('"\n').startswith(f"'{visible(sign)}")
    assert line.rstrip("\n").endswith(",-1.5")  # numbers stay numbers


# --- signs that do something instead of being seen

STEERING = "a\r\x1b]0;owned\x07\x9b2J\u202eb\u2066c\u2028d"
SHOWN = r"a\r\x1b]0;owned\x07\x9b2J\u202eb\u2066c\u2028d"


@pytest.mark.parametrize("write", [csv_text, markdown_text, latex_text])
def test_tables_show_hidden_signs_written_out(write):
    text = write(table_of(STEERING))
    assert HIDDEN.search(text) is None
    assert "202e" in text
    assert "\r" not in text


def test_tables_keep_the_blanks_and_joiners_of_honest_texts():
    honest = "1\u202f000 \N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}\xa0\N{SOFT HYPHEN}é日"
    assert honest in csv_text(table_of(honest))
    assert honest in markdown_text(table_of(honest))


def test_the_page_shows_hidden_signs_written_out(tmp_path):
    page = render(make_sources(tmp_path, experiment={"title": STEERING, "description": STEERING}))
    assert HIDDEN.search(page) is None
    assert SHOWN in page
