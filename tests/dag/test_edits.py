"""Which jobs run again after an edit of files: exactly those that the edit can change."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from workflow_copy import PACKAGE, planned

AFTER_SCORES = ("compare", "summarise", "summarise_costs", "table", "figure", "check", "report")
AFTER_COMPARE = (
    *(f"table …{name}" for name in ("scores", "intervals", "differences", "ranks", "matches", "power")),
    *(f"figure …{name}" for name in ("critical-difference", "ranks", "wins", "differences")),
    "check …tables",
    "report",
)
AFTER_COSTS = (
    *(f"table …{name}" for name in ("costs", "encoders")),
    *(f"figure …{name}" for name in ("costs", "sizes", "speed")),
    "report",
)
AFTER_TABLES = (
    "collect_texts",
    "embed",
    "probe",
    "probe_lazy",
    "hardest",
    "score",
    *AFTER_SCORES,
)


def jobs(everything: set[str], *rules_or_jobs: str) -> set[str]:
    """Those of `everything` that belong to a rule, or end as ``"rule …end"`` says; each must exist."""
    found: set[str] = set()
    for wanted in rules_or_jobs:
        rule, _, end = wanted.partition(" …")
        belonging = {job for job in everything if job.split()[0] == rule and job.endswith(end)}
        assert belonging, f"there is no job {wanted}"
        found |= belonging
    return found


def edit(file: Path) -> None:
    """Add a line of code that changes nothing but the code."""
    with file.open("a", encoding="utf-8") as stream:
        stream.write("\n_ADDED_BY_A_TEST = 1\n")


def python_files(project: Path) -> Iterator[Path]:
    return (file for file in (project / PACKAGE).rglob("*.py") if file.stat().st_size > 0)


def test_everything_is_a_job_of_every_stage(everything):
    stages = {"generate", "prepare", "fetch_model", "record", "audit", *AFTER_TABLES}
    assert {job.split()[0] for job in everything} == stages
    assert len(jobs(everything, "probe", "probe_lazy")) == 9


def test_a_second_run_does_nothing(finished):
    assert planned(finished) == set()


def test_a_finished_project_can_be_moved(project):
    assert planned(project) == set()


def test_comments_docstrings_and_formatting_run_nothing(project):
    for file in python_files(project):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
                node.body[0] = ast.Expr(ast.Constant("Another docstring."))
        written = ast.unparse(ast.fix_missing_locations(tree))  # loses comments, and lays lines out anew
        file.write_text(f"# A comment.\n{written}\n", encoding="utf-8")
    assert planned(project) == set()


def test_dates_of_files_do_not_count(project):
    files = sorted(file for file in project.rglob("*") if file.is_file() and ".snakemake" not in file.parts)
    for position, file in enumerate(files):
        seconds = 2_000_000_000 + (position * 7919) % len(files)  # in an order that is not the graph's
        os.utime(file, (seconds, seconds))
    assert planned(project) == set()


def test_an_edit_with_an_old_date_is_seen(project, everything):
    file = project / PACKAGE / "stats/repeatability.py"
    edit(file)
    os.utime(file, (1_600_000_000, 1_600_000_000))
    assert planned(project) == jobs(everything, "score", "hardest", *AFTER_SCORES)


@pytest.mark.parametrize(
    ("module", "run_again"),
    [
        ("data/sample/comments.py", ("generate", "prepare", "audit", *AFTER_TABLES)),
        ("data/readers.py", ("prepare", "audit", *AFTER_TABLES)),
        (
            "commands/collect_texts.py",
            ("collect_texts", "embed", "probe", "score …bag-of-words", "score …random", *AFTER_SCORES),
        ),
        ("encoders/fetch.py", ("fetch_model", *AFTER_TABLES[1:])),
        (
            "encoders/sentence_transformer.py",
            ("embed", "probe", "score …bag-of-words", "score …random", *AFTER_SCORES),
        ),
        ("encoders/tfidf.py", ("probe_lazy", "hardest", "score …tfidf", *AFTER_SCORES)),
        ("probing/logistic.py", ("probe", "probe_lazy", "hardest", "score", *AFTER_SCORES)),
        ("probing/features.py", ("probe", "probe_lazy", "hardest", "score", *AFTER_SCORES)),
        ("commands/probe.py", ("probe", "score …bag-of-words", "score …random", *AFTER_SCORES)),
        ("stats/generalisation.py", ("score", "hardest", *AFTER_SCORES)),
        ("audit/similar.py", ("audit", "report")),
        ("audit/hardest.py", ("hardest", "report")),
        ("probing/draws.py", ("audit", "probe", "probe_lazy", "hardest", "score", *AFTER_SCORES)),
        ("stats/paired.py", ("compare", *AFTER_COMPARE)),
        ("stats/across.py", ("compare", *AFTER_COMPARE)),
        ("report/comparison.py", ("compare", *AFTER_COMPARE)),
        ("report/summary.py", AFTER_SCORES),
        ("report/costs.py", ("summarise_costs", *AFTER_COSTS)),
        ("report/table_formats.py", ("table", "check", "report")),
        ("report/heatmap.py", ("figure", "report")),
        ("report/checks.py", ("check", "report")),
        ("report/page.py", ("report",)),
        ("report/record.py", ("record", "report")),
    ],
)
def test_code_runs_the_rules_that_import_it_and_what_follows(project, everything, module, run_again):
    edit(project / PACKAGE / module)
    assert planned(project) == jobs(everything, *run_again)


def test_code_that_all_share_runs_everything(project, everything):
    edit(project / PACKAGE / "io.py")
    assert planned(project) == everything


@pytest.mark.parametrize("module", ["targets.py", "config.py", "provenance.py"])
def test_code_of_the_workflow_itself_runs_nothing(project, module):
    edit(project / PACKAGE / module)
    assert planned(project) == set()


@pytest.mark.parametrize(
    ("file", "run_again"),
    [
        ("report/sentflow.mplstyle", ("figure", "report")),
        ("report/page.html.j2", ("report",)),
        ("report/page.css", ("report",)),
        ("report/page.js", ("report",)),
    ],
)
def test_files_that_code_reads_count_as_code(project, everything, file, run_again):
    edit(project / PACKAGE / file)
    assert planned(project) == jobs(everything, *run_again)


def test_resources_profile_and_environments_run_nothing(project):
    changes = {
        "workflow/rules/probe.smk": [("threads: 1", "threads: 2"), ("mem_mb=1000", "mem_mb=9000")],
        "workflow/rules/embed.smk": [
            ("4000 * attempt", "9000 * attempt"),
            ("120 * attempt", "600 * attempt"),
        ],
        "profiles/default/profile.yaml": [("scheduler: greedy", "scheduler: ilp")],
        "envs/probe.yaml": [("dependencies:", "dependencies:\n  - a-new-package")],
    }
    for name, replacements in changes.items():
        text = (project / name).read_text(encoding="utf-8")
        for old, new in replacements:
            assert old in text, f"{name} has no {old!r}: mend this test"
            text = text.replace(old, new)
        (project / name).write_text(text, encoding="utf-8")
    assert planned(project) == set()


def test_catalog_and_schema_count_only_where_they_are_read(project, everything):
    schema = project / "workflow/schemas/config.schema.yaml"
    text = schema.read_text(encoding="utf-8")
    other_words = text.replace("description: Name of the experiment", "description: Its name")
    assert other_words != text
    schema.write_text(other_words, encoding="utf-8")
    models = project / "workflow/catalog/models.yaml"
    text = models.read_text(encoding="utf-8")
    assert "53aa5117" in text, "no longer the checksum of a model that is not selected: mend this test"
    models.write_text(text.replace("53aa5117", "53aa5118"), encoding="utf-8")
    assert planned(project) == set()
    models.write_text(text.replace("stop_words: portuguese", "stop_words: none"), encoding="utf-8")
    own = jobs(everything, "fetch_model …tfidf", "probe_lazy", "hardest", "score …tfidf")
    assert planned(project) == own | jobs(everything, *AFTER_SCORES)


def test_another_version_of_a_library_runs_what_it_computes(project, everything):
    metadata = project / "workflow/src/scikit_learn-99.0.dist-info/METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: scikit-learn\nVersion: 99.0\n", encoding="utf-8")
    lazy = {job for job in jobs(everything, "score") if job.endswith("/tfidf")}
    assert planned(project) == lazy | jobs(everything, "probe_lazy", "hardest", *AFTER_SCORES)


def test_a_lost_result_is_made_again(project):
    (project / "results/tables/scores.md").unlink()
    assert planned(project) == {"table scores", "check tables", "report"}


def test_a_lost_file_in_between_is_made_again_when_it_is_asked_for(project):
    (project / "results/probes/G3-tiny/random/rep-2/fold-1.parquet").unlink()
    assert planned(project) == set()
    assert planned(project, targets=["probes"]) == {"probe G3-tiny/random"}


def test_a_result_that_was_changed_by_hand_runs_what_reads_it(project, everything):
    file = project / "results/embeddings/random/tiny-exams.json"
    file.write_text(file.read_text(encoding="utf-8") + " ", encoding="utf-8")
    changed = {"probe F3-tiny/random", "score F3-tiny/random"}
    assert planned(project) == changed | jobs(everything, *AFTER_SCORES)
