"""Which jobs run again after an edit of files: exactly those that the edit can change."""

import ast
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from workflow_copy import PACKAGE, planned

from sentflow.graph.provenance import PLUMBING

TABLES_OF_SCORES = ("scores", "intervals", "differences", "ranks", "matches", "power", "tasks")
FIGURES_OF_SCORES = (
    "heatmap",
    "forest",
    "family-means",
    "ranks",
    "wins",
    "differences",
    "differences-to-best",
    "curves",
)
COSTS = (
    "summarise_costs",
    *(f"table …{name}" for name in ("costs", "encoders")),
    *(f"figure …{name}" for name in ("costs", "score-and-cost")),
    "check …figures",
)
CHECKS_OF_SCORES = tuple(f"check …{name}" for name in ("complete", "no_missing", "intervals", "controls"))
AFTER_SCORES = (
    "compare",
    "summarise",
    *COSTS,
    *(f"table …{name}" for name in TABLES_OF_SCORES),
    *(f"figure …{name}" for name in FIGURES_OF_SCORES),
    *CHECKS_OF_SCORES,
    "check …tables",
    "report",
)
AFTER_COMPARE = (
    *(f"table …{name}" for name in ("scores", "intervals", "differences", "ranks", "matches", "power")),
    *(
        f"figure …{name}"
        for name in ("ranks", "wins", "differences", "differences-to-best", "score-and-cost")
    ),
    "check …tables",
    "check …figures",
    "report",
)
AFTER_COSTS = (*COSTS[1:], "report")
# What shows similarity, alignment and geometry is made of one summary.
OF_SUMMARY_OF_PAIRS = (
    *COSTS,
    *(f"table …{name}" for name in ("sts", "sts-subsets", "sts-differences", "regressions")),
    *(f"figure …{name}" for name in ("alignment-uniformity", "similarity-histograms")),
    "check …similarity",
    "report",
)
OF_SUMMARY_OF_GEOMETRY = (
    *(f"table …{name}" for name in ("alignments", "geometry")),
    *(f"figure …{name}" for name in ("alignment-uniformity", "spectrum", "truncation")),
    "check …figures",
    "report",
)
AFTER_SIMILARITY = ("summarise_similarity", *OF_SUMMARY_OF_PAIRS)
AFTER_GEOMETRY = ("summarise_geometry", *OF_SUMMARY_OF_GEOMETRY)
AFTER_MEASURES = (*AFTER_SIMILARITY, *AFTER_GEOMETRY)
AFTER_DIFFERENCES = ("table …sts", "table …sts-differences", "check …similarity", "report")
SIMILARITY = ("similarity", "compare_similarity", *AFTER_SIMILARITY)
OF_VECTORS = ("similarity", "compare_similarity", "regress", "align", "geometry", *AFTER_MEASURES)
COLLECT_TASKS = ("collect …tiny-public", "collect …tiny-exams")
COLLECT_PAIRS = ("collect …tiny-sentences",)
OF_PAIRS = (*COLLECT_PAIRS, "permute_texts", "overlap", *OF_VECTORS)
EMBED_TASKS = ("embed …tiny-public", "embed …tiny-exams")
EMBED_PAIRS = ("embed …tiny-sentences", "embed …tiny-sentences-permuted")
AFTER_TABLES = (*COLLECT_TASKS, *EMBED_TASKS, "probe", "probe_lazy", "hardest", "score", *AFTER_SCORES)
AFTER_PAIRS = (*EMBED_PAIRS, *OF_PAIRS)
SCORES_OF_VECTORS = ("probe", "score …bag-of-words", "score …random", *AFTER_SCORES)


def jobs(everything: set[str], *rules_or_jobs: str) -> set[str]:
    """Jobs of a rule, or those whose last wildcard is as ``"rule …last"`` says; each must exist."""
    found: set[str] = set()
    for wanted in rules_or_jobs:
        rule, _, last = wanted.partition(" …")
        belonging = {
            job
            for job in everything
            if job.split()[0] == rule and (not last or job.replace(" ", "/").endswith("/" + last))
        }
        assert belonging, f"there is no job {wanted}"
        found |= belonging
    return found


def edit(file: Path) -> None:
    """Add a line of code that changes nothing but the code."""
    with file.open("a", encoding="utf-8") as stream:
        stream.write("\n_ADDED_BY_A_TEST = 1\n")


@pytest.fixture(scope="module")
def unedited(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished project for tests that undo their edits: to copy one takes half as long as to plan it."""
    return Path(shutil.copytree(finished, tmp_path_factory.mktemp("unedited") / "project"))


def planned_after_edit(project: Path, *names: str) -> set[str]:
    """Jobs that run again after an edit of files of the package, which is then undone."""
    before = {file: file.read_bytes() for file in (project / PACKAGE / name for name in names)}
    for file in before:
        edit(file)
    try:
        return planned(project)
    finally:
        for file, content in before.items():
            file.write_bytes(content)


def slow(module: str, run_again: tuple[str, ...]) -> object:
    """A module whose jobs, or jobs of their kind, run again after the edit of another case, too."""
    return pytest.param(module, run_again, marks=pytest.mark.slow)


def python_files(project: Path) -> Iterator[Path]:
    return (file for file in (project / PACKAGE).rglob("*.py") if file.stat().st_size > 0)


def test_everything_is_a_job_of_every_stage(everything):
    stages = {
        "generate",
        "prepare",
        "prepare_pairs",
        "fetch_model",
        "record",
        "audit",
        *AFTER_TABLES,
        *AFTER_PAIRS,
    }
    assert {job.split()[0] for job in everything} == {stage.partition(" …")[0] for stage in stages}
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
        (
            "texts/sample/media_texts.py",
            ("generate", "prepare", "prepare_pairs", "audit", *AFTER_TABLES, *AFTER_PAIRS),
        ),
        ("texts/readers.py", ("prepare", "audit", *AFTER_TABLES)),
        ("texts/pair_readers.py", ("prepare_pairs", *AFTER_PAIRS)),
        (
            "commands/collect.py",
            (
                *(*COLLECT_TASKS, *EMBED_TASKS, *SCORES_OF_VECTORS),
                *(*COLLECT_PAIRS, *EMBED_PAIRS, "permute_texts", *OF_VECTORS),
            ),
        ),
        (
            "geometry/permuted_texts.py",
            ("permute_texts", "embed …tiny-sentences-permuted", "geometry", *AFTER_GEOMETRY, *COSTS),
        ),
        ("encoders/fetch/model.py", ("fetch_model", *AFTER_TABLES[2:], *EMBED_PAIRS, *OF_VECTORS)),
        ("encoders/fetch/tensors.py", COSTS + ("report",)),
        ("encoders/kinds/tfidf.py", ("probe_lazy", "hardest", "score …tfidf", *AFTER_SCORES)),
        ("probing/kernels/logistic.py", ("probe", "probe_lazy", "hardest", "score", *AFTER_SCORES)),
        slow("probing/features/rows.py", ("probe", "probe_lazy", "hardest", "score", *AFTER_SCORES)),
        ("commands/probe.py", SCORES_OF_VECTORS),
        ("commands/similarity.py", SIMILARITY),
        ("similarity/measures.py", ("geometry", *AFTER_GEOMETRY, *SIMILARITY)),
        ("similarity/overlap.py", ("overlap", "compare_similarity", *AFTER_SIMILARITY)),
        ("compare/pair_sets.py", ("compare_similarity", *AFTER_DIFFERENCES)),
        ("similarity/regressor.py", ("regress", *AFTER_SIMILARITY)),
        ("geometry/measured_alignment.py", ("align", *AFTER_GEOMETRY)),
        slow("geometry/isotropy.py", ("geometry", *AFTER_GEOMETRY)),
        ("report/families/similarity/summary.py", AFTER_SIMILARITY),
        slow("report/families/geometry/summary.py", AFTER_GEOMETRY),
        ("report/families/pair_summaries.py", AFTER_MEASURES),
        ("stats/generalisation.py", ("score", "hardest", *AFTER_SCORES)),
        ("audit/similar.py", ("audit", "report")),
        ("audit/hardest.py", ("hardest", "report")),
        ("probing/protocol/draws.py", ("audit", "probe", "probe_lazy", "hardest", "score", *AFTER_SCORES)),
        ("stats/paired.py", ("compare", *AFTER_COMPARE)),
        slow("stats/across.py", ("compare", *AFTER_COMPARE)),
        slow("compare/tasks.py", ("compare", *AFTER_COMPARE)),
        ("compare/scores.py", AFTER_SCORES),
        ("report/costs/summary.py", ("summarise_costs", *AFTER_COSTS)),
        ("report/table/formats.py", ("table", "check …tables", "check …similarity", "report")),
        ("report/families/probing/heatmap.py", ("figure …heatmap", "check …figures", "report")),
        ("report/families/probing/tasks_table.py", ("table …tasks", "report")),
        slow("report/families/probing/intervals_table.py", ("table …intervals", "check …tables", "report")),
        ("report/families/similarity/sts_table.py", ("table …sts", "check …similarity", "report")),
        slow("report/families/geometry/geometry_table.py", ("table …geometry", "report")),
        slow("report/families/geometry/spectrum.py", ("figure …spectrum", "check …figures", "report")),
        ("report/families/probing/checks.py", (*CHECKS_OF_SCORES, "report")),
        ("report/families/probing/section.py", ("report",)),
        ("report/checks.py", ("check", "report")),
        ("report/page/page.py", ("report",)),
        ("report/record.py", ("record", "report")),
    ],
)
def test_code_runs_the_rules_that_import_it_and_what_follows(unedited, everything, module, run_again):
    assert planned_after_edit(unedited, module) == jobs(everything, *run_again)


OF_NO_JOB = {
    "kinds that no encoder here has": (
        "encoders/kinds/neural/encoder.py",
        "encoders/kinds/api.py",
        "encoders/kinds/embeddings_service.py",
        "encoders/kinds/model2vec.py",
        "encoders/kinds/word_vectors.py",
        "encoders/kinds/custom.py",
        "encoders/kinds/custom_code.py",
        "encoders/kinds/scikit_learn.py",
        "encoders/fetch/neural.py",
        "encoders/fetch/hub.py",
        "encoders/fetch/descriptions.py",
    ),
    "what refuses an entry, or says what each kind is": (
        "encoders/checks/entries.py",
        "encoders/checks/values.py",
        "encoders/checks/prompts.py",
        "encoders/entries.py",
        "encoders/kinds/table.py",
    ),
    "the workflow itself": (
        "graph/targets.py",
        "graph/products.py",
        "graph/config/experiment.py",
        "graph/provenance.py",
    ),
}


@pytest.mark.parametrize("modules", OF_NO_JOB.values(), ids=OF_NO_JOB)
def test_code_of_no_job_runs_nothing(unedited, modules):
    assert planned_after_edit(unedited, *modules) == set()


@pytest.mark.parametrize("kind", ["random", "bag-of-words"])
def test_code_of_one_kind_of_encoder_embeds_with_that_kind_alone(unedited, everything, kind):
    planned_now = planned_after_edit(unedited, f"encoders/kinds/{kind.replace('-', '_')}.py")
    again = {job for job in planned_now if job.split()[0] in ("fetch_model", "embed", "probe", "probe_lazy")}
    of_kind = {
        job for job in jobs(everything, "embed", "probe") if f"{kind}/" in job or job.endswith(f"/{kind}")
    }
    assert again == of_kind
    of_all = jobs(everything, f"score …{kind}", *OF_VECTORS, "hardest", *AFTER_SCORES)
    assert planned_now - of_kind <= of_all


def test_a_new_kind_of_encoder_runs_nothing(project):
    table = project / PACKAGE / "encoders/kinds/table.py"
    text = table.read_text(encoding="utf-8")
    new = """    Kind(
        "new",
        module=f"{_KINDS}.new",
        fetcher=f"{_FETCH}.plain",
        fetch_keys=("kind", "dimension"),
    ),
)

KINDS:"""
    assert ")\n\nKINDS:" in text
    table.write_text(text.replace(")\n\nKINDS:", new), encoding="utf-8")
    (project / PACKAGE / "encoders/kinds/new.py").write_text("X = 1\n", encoding="utf-8")
    assert planned(project) == set()


def test_code_that_all_share_runs_everything(unedited, everything):
    assert planned_after_edit(unedited, "files/io.py") == everything


def test_messages_log_and_whatever_changes_no_byte_run_nothing(project):
    for name in PLUMBING:
        edit(project / PACKAGE.parent / f"{name.replace('.', '/')}.py")
    log = project / PACKAGE / "jobs/log.py"
    text = log.read_text(encoding="utf-8")
    assert "error: " in text
    log.write_text(text.replace("error: ", "mistake: "), encoding="utf-8")
    assert planned(project) == set()


def test_how_vectors_were_made_is_read_by_costs_alone(project, everything):
    file = project / "results/embeddings/random/tiny-exams.made.json"
    file.write_text(file.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert planned(project) == jobs(everything, "summarise_costs", *AFTER_COSTS)


def test_results_without_the_file_of_how_vectors_were_made_embed_nothing_again(project, everything):
    """Of an older version, whose one description holds both."""
    for file in (project / "results").rglob("*.made.json"):
        file.unlink()
    assert planned(project) <= jobs(everything, "summarise_costs", *AFTER_COSTS)


@pytest.mark.parametrize(
    ("file", "run_again"),
    [
        ("report/figure/sentflow.mplstyle", ("figure", "check …figures", "report")),
        ("report/table/latex.tex.j2", ("table", "check …tables", "check …similarity", "report")),
        ("report/page/page.html.j2", ("report",)),
        ("report/page/page.css", ("report",)),
        ("report/families/similarity/page/results.html.j2", ("report",)),
        ("report/page/page.js", ("report",)),
        (
            "texts/sample/vocabulary/comments.yaml",
            ("generate", "prepare", "prepare_pairs", "audit", *AFTER_TABLES, *AFTER_PAIRS),
        ),
    ],
)
def test_files_that_code_reads_count_as_code(unedited, everything, file, run_again):
    assert planned_after_edit(unedited, file) == jobs(everything, *run_again)


def test_resources_profile_and_environments_run_nothing(project):
    changes = {
        "workflow/rules/probing/probe.smk": [
            ("threads: 1", "threads: 2"),
            ("memory_mb(1000)", "memory_mb(9000)"),
        ],
        "workflow/rules/embed.smk": [
            ("memory_mb(4000, per_input=12)", "memory_mb(9000, per_input=12)"),
            ("minutes(120)", "minutes(600)"),
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
