"""The report page: complete in itself, escaped, honest in its summary, and free of this machine."""

import dataclasses
import math
import re
import shutil
import subprocess
from html.parser import HTMLParser

import fake_summary
import pytest

from sentflow.report.checks import CheckResult
from sentflow.report.findings import findings
from sentflow.report.page import Sources, flat, render, without_machine_paths
from sentflow.report.strips import Axis, strip

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'


class Elements(HTMLParser):
    """Collects start tags with their attributes, and whether every tag is closed."""

    VOID = {"meta", "link", "img", "input", "br"}

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


def make_sources(tmp_path, **changes):
    for name in ("heatmap", "forest", "curves", "costs"):
        (tmp_path / f"{name}.svg").write_text(SVG)
    (tmp_path / "scores.csv").write_text("task,model\nF3,é\n", encoding="utf-8")
    scores = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])
    sources = Sources(
        scores=scores,
        curves=fake_summary.curve_rows(scores),
        costs=fake_summary.cost_rows(),
        checks=[CheckResult("complete", "All there.", {"scores": 12})],
        experiment={"title": "Ulysses on sample data", "description": "A first run."},
        tasks={"T1A-sample": {"dataset": "sample-t1a"}},
        models={"minilm-l6": {"title": "all-MiniLM-L6-v2", "source": {"path": "/home/maria/models/minilm"}}},
        datasets={"sample-t1a": {"title": "Sample T1A", "licence": "MIT", "citation": "none"}},
        config="mirrors:\n- /data/espelho/real\nselect: {}\n",
        versions={"python": "3.11.7", "platform": "Linux", "libraries": {"sentflow": "0.1.0"}, "git": None},
        files=[*sorted(tmp_path.glob("*.svg")), tmp_path / "scores.csv"],
    )
    return dataclasses.replace(sources, **changes)


def test_page_asks_the_network_for_nothing(tmp_path):
    page = render(make_sources(tmp_path))
    for tag, attributes in elements(page):
        for name in ("src", "href", "data", "poster", "srcset"):
            address = attributes.get(name, "")
            if address and not address.startswith(("data:", "#")):
                assert (tag, name) == ("a", "href"), address
    assert "default-src 'none'" in page
    assert "@import" not in page
    assert "url(" not in page


def test_every_picture_has_an_alternative_text(tmp_path):
    found = elements(render(make_sources(tmp_path)))
    pictures = [attributes for tag, attributes in found if tag == "img"]
    assert len(pictures) == 4
    assert all(len(attributes["alt"]) > 30 for attributes in pictures)
    strips = [attributes for tag, attributes in found if tag == "svg"]
    assert all(attributes["role"] == "img" and attributes["aria-label"] for attributes in strips)


def test_links_inside_the_page_have_a_target(tmp_path):
    found = elements(render(make_sources(tmp_path)))
    names = {attributes.get("id") for _, attributes in found}
    for tag, attributes in found:
        if tag == "a" and attributes["href"].startswith("#"):
            assert attributes["href"][1:] in names


def test_texts_are_escaped(tmp_path):
    evil = "<script>alert('é')</script>"
    scores = [
        dataclasses.replace(row, task_title=evil, model_title=evil) for row in make_sources(tmp_path).scores
    ]
    page = render(
        make_sources(
            tmp_path,
            scores=scores,
            experiment={"title": evil, "description": evil},
            datasets={"sample-t1a": {"title": evil, "licence": evil, "citation": evil, "note": evil}},
            checks=[CheckResult("intervals", evil, {}, [evil])],
            config=evil,
        )
    )
    assert "<script>alert" not in page
    assert len([tag for tag, _ in elements(page) if tag == "script"]) == 1


def test_address_of_data_must_be_of_the_web(tmp_path):
    datasets = {"sample-t1a": {"title": "T", "homepage": "javascript:alert(1)"}}
    assert "javascript:" not in render(make_sources(tmp_path, datasets=datasets))


def test_paths_of_this_machine_are_cut(tmp_path):
    page = render(make_sources(tmp_path))
    assert "/home/maria" not in page
    assert "/data/espelho" not in page
    assert "…/minilm" in page
    assert str(tmp_path) not in page


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path: /home/maria/models/x", "path: …/x"),
        ("~/models/x", "…/x"),
        ("file:///srv/a/b.zip", "…/b.zip"),
        (r"C:\Users\maria\x.csv", "…x.csv".replace("…", "…/")),
        ("https://example.org/a/b/c", "https://example.org/a/b/c"),
        ("results/probes/T1A/x", "results/probes/T1A/x"),
        ("and/or, 3 / 4", "and/or, 3 / 4"),
        ("sentence-transformers/all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"),
    ],
)
def test_only_absolute_paths_are_cut(text, expected):
    assert without_machine_paths(text) == expected


def test_sample_data_are_called_so_at_the_top(tmp_path):
    page = render(make_sources(tmp_path))
    assert '<span class="badge sample">sample data</span>' in page
    assert "(sample data)</title>" in page


def test_real_data_have_no_sample_badge(tmp_path):
    scores = fake_summary.score_rows(tasks=["T1A"], data_version="HateBR 2.0")
    page = render(
        make_sources(
            tmp_path,
            scores=scores,
            curves=fake_summary.curve_rows(scores),
            costs=fake_summary.cost_rows("HateBR 2.0"),
            experiment={"title": "Open data"},
        )
    )
    assert '<span class="badge">HateBR 2.0</span>' in page
    assert "sample data" not in page


def test_failed_check_is_shown_with_its_rows(tmp_path):
    failed = CheckResult("controls", "Near chance.", {"random_scores": 3}, ["T1A × random: score 0.310"])
    page = render(make_sources(tmp_path, checks=[failed]))
    assert "✗ failed" in page
    assert "T1A × random: score 0.310" in page


def test_licence_and_citation_of_the_data_stand_with_the_task(tmp_path):
    page = render(make_sources(tmp_path))
    details = page[page.index('<details id="task-T1A-sample">') :]
    assert "MIT" in details[: details.index("</details>")]


def test_page_without_figures_and_files_is_still_a_page(tmp_path):
    found = elements(render(make_sources(tmp_path, files=[])))
    assert not [tag for tag, _ in found if tag in ("img", "figure")]


def test_missing_cell_and_missing_average_are_dashes(tmp_path):
    sources = make_sources(tmp_path)
    page = render(dataclasses.replace(sources, scores=sources.scores[:-1]))
    foot = page[page.index("<tfoot>") : page.index("</tfoot>")]
    assert foot.count("—") == 1


def test_equal_sources_give_equal_pages(tmp_path):
    assert render(make_sources(tmp_path)) == render(make_sources(tmp_path))


def test_nothing_is_bold_in_the_table_of_scores(tmp_path):
    page = render(make_sources(tmp_path))
    body = page[page.index('<table class="scores"') :]
    assert not re.search(r"<(b|strong)\b", body[: body.index("</table>")])


def test_nested_settings_become_pairs():
    assert flat(
        {"source": {"sha256": {"a.bin": "12"}}, "ngram_range": [1, 3], "title": "T", "x": None}, ["title"]
    ) == [
        ("source.sha256.a.bin", "12"),
        ("ngram_range", "1, 3"),
    ]


def test_strip_of_a_degenerate_row_has_no_bars():
    row = fake_summary.one_row(degenerate=True)
    picture = strip(row, Axis(-0.1, 1.0))
    assert "wide" not in picture
    assert "no interval" in picture


# --- the summary in plain words ---


def said(rows, heading):
    return next(finding.text for finding in findings(rows) if finding.heading.startswith(heading))


def two_models(first, second):
    return [
        fake_summary.one_row(mean=first[1], generalisation_low=first[0], generalisation_high=first[2]),
        fake_summary.one_row(
            model="tfidf",
            model_title="TF-IDF",
            mean=second[1],
            generalisation_low=second[0],
            generalisation_high=second[2],
        ),
    ]


def test_lead_is_clear_only_if_the_intervals_do_not_touch():
    apart = two_models((0.51, 0.6, 0.69), (0.3, 0.4, 0.5))
    touching = two_models((0.5, 0.6, 0.69), (0.3, 0.4, 0.5))
    assert said(apart, "How clear").startswith("On 1 of 1 task the 99\u202f% generalisation interval")
    assert said(touching, "How clear").startswith("On 0 of 1 task")


def test_lead_is_never_called_a_test():
    text = said(two_models((0.51, 0.6, 0.69), (0.3, 0.4, 0.5)), "How clear")
    assert "This is no test." in text
    assert "significant" not in text


def test_degenerate_scores_lead_nobody():
    rows = two_models((1.0, 1.0, 1.0), (0.3, 0.4, 0.5))
    rows[0] = dataclasses.replace(rows[0], degenerate=True)
    assert said(rows, "How clear").startswith("On 0 of 1 task")
    assert "no interval: all-MiniLM-L6-v2 on T1A-sample" in said(rows, "Gaps")


def test_shared_first_place_is_counted_for_each():
    rows = two_models((0.3, 0.4, 0.5), (0.3, 0.4, 0.5))
    assert said(rows, "Highest") == (
        "all-MiniLM-L6-v2 on 1 of 1 and TF-IDF on 1 of 1 task. "
        "On 1 task the highest score is shared and counted for each."
    )


def test_encoder_below_a_control_is_said():
    rows = two_models((0.3, 0.4, 0.5), (0.5, 0.6, 0.7))
    rows[1] = dataclasses.replace(rows[1], is_control=True)
    assert "No encoder scores higher than the best control on T1A-sample." in said(rows, "Against")


def test_incomplete_models_get_no_average_in_words():
    rows = fake_summary.score_rows(tasks=["T1A", "T1B"], models=["minilm-l6", "tfidf"])
    assert "No average for TF-IDF" in said(rows[:3], "Average over 2")


def test_absent_and_undefined_scores_are_said():
    rows = fake_summary.score_rows(tasks=["T1A", "T1B"], models=["minilm-l6", "tfidf"])
    rows[0] = dataclasses.replace(rows[0], mean=math.nan)
    text = said(rows[:3], "Gaps")
    assert "No score: all-MiniLM-L6-v2 on T1A-sample and TF-IDF (3000 word 1–3-grams) on T1B-sample." in text


def test_single_encoder_on_a_single_task_needs_no_comparison():
    headings = [finding.heading for finding in findings([fake_summary.one_row(is_control=False)])]
    assert headings == ["Highest score", "How precise the scores are"]


# --- in a browser ---


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs the browser chromium")
def test_browser_loads_all_pictures_sorts_and_logs_no_error(tmp_path):
    page = render(make_sources(tmp_path))
    probe = """<script>
      addEventListener("load", () => {
        const header = document.querySelector("table.scores").tHead.rows[0].cells[4];
        header.querySelector("button").click();
        const pictures = Array.from(document.querySelectorAll("figure img"));
        const broken = pictures.filter((image) => image.naturalWidth === 0);
        document.title = `${header.getAttribute("aria-sort")} ${pictures.length} ${broken.length}`;
      });
    </script></body>"""
    (tmp_path / "index.html").write_text(page.replace("</body>", probe), encoding="utf-8")
    done = subprocess.run(
        [
            "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={tmp_path / 'profile'}", "--enable-logging=stderr", "--dump-dom",
            f"file://{tmp_path / 'index.html'}",
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in done.stderr
    # four figures, none of them broken
    assert "<title>descending 4 0</title>" in done.stdout
