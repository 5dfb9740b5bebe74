"""The page in Chromium: nothing is cut, overlaps or scrolls sideways, sorting and keyboard work, no error is logged."""

import tempfile

import chromium
import fake_comparisons
import fake_similarity
import fake_summary
import pytest

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.report.checks import CheckResult
from sentflow.report.costs.rows import CostRow
from sentflow.report.inputs import Inputs
from sentflow.report.page.page import render
from sentflow.report.page.sources import Sources

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(chromium.PROGRAM is None, reason="needs Chromium (Debian's package chromium)"),
]
WIDTHS = (390, 768, 1400)
# (encoders, tasks, whether names have 60 characters)
SIZES = [
    (1, 1, False),
    (2, 1, False),
    (2, 3, False),
    (8, 18, False),
    (20, 18, False),
    (40, 18, True),
]
VERSIONS = {"python": "3.11.7", "platform": "Linux", "libraries": {"sentflow": "0.1.0"}, "git": None}
# Elements whose text or width is larger than what is shown of it, and neighbours in a row whose texts overlap
FAULTS = """(() => {
  const hidden = e => !e.getClientRects().length || e.closest('.vh');
  const inner = e => e.closest('.scroll, pre');
  const name = e => `${e.tagName}.${e.className.baseVal ?? e.className} ${e.textContent.trim().slice(0, 40)}`;
  const faults = [];
  for (const e of document.querySelectorAll('main *, header *, nav *')) {
    if (hidden(e) || inner(e) || e.closest('svg')) continue;
    const box = e.getBoundingClientRect();
    if (box.right > innerWidth + 1 || box.left < -1) faults.push('outside: ' + name(e));
    const clips = e.clientWidth && getComputedStyle(e).overflowX !== 'visible';
    if (clips && e.scrollWidth > e.clientWidth + 1) faults.push('cut: ' + name(e));
  }
  const texts = e => {
    const walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), range = document.createRange(), rects = [];
    while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('.vh') && walker.currentNode.data.trim()) {
      range.selectNodeContents(walker.currentNode);
      rects.push(...[range.getBoundingClientRect()].filter(r => r.width));
    }
    const end = (f, key) => f(...rects.map(r => r[key]));
    const [left, top] = ['left', 'top'].map(key => end(Math.min, key));
    const [right, bottom] = ['right', 'bottom'].map(key => end(Math.max, key));
    return {left, top, right, bottom};
  };
  for (const row of document.querySelectorAll('tr')) {
    if (hidden(row)) continue;
    const shown = [...row.cells].filter(c => !hidden(c) && c.textContent.trim() && !c.classList.contains('plot'));
    const cells = shown.map(c => [c, texts(c)]);
    for (const [i, [a, x]] of cells.entries()) for (const [b, y] of cells.slice(i + 1)) {
      const across = Math.min(x.right, y.right) - Math.max(x.left, y.left);
      const down = Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top);
      if (across > 2 && down > 2) faults.push(`overlap: ${name(a)} | ${name(b)}`);
    }
  }
  return [...new Set(faults)].slice(0, 10);
})()"""
# Texts in pictures that overlap, or reach over the edge of the picture that is opened or of the page
FAULTS_OF_PICTURES = """(() => {
  const faults = [], root = document.documentElement.getBoundingClientRect();
  for (const svg of document.querySelectorAll('svg')) {
    const lying = t => !/rotate\\(-?(?!0[ )])/.test(t.getAttribute('transform'));
    const words = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim());
    const texts = words.map(t => [t, t.getBoundingClientRect()]);
    for (const [i, [a, x]] of texts.entries()) {
      const right = Math.max(root.right, innerWidth);
      if (x.left < -1 || x.right > right + 1 || x.top < root.top - 1) faults.push('outside: ' + a.textContent);
      for (const [b, y] of lying(a) && x.width ? texts.slice(i + 1) : []) {
        const across = Math.min(x.right, y.right) - Math.max(x.left, y.left);
        const down = Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top);
        if (across > 1 && down > 3 && lying(b)) faults.push(`overlap: ${a.textContent} | ${b.textContent}`);
      }
    }
  }
  return [...new Set(faults)].slice(0, 10);
})()"""


def page(encoders, tasks, long, folder):
    """A page of invented scores, with similarity where there are several tasks."""
    rows = fake_summary.many_rows(encoders, tasks, long=long)
    compared = (
        fake_comparisons.comparisons(rows) if encoders > 1 and encoders * tasks < 800 else Comparisons()
    )
    similarity = fake_similarity.summarised() if tasks > 1 else fake_similarity.Results()
    held = {
        ScoreRow: rows,
        Comparisons: compared,
        **similarity.by_kind(),
        CostRow: fake_summary.cost_rows(),
    }
    folds = (
        {rows[0].task: {row.model: [row.mean + i / 100 for i in range(5)] for row in rows}}
        if tasks == 1
        else {}
    )
    for table in ("scores", "tasks", "sts"):
        (folder / f"{table}.csv").touch()
    settings = {
        "experiment": {"title": "Invented encoders", "description": "None of them exists."},
        "protocols": [],
    }
    files = [folder / "scores.csv", folder / "tasks.csv", *([folder / "sts.csv"] if tasks > 1 else [])]
    checks = [
        CheckResult("complete", "All there.", {"scores": 12}),
        CheckResult("controls", "Low.", {}, ["high"]),
    ]
    file = folder / "page.html"
    file.write_text(
        render(Sources(Inputs.holding(held), settings, checks, "select: {}\n", VERSIONS, files, folds=folds)),
        encoding="utf-8",
    )
    return file


@pytest.fixture(scope="module")
def browser():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        started = chromium.Browser(folder)
        yield started
        started.close()


@pytest.mark.parametrize(("encoders", "tasks", "long"), SIZES)
def test_nothing_is_cut_overlaps_or_scrolls_sideways(browser, tmp_path, encoders, tasks, long):
    file = page(encoders, tasks, long, tmp_path)
    for width in WIDTHS:
        for dark in (False, True):
            browser.open(file, width, dark=dark)
            assert browser.run("document.documentElement.scrollWidth") <= width
            assert browser.run(FAULTS) == []
            assert browser.run(FAULTS_OF_PICTURES) == []
            browser.run("document.querySelectorAll('details').forEach(x => x.open = true)")
            assert browser.run("document.documentElement.scrollWidth") <= width
            assert browser.run(FAULTS) == []
            assert browser.errors == []


def test_sorting_keyboard_links_and_paper(browser, tmp_path):
    file = page(8, 18, False, tmp_path)
    browser.open(file, 1400)
    browser.press("Tab")  # the first stop leads past the navigation
    assert browser.run("document.activeElement.hash") == "#leaderboard"
    assert browser.run("document.activeElement.getBoundingClientRect().width") > 50
    first = "document.querySelector('.sortable tbody tr').cells[0].textContent"
    browser.run("document.querySelector('.sortable').closest('details').open = true")
    before = browser.run(first)
    browser.run("document.querySelectorAll('.sortable thead button')[0].focus()")
    for _ in range(2):
        browser.press("Enter")
    assert browser.run("document.querySelector('.sortable th').getAttribute('aria-sort')") == "descending"
    assert browser.run(first) != before
    browser.run("document.querySelector('main a.term').focus()")
    browser.press("Enter")
    assert browser.run("document.querySelector(location.hash).tagName") == "DIV"
    assert browser.errors == []
    assert browser.pdf().count(b"/Type /Page\n") > 2 or len(browser.pdf()) > 50_000
    browser.open(file, 390, script=False)
    assert "Encoder" in browser.run("document.querySelector('.verdict').textContent")
    assert browser.run("document.documentElement.scrollWidth") <= 390
