"""The report in a real browser: no error in its console, every picture shown, and room enough on a phone."""

import dataclasses
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import fake_comparisons
import fake_retrieval
import fake_similarity
import fake_summary
import pytest
from report_pages import page_sources

from sentflow.compare.score_rows import ScoreRow
from sentflow.families.geometry.family import Geometry
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.similarity.family import Similarity
from sentflow.families.training.family import Training
from sentflow.graph import products
from sentflow.report.checks import CheckResult
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.similarity.data import SimilarityData
from sentflow.report.page.page import render
from sentflow.report.page.sources import Sources

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))),
    None,
)
DESKTOP, PHONE = (1280, 900), (390, 844)
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="300"><rect width="900" height="300"/></svg>'
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="needs a browser: apt install chromium"),
]

# Tells what a reader would find, in the title of the page.
_LOOK = """<script>
addEventListener("load", async () => {
  const pictures = Array.from(document.images);
  await Promise.all(pictures.map((image) => image.decode().catch(() => null)));
  const said = {
    pictures: pictures.length,
    broken: pictures.filter((image) => image.naturalWidth === 0).length,
    width: window.innerWidth,
    buttons: document.querySelectorAll("th button").length,
    shown: document.querySelectorAll("details.abusive[open]").length,
  };
  const table = document.querySelector("#power table");
  if (table && table.querySelector("th button")) {
    const column = Array.from(table.tHead.rows[0].cells).findIndex((cell) => cell.textContent.startsWith("MDD"));
    const header = table.tHead.rows[0].cells[column];
    header.querySelector("button").click();
    said.sorted = Array.from(table.tBodies[0].rows).map((row) => Number(row.cells[column].dataset.value));
    said.direction = header.getAttribute("aria-sort");
    const input = document.querySelector("#power .filter input");
    input.value = "F1A";
    input.dispatchEvent(new Event("input"));
    said.left = Array.from(table.tBodies[0].rows).filter((row) => !row.hidden).length;
    const enlarge = document.querySelector("figure.paper button");
    enlarge.click();
    const dialog = document.querySelector("dialog.zoom");
    said.enlarged = dialog.open && dialog.querySelector("img").naturalWidth > 0;
    dialog.close();
    dispatchEvent(new Event("beforeprint"));
    said.printed = document.querySelectorAll("details:not([open])").length;
    said.printedAbusive = document.querySelectorAll("details.abusive[open]").length;
  }
  const shown = () => tabs.filter((tab) => !tab.hidden).map((tab) => tab.id);
  const visit = async (address) => {
    const done = new Promise((resolve) => addEventListener("hashchange", () => setTimeout(resolve), { once: true }));
    if (address === null) history.back(); else location.hash = address;
    await done;
    return shown();
  };
  said.first = shown();
  said.tabs = {};
  for (const tab of [...tabs.slice(1), tabs[0]]) {
    said.tabs[tab.id] = {
      shown: await visit(tab.id),
      current: Array.from(document.querySelectorAll(".tabs [aria-current]")).map((link) => link.hash.slice(1)),
      top: Math.round(tab.getBoundingClientRect().top - document.querySelector(".tabs").getBoundingClientRect().bottom),
      tooWide: document.documentElement.scrollWidth - window.innerWidth,
      blank: Array.from(tab.querySelectorAll("figure.paper img")).filter((image) => image.clientHeight < 20).length,
    };
  }
  const task = document.querySelector("details[id]");
  if (task) {
    task.open = false;
    said.task = { tab: task.closest(".tab").id, shown: await visit(task.id), open: task.open };
    said.back = await visit(null);
    task.dispatchEvent(new Event("beforematch", { bubbles: true }));
    said.searched = shown();
  }
  const board = document.querySelector("table.board");
  if (board) {
    const copied = [];
    Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { copied.push(text); } } });
    const tools = document.querySelector("#summary .tools");
    const [boxes, buttons] = ["input", "button"].map((name) => Array.from(tools.querySelectorAll(name)));
    boxes[1].click();
    buttons[0].click();
    buttons[1].click();
    await Promise.resolve();
    said.copied = copied;
    said.columns = board.tHead.rows[0].cells.length;
    said.visible = Array.from(board.tHead.rows[0].cells).filter((cell) => cell.getClientRects().length).length;
    boxes[1].click();
  }
  said.saved = Array.from(document.querySelectorAll("figure.paper a[download]"))
    .filter((link) => link.href === link.closest("figure").querySelector("img").src).map((link) => link.download);
  document.querySelectorAll("details").forEach((part) => { part.open = true; });
  for (const tab of tabs) {
    showTab(tab);
    said.tabs[tab.id].openTooWide = document.documentElement.scrollWidth - window.innerWidth;
  }
  parent.postMessage(JSON.stringify(said), "*");
});
</script></body>"""
# a window of the browser is never narrower than 500 pixels, a frame is
_FRAME = """<!doctype html><title>nothing</title><body style="margin: 0">
<script>addEventListener("message", (event) => {{ document.title = event.data; }});</script>
<iframe src="index.html" style="border: 0; width: {width}px; height: {height}px"></iframe></body>"""


def sources_of(folder: Path, scores: list[ScoreRow], title: str, **changes: Any) -> Sources:
    """Sources of a page with every part of it."""
    every = {
        "scores": scores,
        "curves": fake_summary.curve_rows(scores),
        "costs": fake_summary.cost_rows(),
        "checks": [CheckResult("complete", "All there.", {"scores": len(scores)})],
        "experiment": {"title": title, "description": "A first run."},
        "tasks": {},
        "models": {},
        "datasets": {},
        "config": "select: {}\n",
        "versions": {"python": "3", "platform": "x", "libraries": {"sentflow": "0"}, "git": None},
        "files": sorted(folder.glob("*.svg")),
        "comparisons": fake_comparisons.comparisons(scores),
        "encoders": fake_comparisons.encoder_rows(scores),
        "audits": {"T1A-sample": fake_comparisons.audit("T1A-sample")},
        "hardest": {"T1A-sample": fake_comparisons.hard_texts("T1A-sample")},
    }
    return page_sources(**(every | changes))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    for name in products.names(products.FIGURE):
        (folder / f"{name}.svg").write_text(SVG)
    scores = fake_summary.score_rows()
    texts = {"T1A-sample": fake_comparisons.hard_texts("T1A-sample", offensive=True)}
    sources = sources_of(folder, scores, "Every part of the page", hardest=texts)
    return render(sources)


def browse(folder, html, size, *switches, file="index.html"):
    """The DOM after a page was loaded, and what the browser said on its error stream."""
    (folder / file).write_text(html, encoding="utf-8")
    done = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", *switches,
            f"--window-size={size[0]},{size[1]}", f"--user-data-dir={folder / 'profile'}",
            "--enable-logging=stderr", "--virtual-time-budget=8000", "--dump-dom", f"file://{folder / file}",
        ],
        capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    return done.stdout, done.stderr


def look(folder, html, size):
    (folder / "index.html").write_text(html.replace("</body>", _LOOK), encoding="utf-8")
    frame = _FRAME.format(width=size[0], height=size[1])
    dom, said = browse(folder, frame, (max(size[0], 600), size[1]), file="frame.html")
    # Pages of the browser itself write to the same stream, such as one of its fonts that came late.
    console = [line for line in said.splitlines() if "CONSOLE" in line and "source: chrome://" not in line]
    found = re.search(r"<title>(\{.*?\})</title>", dom)
    assert found, "the script of the test did not end:\n" + "\n".join(console)
    return json.loads(found[1]), console


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_page_shows_every_picture_and_logs_no_error(tmp_path, page, size):
    found, console = look(tmp_path, page, size)
    assert console == []
    # of other families there is no section that shows theirs; the enlarged figure has no source until it is asked for
    others = (*Similarity.products, *Geometry.products, *Retrieval.products, *Training.products)
    shown = sum(
        product.kind == products.FIGURE and product not in others for product in products.known_products()
    )
    assert (found["pictures"], found["broken"]) == (shown + 1, 1)
    assert found["buttons"] > 20


def overflow(found):
    """By how many pixels tabs are wider than the window, folded and open; empty is as it should be."""
    return {
        name: (tab["tooWide"], tab["openTooWide"])
        for name, tab in found["tabs"].items()
        if max(tab["tooWide"], tab["openTooWide"]) > 0
    }


def test_nothing_but_tables_is_wider_than_a_phone(tmp_path, page):
    found, _ = look(tmp_path, page, PHONE)
    assert overflow(found) == {}


def test_addresses_the_back_button_and_the_search_open_the_tab(tmp_path, page):
    found, _ = look(tmp_path, page, DESKTOP)
    assert found["first"] == ["tab-overview"]
    assert list(found["tabs"])[-1] == "tab-overview" and len(found["tabs"]) == 3
    for name, tab in found["tabs"].items():
        assert (tab["shown"], tab["current"], tab["blank"]) == ([name], [name], 0)
    assert found["tabs"]["tab-probes"]["top"] < 60  # it begins below the tabs
    assert found["task"] == {"tab": "tab-data-and-method", "shown": ["tab-data-and-method"], "open": True}
    assert found["back"] == ["tab-overview"]
    assert found["searched"] == ["tab-data-and-method"]


def test_columns_are_hidden_and_numbers_copied(tmp_path, page):
    found, _ = look(tmp_path, page, DESKTOP)
    assert found["visible"] == found["columns"] - 1
    spreadsheet, markdown = (text.splitlines() for text in found["copied"])
    heads = spreadsheet[0].split("\t")
    assert heads[:4] == ["Encoder", "Mean score", "Mean score, low", "Mean score, high"]
    assert "Against the first" not in heads + markdown[0].split(" | ")
    assert len({len(line.split("\t")) for line in spreadsheet}) == 1
    first = spreadsheet[1].split("\t")
    assert first[0] == "all-MiniLM-L6-v2" and 0 < float(first[2]) < float(first[1]) < float(first[3])
    assert spreadsheet[3].startswith("Bag of words (control)\t")
    assert re.match(r"\| all-MiniLM-L6-v2 \| 0\.\d{3} \[0\.\d{3}, 0\.\d{3}\] \| ", markdown[2])
    assert markdown[1].startswith("| --- | ---: |")


def test_every_figure_can_be_saved(tmp_path, page):
    found, _ = look(tmp_path, page, DESKTOP)
    assert len(found["saved"]) == found["pictures"] - 1
    assert {"heatmap.svg", "costs.svg"} <= set(found["saved"])


@pytest.fixture(scope="module", params=[2, 8, 20])
def page_of_many(request, tmp_path_factory):
    """Two, eight or twenty encoders with long names, on tasks and on pair sets."""
    folder = tmp_path_factory.mktemp(f"page-{request.param}")
    for name in products.names(products.FIGURE):
        (folder / f"{name}.svg").write_text(SVG)
    base = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"], models=["minilm-l6"])
    names = {
        f"m{place}": f"organisation/multilingual-legal-sentence-encoder-{size}-version-{place}"
        for place in range(request.param)
        for size in [("large", "base", "small")[place % 3]]
    }
    scores = [
        dataclasses.replace(row, model=model, model_title=title, mean=row.mean - 0.02 * place)
        for row in base
        for place, (model, title) in enumerate(names.items())
    ]
    pairs = ["STS12", "STSB-test"]
    data = SimilarityData.read(
        list(fake_similarity.summarise(folder / "pairs", pairs=pairs, models=["third"]).values())
    )
    many = {
        field.name: [
            dataclasses.replace(row, model=model, model_title=title)
            for row in getattr(data, field.name)
            for model, title in names.items()
            if row.model == "third"
        ]
        for field in dataclasses.fields(data)
        if field.name != "differences"
    }
    entry = {
        "title": "A set of pairs", "dataset": "sts", "family": "f", "scale": [0, 5], "language": "en",
        "data_version": "raw",
    }  # fmt: skip
    sources = sources_of(
        folder,
        scores,
        "Many encoders",
        curves=fake_summary.curve_rows(scores[:1]),
        models={name: {"title": title} for name, title in names.items()},
        similarity=SimilarityData(**many),
        pair_sets=dict.fromkeys((*pairs, "STSB-train", "STSB-dev"), entry),
    )
    return render(sources)


@pytest.mark.parametrize("width", [390, 768, 1400])
def test_page_is_no_wider_than_the_window_however_many_encoders(tmp_path, page_of_many, width):
    found, _ = look(tmp_path, page_of_many, (width, 900))
    assert (found["width"], overflow(found)) == (width, {})


@pytest.fixture(scope="module", params=[2, 20])
def page_of_retrievers(request, tmp_path_factory):
    """Two or twenty retrievers with long names on eight question sets, with groups and published values."""
    folder = tmp_path_factory.mktemp(f"retrievers-{request.param}")
    for name in products.names(products.FIGURE):
        (folder / f"{name}.svg").write_text(SVG)
    names = [f"r{place}" for place in range(request.param)]
    sets = [f"a-question-set-of-some-agency-{place}" for place in range(8)]
    titles = {name: f"organisation/multilingual-legal-sentence-encoder-{name}-passages" for name in names}
    found = fake_retrieval.results(sets, names, titles)
    by_kind = found.by_kind() | {RetrievalRow: fake_retrieval.with_groups(found.rows)}
    entry = {
        "title": "Questions of citizens", "corpus": "laws", "dataset": "own", "language": "pt", "data_version": "raw",
        "labels": "human: articles that answer the question in the opinion of two clerks",
    }  # fmt: skip
    value = {
        "system": "BM25 of a paper with a long name",
        "measure": "nDCG@10",
        "value": 0.5,
        "retriever": "r0",
    }
    source = {
        "source": "https://an.address/that/is/long/and/cannot/be/broken/at/a/space",
        "remark": "With stems.",
    }
    sources = page_sources(
        retrieval=by_kind,
        costs=fake_summary.cost_rows(),
        checks=[],
        experiment={"title": "Many retrievers", "description": "A first run."},
        tasks={}, models={}, datasets={"own": {"title": "Own", "licence": "CC BY 4.0", "citation": "none"}},
        question_sets=dict.fromkeys(sets, entry),
        corpora={"laws": {"title": "Laws", "dataset": "own"}},
        published={"retrieval-published": [{"questions": name, **value, **source} for name in sets]},
        config="select: {}\n",
        versions={"python": "3", "platform": "x", "libraries": {"sentflow": "0"}, "git": None},
        files=sorted(folder.glob("*.svg")),
    )  # fmt: skip
    return render(sources)


@pytest.mark.parametrize("width", [390, 768, 1400])
def test_page_of_retrieval_is_no_wider_than_the_window(tmp_path, page_of_retrievers, width):
    found, console = look(tmp_path, page_of_retrievers, (width, 900))
    assert (found["width"], console, overflow(found)) == (width, [], {})
    for part in ("Published values", "Groups of questions", "First before second", "two clerks"):
        assert part in page_of_retrievers


def test_tables_are_sorted_and_filtered_and_figures_enlarged(tmp_path, page):
    found, _ = look(tmp_path, page, DESKTOP)
    assert found["direction"] == "descending"
    assert found["sorted"] == sorted(found["sorted"], reverse=True)
    assert found["left"] == 1
    assert found["enlarged"] is True


def test_abusive_texts_stay_hidden_also_in_print(tmp_path, page):
    found, _ = look(tmp_path, page, DESKTOP)
    assert found["shown"] == 0
    assert found["printed"] == 1  # the abusive ones alone
    assert found["printedAbusive"] == 0


def printed_pages(folder, html):
    """How many pages of paper a page takes."""
    browse(folder, html, DESKTOP, f"--print-to-pdf={folder / 'page.pdf'}")
    return len(re.findall(rb"/Type /Page\b", (folder / "page.pdf").read_bytes()))


def test_all_tabs_are_printed(tmp_path, page):
    one_tab = page.replace(".tab[hidden] { display: block !important; content-visibility: visible; }", "")
    assert one_tab != page
    without = page.replace("script-src 'unsafe-inline'", "script-src 'none'")
    assert printed_pages(tmp_path, page) > 0.8 * printed_pages(tmp_path, without)
    assert printed_pages(tmp_path, one_tab) < 0.5 * printed_pages(
        tmp_path, without
    )  # what the test would find


def test_a_page_with_an_error_would_be_found_out(tmp_path, page):
    broken = page.replace(
        "</main>", "<script>undefined_name();</script><img src='data:image/png;base64,AA' alt='x'></main>"
    )
    found, console = look(tmp_path, broken, DESKTOP)
    assert any("undefined_name" in line for line in console)
    assert found["broken"] == 2


def test_page_can_be_read_without_javascript(tmp_path, page):
    without = page.replace("script-src 'unsafe-inline'", "script-src 'none'")
    dom, _ = browse(tmp_path, without, DESKTOP)
    assert "<title>Every part of the page (sample data)</title>" in dom
    assert "th button" not in re.sub(r"<style>.*?</style>|<script>.*?</script>", "", dom, flags=re.DOTALL)
    assert dom.count("<table") == page.count("<table")
