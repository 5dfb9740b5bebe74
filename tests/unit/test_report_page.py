"""The report page: no text of others is run, nothing of this machine or of the network is in it, marks follow tests."""

import dataclasses
import re
from collections.abc import Mapping
from html import unescape
from html.parser import HTMLParser
from typing import Any

import fake_comparisons
import fake_summary
import pytest

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.differences import BEST, NOT_WORSE, Marks
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.files.control_characters import HIDDEN, visible
from sentflow.files.io import write_json
from sentflow.report.checks import CheckResult
from sentflow.report.costs.rows import CostRow, EncoderRow
from sentflow.report.costs.summary import encoder_rows
from sentflow.report.families.probing.rows import CurveRow
from sentflow.report.inputs import Inputs
from sentflow.report.jobs import make_checks
from sentflow.report.page.method import without_machine_paths
from sentflow.report.page.page import render
from sentflow.report.page.sources import Sources
from sentflow.report.table import table as tables
from sentflow.report.table.formats import csv_text, markdown_text
from sentflow.report.table.latex import latex_text
from sentflow.report.table.table import Table

EVIL = "</td></title></script><script>alert('é')</script><img src=x onerror=\"alert(1)\"> ' onclick='x' {{ 7 * 7 }}"
# Fields of rows and keys of settings that hold words of users and of data, not names that others refer to
WORDS = re.compile(
    r"title|text_[ab]|label_name|data_version|description|note|licence|citation|warnings|sentence|source|reason"
)


SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
VERSIONS = {"python": "3.11.7", "platform": "Linux", "libraries": {"sentflow": "0.1.0"}, "git": None}


class Elements(HTMLParser):
    """Collects start tags with their attributes, and whether every tag is closed."""

    VOID = {"meta", "link", "img", "input", "br", "hr"}

    def __init__(self):
        super().__init__()
        self.found, self.open = [], []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def elements(page):
    parser = Elements()
    parser.feed(page)
    assert parser.open == []
    return parser.found


ROWS = {
    "scores": ScoreRow,
    "curves": CurveRow,
    "costs": CostRow,
    "encoders": EncoderRow,
    "comparisons": Comparisons,
}
SETTINGS = ("experiment", "tasks", "models", "datasets")


def page_sources(**parts):
    """Sources of rows by the names of `ROWS`, of settings, and of whatever else there is."""
    held = {kind: rows for name, kind in ROWS.items() if (rows := parts.pop(name, []))}
    inputs = Inputs.holding({Comparisons: Comparisons(), **held})
    settings = {"protocols": [], **{name: parts.pop(name) for name in SETTINGS if name in parts}}
    return Sources(inputs=inputs, settings=settings, **parts)


def make_parts(tmp_path, **changes):
    """The parts of a page without comparisons, as those of an experiment with one encoder."""
    for name in ("heatmap", "forest", "curves", "costs"):
        (tmp_path / f"{name}.svg").write_text(SVG)
    (tmp_path / "scores.csv").write_text("task,model\nF3,é\n", encoding="utf-8")
    scores = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])
    parts = {
        "scores": scores,
        "curves": fake_summary.curve_rows(scores),
        "costs": fake_summary.cost_rows(),
        "checks": [CheckResult("complete", "All there.", {"scores": 12})],
        "experiment": {"title": "Ulysses on sample data", "description": "A first run."},
        "tasks": {"T1A-sample": {"dataset": "sample-t1a"}},
        "models": {
            "minilm-l6": {"title": "all-MiniLM-L6-v2", "source": {"path": "/home/maria/models/minilm"}}
        },
        "datasets": {"sample-t1a": {"title": "Sample T1A", "licence": "MIT", "citation": "none"}},
        "config": "mirrors:\n- /data/espelho/real\nselect: {}\n",
        "versions": VERSIONS,
        "files": [*sorted(tmp_path.glob("*.svg")), tmp_path / "scores.csv"],
    }
    return parts | changes


def make_sources(tmp_path, **changes):
    """Sources of `make_parts`."""
    return page_sources(**make_parts(tmp_path, **changes))


def poisoned(value: Any, key: str = "") -> Any:
    """The same with `EVIL` behind every text of users."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return dataclasses.replace(value, **{name: poisoned(getattr(value, name), name) for name in names})
    if isinstance(value, Mapping):
        return {name: poisoned(inner, str(name)) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(poisoned(inner, key) for inner in value)
    if isinstance(value, str) and WORDS.search(key):
        return value + EVIL
    return value


@pytest.fixture
def sources(tmp_path):
    plain = make_parts(tmp_path)
    names = [row.task for row in plain["scores"]]
    whole = {
        **plain,
        "comparisons": fake_comparisons.comparisons(plain["scores"]),
        "encoders": encoder_rows(plain["scores"], {}, [], jobs={}),
        "audits": {names[0]: fake_comparisons.audit(names[0])},
        "hardest": {names[0]: fake_comparisons.hard_texts(names[0])},
        "experiment": {"title": "t", "description": "d"},
        "datasets": {"sample-t1a": dict.fromkeys(("title", "licence", "citation", "note"), "t")},
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
    page = render(page_sources(**sources))
    found = elements(page)
    assert len([tag for tag, _ in found if tag == "script"]) == 1
    assert not [name for _, attributes in found for name in attributes if name.startswith("on")]
    pictures = [attributes["src"] for tag, attributes in found if tag == "img"]
    assert pictures and all(address.startswith("data:image/") for address in pictures)
    assert unescape(page).count(EVIL) > 30  # shown as it was written, again and again


def test_an_address_that_is_not_of_the_web_is_no_link(sources):
    for address in (" JavaScript:alert(1)", "data:text/html,<script>", "//host"):
        datasets = {name: {**entry, "homepage": address} for name, entry in sources["datasets"].items()}
        found = elements(render(page_sources(**{**sources, "datasets": datasets})))
        links = [attributes.get("href") or "" for tag, attributes in found if tag == "a"]
        assert links and all(link.startswith(("#", "data:text/csv", "https://", "http://")) for link in links)


def table_of(text: str) -> Table:
    columns = [tables.text(heading, lambda row: row["task"]) for heading in ("Task", text)]
    row = {"task": text, "value": -1.5}
    return tables.build(
        text, ["task", "value"], [row], columns, [text], blocks=tables.Blocks(lambda row: row["task"])
    )


def test_text_of_others_is_no_command_of_latex_and_no_element_of_markdown():
    written = latex_text(table_of(r"\input{/etc/passwd} \write18{touch x} $x$ % # & ~ ^ _"))
    assert r"\input" not in written and r"\write18" not in written
    written = markdown_text(table_of("<script>alert(1)</script> | [x](javascript:alert(1))"))
    assert "<script>" not in re.sub(r"\\<", "", written)
    assert r"\|" in written and "](" not in written


def test_a_text_that_a_spreadsheet_would_run_is_written_as_a_text():
    for sign in "=+-@\t\r":
        line = csv_text(table_of(f"{sign}HYPERLINK(1)")).split("\n", 1)[1]
        assert line.strip('"\n').startswith(f"'{visible(sign)}")
        assert line.rstrip("\n").endswith(",-1.5")  # numbers stay numbers


def test_hidden_signs_are_written_out_and_honest_texts_kept(tmp_path):
    steering = "a\r\x1b]0;owned\x07\x9b2J\u202eb\u2066c\u2028d"
    page = render(make_sources(tmp_path, experiment={"title": steering, "description": steering}))
    for text in (page, *(write(table_of(steering)) for write in (csv_text, markdown_text, latex_text))):
        assert HIDDEN.search(text) is None
        assert "202e" in text
    honest = "1\u202f000 \N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}\xa0\N{SOFT HYPHEN}é日"
    assert honest in csv_text(table_of(honest)) and honest in markdown_text(table_of(honest))


def test_page_asks_the_network_for_nothing_and_has_nothing_of_this_machine(tmp_path):
    page = render(make_sources(tmp_path))
    assert page == render(make_sources(tmp_path))
    for tag, attributes in elements(page):
        for name in ("src", "href", "data", "poster", "srcset"):
            address = attributes.get(name, "")
            if address and not address.startswith(("data:", "#")):
                assert (tag, name) == ("a", "href"), address
    assert "default-src 'none'" in page
    assert "@import" not in page and "url(" not in page
    for private in ("/home/maria", "/data/espelho", str(tmp_path)):
        assert private not in page
    for text, shown in (
        ("path: /home/maria/models/x, ~/models/y", "path: …/x, …/y"),
        (r"C:\Users\maria\x.csv", "…/x.csv"),
        (
            "https://example.org/a/b/c results/x and/or, 3 / 4",
            "https://example.org/a/b/c results/x and/or, 3 / 4",
        ),
    ):
        assert without_machine_paths(text) == shown


def test_bold_and_underlined_scores_of_the_page_are_those_that_tests_mark(tmp_path):
    sources = make_sources(tmp_path)
    rows = sources.inputs.rows(ScoreRow)
    compared = fake_comparisons.comparisons(rows)
    marks = [Marks(compared.pairs, []).mark(row.task, row.model) for row in rows]
    for found, n_bold, n_underlined in (
        (Comparisons(), 0, 0),
        (compared, marks.count(BEST), marks.count(NOT_WORSE)),
    ):
        page = render(make_sources(tmp_path, comparisons=found))
        body = page.split('aria-label="Table of scores"')[1].split("</table>")[0]
        assert body.count("<strong>") == n_bold
        assert body.count("<u>") == n_underlined
    assert marks.count(BEST) == 3


def test_a_check_that_fails_ends_the_run_and_names_its_rows(tmp_path):
    outcomes = [tmp_path / "complete.json", tmp_path / "controls.json"]
    write_json(outcomes[0], {"check": "complete", "rule": "All there.", "passed": True, "counts": {}})
    failed = {"check": "controls", "rule": "Low.", "passed": False, "counts": {}, "problems": ["T1 × random"]}
    write_json(outcomes[1], failed)
    with pytest.raises(DataError, match="controls: Low. Problems:\n  T1 × random"):
        make_checks(outcomes=outcomes, output=tmp_path / "all.txt")
    make_checks(outcomes=outcomes[:1], output=tmp_path / "all.txt")
    assert "complete" in (tmp_path / "all.txt").read_text(encoding="utf-8")
