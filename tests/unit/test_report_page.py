"""The report page: complete in itself, escaped, honest in its summary, and free of this machine."""

import dataclasses
import math
import re

import fake_comparisons
import fake_retrieval
import fake_summary
import pytest
from report_pages import SVG, VERSIONS, elements, make_parts, make_sources, page_sources

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.marks import BEST, NOT_WORSE, mark
from sentflow.compare.score_rows import ScoreRow
from sentflow.report.checks import CheckResult
from sentflow.report.families.probing.citations import BENCHMARK, INTERVALS, TESTS
from sentflow.report.families.probing.findings import findings
from sentflow.report.families.probing.strips import Axis, strip
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.page.bibliography import bibtex
from sentflow.report.page.page import flat, render, without_machine_paths
from sentflow.report.table.html import sort_value


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
        dataclasses.replace(row, task_title=evil, model_title=evil) for row in make_parts(tmp_path)["scores"]
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


def test_parts_stand_on_tabs_and_every_part_is_reached_from_the_page(tmp_path):
    page = render(compared_sources(tmp_path))
    found = elements(page)
    tabs = [attributes["id"] for _, attributes in found if attributes.get("class") == "tab"]
    assert tabs == ["tab-overview", "tab-probes", "tab-data-and-method"]
    addresses = {attributes["href"] for tag, attributes in found if tag == "a"}
    sections = [attributes["id"] for tag, attributes in found if tag == "section"]
    assert {f"#{name}" for name in (*tabs, *sections)} <= addresses
    assert "hidden" not in re.sub(r"<style>.*?</style>|<script>.*?</script>", "", page, flags=re.DOTALL)


def test_figures_are_in_the_page_once_and_named_to_be_saved(tmp_path):
    found = elements(render(make_sources(tmp_path)))
    figures = [attributes for tag, attributes in found if tag == "figure"]
    assert {attributes["data-file"] for attributes in figures} == {
        "heatmap.svg", "forest.svg", "curves.svg", "costs.svg",
    }  # fmt: skip
    addresses = [
        value
        for tag, attributes in found
        for value in attributes.values()
        if (value or "").startswith("data:image")
    ]
    assert len(addresses) == len(figures)


def test_encoders_of_other_families_are_no_columns_of_the_scores(tmp_path):
    found = fake_retrieval.results(["laws"], ["dense"]).by_kind()
    page = render(make_sources(tmp_path, retrieval=found))
    assert "DENSE" not in section(page, "scores")
    assert "4 encoders (2 of them controls) turned" in section(page, "summary").replace("\n", "")


def test_checks_are_summed_up_and_open_where_one_failed(tmp_path):
    passed = section(render(make_sources(tmp_path)), "checks")
    assert "✓ 1 of 1 check passed:" in passed and "<details>" in passed
    failed = [CheckResult("near_chance", "Near.", {}, ["x"]), CheckResult("complete", "All there.", {})]
    told = section(render(make_sources(tmp_path, checks=failed)), "checks")
    assert "1 of 2 checks failed:" in told and "near chance." in told and "<details open>" in told


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
    scores = make_parts(tmp_path)["scores"]
    page = render(make_sources(tmp_path, scores=scores[:-1]))
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


def test_overlap_of_intervals_is_never_counted():
    found = findings(two_models((0.51, 0.6, 0.69), (0.3, 0.4, 0.5)))
    assert not any(
        "How clear" in finding.heading or "interval of the highest" in finding.text for finding in found
    )


def test_tasks_that_were_trained_too_little_are_marked_beside_their_scores(tmp_path):
    page = render(make_sources(tmp_path))
    assert re.search(r'<a href="#task-T1A-sample">T1A-sample</a>‡', page)
    assert "‡ Undertrained: with fewer than 512 training rows" in page


def test_degenerate_scores_are_named():
    rows = two_models((1.0, 1.0, 1.0), (0.3, 0.4, 0.5))
    rows[0] = dataclasses.replace(rows[0], degenerate=True)
    assert "no interval: all-MiniLM-L6-v2 on T1A-sample" in said(rows, "Gaps")


def test_controls_are_judged_by_the_tests():
    rows = fake_summary.score_rows(tasks=["T1A"])
    compared = fake_comparisons.comparisons(rows)

    def beaten_on(changed):
        (text,) = [f.text for f in findings(rows, changed) if f.heading == "Comparison with the controls"]
        return text.partition(" of ")[0]

    def all_pairs(p):
        return dataclasses.replace(
            compared, pairs=[dataclasses.replace(pair, p_over_tasks=p) for pair in compared.pairs]
        )

    assert beaten_on(all_pairs(0.001)) == "On 1"
    assert beaten_on(all_pairs(0.9)) == "On 0"
    assert not any("every control" in finding.text for finding in findings(rows))  # nothing was tested


def test_shared_first_place_is_counted_for_each():
    rows = two_models((0.3, 0.4, 0.5), (0.3, 0.4, 0.5))
    assert said(rows, "Highest") == (
        "all-MiniLM-L6-v2 on 1 of 1 and TF-IDF on 1 of 1 task. "
        "On 1 task the highest score is tied and counted for each."
    )


def test_encoder_below_a_control_is_said():
    rows = two_models((0.3, 0.4, 0.5), (0.5, 0.6, 0.7))
    rows[1] = dataclasses.replace(rows[1], is_control=True)
    assert "No encoder scores higher than the best control on T1A-sample." in said(rows, "Comparison")


def test_absent_and_undefined_scores_are_said():
    rows = fake_summary.score_rows(tasks=["T1A", "T1B"], models=["minilm-l6", "tfidf"])
    rows[0] = dataclasses.replace(rows[0], mean=math.nan)
    text = said(rows[:3], "Gaps")
    assert "No score: all-MiniLM-L6-v2 on T1A-sample and TF-IDF (3000 word 1–3-grams) on T1B-sample." in text


def test_single_encoder_on_a_single_task_needs_no_comparison():
    headings = [
        finding.heading for finding in findings([fake_summary.one_row(is_control=False, n_train=600)])
    ]
    assert headings == ["Highest score", "How precise the scores are"]


# --- comparisons, audits, hardest texts ---

COMPARED = ("ranks", "wins", "differences", "differences-to-best", "score-and-cost")


def compared_sources(tmp_path, **changes):
    for name in COMPARED:
        (tmp_path / f"{name}.svg").write_text(SVG)
    plain = make_parts(tmp_path)
    full = {
        "comparisons": fake_comparisons.comparisons(plain["scores"]),
        "encoders": fake_comparisons.encoder_rows(plain["scores"]),
        "audits": {"T1A-sample": fake_comparisons.audit("T1A-sample")},
        "hardest": {
            "T1A-sample": fake_comparisons.hard_texts("T1A-sample", offensive=True),
            "F1A-sample": fake_comparisons.hard_texts("F1A-sample"),
        },
        "files": [*sorted(tmp_path.glob("*.svg")), tmp_path / "scores.csv"],
    }
    return page_sources(**(plain | full | changes))


def section(page, name):
    start = page.index(f'<section id="{name}">')
    return page[start : page.index("</section>", start)]


def test_encoders_are_a_part_of_the_page_only_where_there_are_any(tmp_path):
    assert "#encoders" in render(make_sources(tmp_path))
    found = fake_retrieval.results().by_kind()
    found[RetrievalRow] = [dataclasses.replace(row, is_baseline=True) for row in found[RetrievalRow]]
    page = render(make_sources(tmp_path, scores=[], curves=[], retrieval=found))
    assert 'id="retrieval"' in page
    assert "Stage by stage, with tests" in section(page, "retrieval")
    assert 'id="encoders"' not in page
    assert "#encoders" not in page


def test_page_of_comparisons_is_whole(tmp_path):
    page = render(compared_sources(tmp_path))
    found = elements(page)
    assert len([tag for tag, _ in found if tag == "img"]) == 10
    assert all(len(attributes["alt"]) > 30 for tag, attributes in found if tag == "img")
    names = {attributes.get("id") for _, attributes in found}
    for tag, attributes in found:
        if tag == "a" and attributes["href"].startswith("#"):
            assert attributes["href"][1:] in names
    assert len(names - {None}) == len([1 for _, attributes in found if attributes.get("id")])


def test_bold_and_underlined_scores_are_those_that_tests_mark(tmp_path):
    sources = compared_sources(tmp_path)
    body = section(render(sources), "scores")
    marks = [
        mark(sources.inputs.together(Comparisons).pairs, row.task, row.model)
        for row in sources.inputs.rows(ScoreRow)
    ]
    assert body.count('<strong class="value">') == marks.count(BEST) > 0
    assert body.count("not-worse") == marks.count(NOT_WORSE)


def test_page_without_comparisons_has_no_section_of_them(tmp_path):
    page = render(make_sources(tmp_path))
    assert "comparisons" not in re.findall(r'<section id="([^"]+)"', page)
    assert "#comparisons" not in page


def test_numbers_are_sorted_by_their_value(tmp_path):
    body = section(render(compared_sources(tmp_path)), "power")
    assert re.search(r'<td class="number" data-value="[\d.]+">', body)


def test_warnings_of_the_audit_stand_with_the_task(tmp_path):
    page = render(compared_sources(tmp_path))
    task = page[page.index('<details id="task-T1A-sample">') :]
    task = task[: task.index('<section id="protocol">')]
    assert "2 rows have the same text and different labels." in task
    assert ">1 warning<" in task
    assert "14 rows in 7 groups" in task
    assert "120; 480 rows belong to one" in task


def test_abusive_texts_are_behind_a_click_and_escaped(tmp_path):
    page = render(compared_sources(tmp_path))
    task = page[page.index('<details id="task-T1A-sample">') :]
    hidden = task[task.index('<details class="inner abusive">') :]
    assert "open only if you want to read them" in hidden
    assert "&lt;b&gt;é&lt;/b&gt; &amp; não" in hidden
    assert "<b>é" not in page
    # closed, and kept closed when all others are opened for print
    assert "abusive open" not in page
    assert ":not(.abusive)" in page


def test_other_hard_texts_are_not_called_abusive(tmp_path):
    page = render(compared_sources(tmp_path))
    task = page[page.index('<details id="task-F1A-sample">') : page.index('<details id="task-F3-sample">')]
    assert "Hardest texts" in task
    assert "abusive" not in task


def test_summary_speaks_of_tests_where_there_are_some():
    rows = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])
    found = {one.heading: one.text for one in findings(rows, fake_comparisons.comparisons(rows))}
    assert "significantly better than the second" in found["How clear the lead is"]
    assert "This does not show that the others are equal" in found["How clear the lead is"]
    assert found["Over all tasks"].startswith("all-MiniLM-L6-v2 has the best average rank")
    assert "had to reach" in found["Detectable differences"]


def test_summary_without_a_complete_pair_ranks_nobody():
    rows = fake_summary.score_rows(tasks=["T1A", "T1B"], models=["minilm-l6", "tfidf"])[:3]
    headings = [one.heading for one in findings(rows, fake_comparisons.comparisons(rows))]
    assert "Over all tasks" not in headings


def test_page_says_when_jobs_ran(tmp_path):
    costs = [
        dataclasses.replace(row, started="2026-01-02 03:04:05", ended="2026-01-02 04:05:06")
        for row in fake_summary.cost_rows()
    ]
    page = render(make_sources(tmp_path, costs=costs))
    assert "began on 2026-01-02 03:04:05" in page
    assert "ended on 2026-01-02 04:05:06" in page
    assert "The first job began" not in render(make_sources(tmp_path))


def test_bibtex_holds_data_and_encoders_that_say_whom_to_cite(tmp_path):
    datasets = {
        "sample-t1a": {
            "title": "Hate & love",
            "citation": "Silva 2020, 100 %",
            "homepage": "https://example.org/x",
        }
    }
    models = {"minilm-l6": {"title": "MiniLM", "citation": "Wang 2020"}, "tfidf": {"citation": "none"}}
    page = render(compared_sources(tmp_path, datasets=datasets, models=models))
    cite = section(page, "cite")
    assert "@misc{data-sample-t1a," in cite
    assert r"title = {{Hate \&amp; love}}" in cite
    assert r"Silva 2020, 100 \%" in cite
    assert "@misc{encoder-minilm-l6," in cite
    assert "encoder-tfidf" not in cite
    assert "demsar-2006" in cite
    assert "demsar-2006" not in render(make_sources(tmp_path))
    for entry in bibtex(VERSIONS, datasets, models, [BENCHMARK, INTERVALS, TESTS]).split("\n\n"):
        assert entry.count("{") == entry.count("}"), entry


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("−0.012*", -0.012),
        ("1,037", 1037),
        ("<0.001", 0.0005),
        ("3 h 05 min", 3 * 3600 + 5 * 60),
        ("0.4 s", 0.4),
        ("1.4 GiB", 1.4 * 1024),
        ("31 %", 31),
        ("—", None),
        ("no limit", None),
    ],
)
def test_cells_are_sorted_by_the_number_they_begin_with(text, value):
    assert sort_value(text) == (None if value is None else pytest.approx(value))
