"""Tables by a real TeX: no error, and nothing wider or longer than a page."""

import re
import shutil
import subprocess
from pathlib import Path

import fake_comparisons
import fake_retrieval
import fake_similarity
import fake_summary
import pytest
import yaml
from made_products import TABLES_OF_PAIRS

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.rows import QuestionDifference
from sentflow.compare.score_rows import ScoreRow
from sentflow.flow import products
from sentflow.flow.products import TABLE
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.table.latex import compact_latex_text, latex_text
from sentflow.report.table.table import made

WORKFLOW = Path(__file__).parents[2] / "workflow"
PACKAGES = r"\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{adjustbox,array,booktabs}"


def made_tables():
    """Tables with one to twenty encoders, short and long texts, marks, letters and published values."""
    for rows in (fake_summary.many_rows(20, 3), fake_summary.score_rows(tasks=["F1A", "T1A"])):
        scores = Inputs.holding({ScoreRow: rows, Comparisons: fake_comparisons.comparisons(rows)})
        yield from ((name, scores) for name in ("scores", "differences", "ranks", "tasks"))
    pairs = fake_similarity.inputs(fake_similarity.summarised([*fake_similarity.SEVEN, "KorSTS-test"]))
    yield from ((name, pairs) for name in TABLES_OF_PAIRS)
    found = fake_retrieval.results()
    searched = Inputs.holding({RetrievalRow: found.rows, QuestionDifference: found.differences})
    yield from ((name, searched) for name in ("retrieval", "retrieval-differences"))


@pytest.mark.nightly
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="texlive-latex-extra has pdflatex and adjustbox")
@pytest.mark.parametrize("columns", ["onecolumn", "twocolumn"])
def test_every_table_compiles_and_fits_the_page(tmp_path, columns):
    published = yaml.safe_load((WORKFLOW / "catalog/published_similarity.yaml").read_text(encoding="utf-8"))
    texts = []
    for name, inputs in made_tables():
        table = made(products.find(TABLE, name), inputs, r"A & B_1 50 %", published.get(name, ()))
        texts += [latex_text(table), *([compact_latex_text(table)] if table.matrix else [])]
    document = "\n\\clearpage\n".join(texts)
    (tmp_path / "all.tex").write_text(
        rf"\documentclass[{columns}]{{article}}{PACKAGES}\begin{{document}}{document}\end{{document}}",
        encoding="utf-8",
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert not re.findall(r"Overfull \\hbox.*|.*Float too large.*", done.stdout)
