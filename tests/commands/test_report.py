"""The command `report`, fed by the other commands."""

import json

import fake_summary
import pytest

from sentflow.commands import figure, record, report, table
from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import write_rows
from sentflow.report.costs.rows import CostRow
from sentflow.report.families.probing.rows import CurveRow

SETTINGS = {
    "experiment": {"title": "Relatório de exemplo", "description": ""},
    "tasks": {"T1A-sample": {"dataset": "sample-t1a"}},
    "models": {"minilm-l6": {"title": "all-MiniLM-L6-v2", "kind": "sentence-transformers"}},
    "protocols": [],
    "published": {},
    "datasets": {"sample-t1a": {"title": "Sample T1A", "licence": "MIT", "citation": "none"}},
    "selection": {
        "tasks": ["T1A-sample", "F3-sample"],
        "models": list(fake_summary.MODELS),
        "random_models": ["random"],
    },
}


@pytest.fixture
def folder(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A", "F3"])
    write_rows(tmp_path / "scores.parquet", ScoreRow, rows)
    write_rows(tmp_path / "curves.parquet", CurveRow, fake_summary.curve_rows(rows))
    write_rows(tmp_path / "costs.parquet", CostRow, fake_summary.cost_rows())
    figure.main(
        ["--figure=heatmap", f"--summary={tmp_path}/scores.parquet"]
        + [f"--{suffix}={tmp_path}/heatmap.{suffix}" for suffix in ("pdf", "png", "svg")]
    )
    table.main(
        ["--table=scores", f"--summary={tmp_path}/scores.parquet", '--settings={"caption": "Title"}']
        + [
            "--output",
            *(f"{tmp_path}/scores.{ending}" for ending in ("csv", "md", "tex")),
        ]
    )
    record.main(["--settings={}", f"--config={tmp_path}/config.yaml", f"--versions={tmp_path}/versions.json"])
    return tmp_path


def run(folder, figures, settings=SETTINGS, output="index.html"):
    names = ("scores.csv", "scores.md", "scores.tex")
    return report.main(
        ["--summary", *(f"{folder}/{name}.parquet" for name in ("scores", "curves", "costs"))]
        + ["--tables", *(f"{folder}/{name}" for name in names)]
        + ["--figures", *(f"{folder}/{name}" for name in figures)]
        + [f"--record-config={folder}/config.yaml", f"--record-versions={folder}/versions.json"]
        + ["--checks", "complete", "controls", f"--settings={json.dumps(settings)}"]
        + [f"--output={folder}/{output}"]
    )


def test_page_holds_figures_and_tables(folder):
    assert run(folder, ["heatmap.svg", "heatmap.png"]) == 0
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "Relatório de exemplo" in page
    assert page.count('src="data:image/svg+xml;base64,') == 1
    assert page.count("data:image/png") == 0
    assert page.count(" download=") == 3
    assert page.count("✓ passed") == 2
    assert str(folder) not in page


def test_png_stands_in_for_svg(folder):
    run(folder, ["heatmap.png", "heatmap.pdf"])
    assert (folder / "index.html").read_text(encoding="utf-8").count('src="data:image/png;base64,') == 1


def test_failed_check_does_not_stop_the_report(folder):
    selection = SETTINGS["selection"] | {"models": ["minilm-l6", "outro"]}
    assert run(folder, [], SETTINGS | {"selection": selection}) == 0
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "✗ failed" in page
    assert "T1A-sample × outro: no score" in page


def test_report_has_the_same_bytes_again(folder):
    run(folder, ["heatmap.svg"])
    run(folder, ["heatmap.svg"], output="again.html")
    assert (folder / "index.html").read_bytes() == (folder / "again.html").read_bytes()
