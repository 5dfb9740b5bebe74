"""Which jobs run again after an edit of code, of data or of the configuration: exactly those that it can change."""

import ast
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from workflow_copy import PACKAGE, copy_workflow, planned, pretend_to_run

COSTS = ("summarise_costs", "make_products_run")
AFTER_COMPARE = (*COSTS, "make_products_probing", "report")
AFTER_SCORES = ("compare", "summarise", *AFTER_COMPARE)
OF_PAIRS = ("make_products_similarity", "report")
AFTER_SIMILARITY = ("summarise_similarity", *COSTS, *OF_PAIRS)
AFTER_GEOMETRY = ("summarise_geometry", *COSTS, *OF_PAIRS)
ALL_PRODUCTS = tuple(f"make_products_{group}" for group in ("probing", "similarity", "run"))
AFTER_MEASURES = (*AFTER_SIMILARITY, *AFTER_GEOMETRY)
PROBES = ("probe", "probe_lazy", "score", "hardest", *AFTER_SCORES)
COLLECT_TASKS = ("collect …tiny-public", "collect …tiny-exams")
EMBED_TASKS = ("embed …tiny-public", "embed …tiny-exams")
TASKS = ("T1B-tiny", "G3-tiny", "F3-tiny")
OF_RANDOM = (  # what is made of the vectors of one encoder, and what follows
    *(f"probe {task}/random" for task in TASKS),
    *(f"{rule} random" for rule in ("score", "similarity", "geometry")),
    "compare_similarity",
    *(f"embed random/{name}" for name in ("tiny-public", "tiny-exams", "tiny-sentences")),
    *("embed random/tiny-sentences-permuted", *AFTER_MEASURES, *AFTER_SCORES),
)
CONTROLS = ("bag-of-words", "random")


def jobs(everything: set[str], *wanted: str) -> set[str]:
    """Jobs of a rule, jobs in full, and those whose last wildcard is as ``"rule …last"`` says; each must exist.

    A job that is new begins with a plus.
    """
    found: set[str] = set()
    for one in wanted:
        rule, _, last = one.partition(" …")
        if one.startswith("+"):
            belonging = {one[1:]}
        elif one in everything:
            belonging = {one}
        else:
            belonging = {
                job
                for job in everything
                if job.split()[0] == rule and (not last or job.replace(" ", "/").endswith("/" + last))
            }
        assert belonging, f"there is no job {one}"
        found |= belonging
    # the page writes what the checks found
    return found | {"make_checks"} if "report" in found else found


@pytest.fixture(scope="module")
def unedited(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished project for tests that undo their edits: to copy one takes half as long as to plan it."""
    return Path(shutil.copytree(finished, tmp_path_factory.mktemp("unedited") / "project"))


def edit(file: Path) -> None:
    """Add a line of code that changes nothing but the code."""
    with file.open("a", encoding="utf-8") as stream:
        stream.write("\n_ADDED_BY_A_TEST = 1\n")


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


def slow(*case: Any) -> Any:
    """A case that stands beside others of its kind."""
    return pytest.param(*case, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("module", "run_again"),
    [
        ("texts/prepare.py", ("prepare", "audit", *COLLECT_TASKS, *EMBED_TASKS, *PROBES)),
        slow("encoders/kinds/tfidf.py", ("probe_lazy", "hardest", "score …tfidf", *AFTER_SCORES)),
        ("encoders/kinds/random.py", OF_RANDOM),
        slow("probing/probes.py", PROBES),
        slow("stats/paired.py", ("score", "hardest", *AFTER_SCORES)),
        ("compare/tasks.py", ("compare", *AFTER_COMPARE)),
        ("audit/hardest.py", ("hardest", *COSTS, "report")),
        slow(
            "similarity/scores.py",
            ("overlap", "similarity", "compare_similarity", *AFTER_SIMILARITY, "geometry", *AFTER_GEOMETRY),
        ),
        slow("geometry/facts.py", ("geometry", *AFTER_GEOMETRY)),
        ("report/families/probing/figures.py", ("make_products_probing", "report")),
        slow("report/figure/sentflow.mplstyle", (*ALL_PRODUCTS, "report")),
        ("report/page/page.css", ("report",)),
    ],
)  # fmt: skip
def test_code_runs_the_rules_that_import_it_and_what_follows(unedited, everything, module, run_again):
    assert planned_after_edit(unedited, module) == jobs(everything, *run_again)


@pytest.mark.parametrize(
    ("module", "job", "run_again"),
    [
        ("probing/jobs.py", "score", ("score", "hardest", *AFTER_SCORES)),
        ("similarity/jobs.py", "overlap", ("overlap", "compare_similarity", *AFTER_SIMILARITY)),
        slow("report/jobs.py", "make_checks", ("make_checks",)),
    ],
)
def test_an_edit_of_one_job_leaves_its_neighbours_alone(unedited, everything, module, job, run_again):
    file = unedited / PACKAGE / module
    before = file.read_text(encoding="utf-8")
    head, signature, rest = before.partition(f"\ndef {job}(")
    file.write_text(
        head + signature + rest.replace(':\n    """', ':\n    pass\n    """', 1), encoding="utf-8"
    )
    try:
        assert planned(unedited) == jobs(everything, *run_again)
    finally:
        file.write_text(before, encoding="utf-8")


def test_code_of_no_job_runs_nothing(unedited):
    modules = (
        "encoders/kinds/api.py",
        "encoders/fetch.py",
        "flow/targets.py",
        "jobs/log.py",
        "files/io.py",
    )
    assert planned_after_edit(unedited, *modules) == set()


PINNED = {
    "kind": "sentence-transformers",
    "source": {"hub": "somebody/encoder", "revision": "a" * 40},
    **{"title": "Pinned", "licence": "MIT", "citation": "none"},
}
WITH_PINNED = {
    "models": {"pinned": PINNED},
    "select": {"models": ["bag-of-words", "tfidf", "random", "pinned"]},
}
NEW_DATA = {
    "datasets": {
        "new": {
            **{"title": "New", "seed": 9, "licence": "MIT", "citation": "none", "language": "pt"},
            "files": {"new.csv": {"generator": "F1A"}},
        }
    },
    "tasks": {"F1A-new": {"like": "F1A-sample", "dataset": "new", "reader": {"file": "new.csv"}}},
    "select": {"tasks": [*TASKS, "F1A-new"]},
}
STUDY = {
    "protocols": {"narrow": {"like": "published", "title": "Narrow", "switches": {"reflect_bca": False}}},
    "study": {"protocols": ["corrected", "narrow"]},
    "report": {
        "tables": [
            *("scores", "differences", "ranks", "tasks", "encoders", "costs", "protocols"),
            *("sts", "sts-subsets", "sts-differences", "regressions", "alignments", "geometry"),
        ]
    },
}
ALIGNMENT = {"variant": "definition", "threshold": 4.0, "comparison": "above", "sentences": "all"}
SECOND_ALIGNMENT = {
    "alignments": {"second": {"title": "Second", "pairs": ["STS12-tiny"], **ALIGNMENT}},
    "select": {"alignments": ["STSB-tiny", "second"]},
}
RECORDED = ("record", "report")


@pytest.mark.parametrize(
    ("config", "run_again"),
    [
        ({"mirrors": ["/a/folder"], "limits": {"answer_bytes": 10}}, ()),
        ({"probe": {"job": "fold"}}, (*COSTS, "report")),  # other jobs, of which no time is known
        (
            {"models": {"minilm-l6": {"title": "Other"}}, "tasks": {"T1A": {"title": "Other"}}},
            RECORDED,  # of entries that are not selected
        ),
        ({"probe": {"folds": 3}}, ("audit", *PROBES, "record")),
        slow({"probe": {"device": "cuda:0"}}, RECORDED),  # it has no effect
        slow({"statistics": {"n_resamples": 300}}, ("score", "hardest", *AFTER_SCORES, "record")),
        ({"statistics": {"rope": 0.02}}, ("compare", *AFTER_COMPARE, "record")),
        (
            {"tasks": {"T1B-tiny": {"classifier": "mlp"}}},
            (
                *(f"probe T1B-tiny/{model}" for model in CONTROLS),
                *("probe_lazy T1B-tiny/tfidf", "score", "hardest", *AFTER_SCORES, "record"),
            ),
        ),
        slow({"tasks": {"T1B-tiny": {"language": "en"}}}, ("audit tiny-public", *COSTS, *RECORDED)),
        ({"models": {"random": {"seed": 1}}}, ("describe_model random", *OF_RANDOM, "record")),
        (
            WITH_PINNED,
            (
                *(f"+{job.replace('random', 'pinned')}" for job in OF_RANDOM if "random" in job),
                *("+fetch_model pinned", "compare_similarity", "hardest"),
                *(*AFTER_MEASURES, *AFTER_SCORES, "record"),
            ),
        ),
        slow(
            {"select": {"models": ["tfidf", "random"]}},
            ("compare_similarity", *AFTER_MEASURES, *AFTER_SCORES, "record"),
        ),
        slow(
            NEW_DATA,
            (
                *("+download new", "+prepare new", "+collect new", "+probe_lazy F1A-new/tfidf"),
                "+audit new",
                *(f"+probe F1A-new/{model}" for model in CONTROLS),
                *(f"+embed {model}/new" for model in CONTROLS),
                *("score", "hardest", *AFTER_SCORES, "record"),
            ),
        ),
        slow({"experiment": {"title": "Another"}}, (*ALL_PRODUCTS, *RECORDED)),
        (
            STUDY,
            (
                *(f"+probe protocols/corrected/{task}/{model}" for task in TASKS for model in CONTROLS),
                *(f"+probe_lazy protocols/corrected/{task}/tfidf" for task in TASKS),
                *(
                    # a protocol of other statistics scores the same folds
                    f"+score protocols/{protocol}/{model}"
                    for protocol in ("corrected", "narrow")
                    for model in (*CONTROLS, "tfidf")
                ),
                *("+compare_protocol corrected", "+compare_protocol narrow"),
                *("make_products_probing", *COSTS, *RECORDED),
            ),
        ),
        slow(
            {"similarity": {"baselines": ["jaccard-words", "count-cosine"]}},
            ("overlap", "compare_similarity", *AFTER_SIMILARITY, "record"),
        ),
        (
            {"select": {"pair_sets": ["STS12-tiny", "STSB-tiny", "STSB-dev-tiny"]}},
            ("similarity", "overlap", "compare_similarity", "geometry", *AFTER_MEASURES, "record"),
        ),
        slow(SECOND_ALIGNMENT, ("geometry", *AFTER_GEOMETRY, "record")),
        slow({"similarity": {"measure": "dot"}}, ("compare_similarity", "geometry", *AFTER_MEASURES, "record")),
        slow({"geometry": {"neighbours": 5}}, ("geometry", *AFTER_GEOMETRY, "record")),
        slow({"alignments": {"STSB-tiny": {"threshold": 3.5}}}, ("geometry", *AFTER_GEOMETRY, "record")),
        slow({"select": {"pair_sets": [], "alignments": [], "regressions": []}}, (*COSTS, *RECORDED)),
    ],
)  # fmt: skip
def test_a_setting_runs_the_jobs_that_read_it_and_what_follows(finished, everything, config, run_again):
    assert planned(finished, config) == jobs(everything, *run_again)


def test_a_second_run_and_a_moved_project_do_nothing(finished, project):
    assert planned(finished) == planned(project) == set()


def test_comments_docstrings_formatting_dates_and_resources_run_nothing(project):
    for file in (project / PACKAGE).rglob("*.py"):
        if file.stat().st_size:
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
                    node.body[0] = ast.Expr(ast.Constant("Another docstring."))
            written = ast.unparse(ast.fix_missing_locations(tree))  # loses comments, and lays lines out anew
            file.write_text(f"# A comment.\n{written}\n", encoding="utf-8")
    rules = project / "workflow/rules/data.smk"
    text = rules.read_text(encoding="utf-8")
    assert "            120,\n" in text
    rules.write_text(text.replace("            120,\n", "            600,\n"), encoding="utf-8")
    files = sorted(file for file in project.rglob("*") if file.is_file() and ".snakemake" not in file.parts)
    for position, file in enumerate(files):
        seconds = 2_000_000_000 + (position * 7919) % len(files)  # in an order that is not the graph's
        os.utime(file, (seconds, seconds))
    assert planned(project) == set()


def test_the_catalog_counts_only_where_it_is_read(project, everything):
    models = project / "workflow/catalog/models.yaml"
    text = models.read_text(encoding="utf-8")
    assert "53aa5117" in text, "no longer the checksum of a model that is not selected: mend this test"
    text = text.replace("53aa5117", "53aa5118").replace("stop_words: portuguese", "stop_words: none")
    models.write_text(text, encoding="utf-8")
    assert planned(project) == jobs(
        everything, "describe_model …tfidf", "probe_lazy", "hardest", "score …tfidf", *AFTER_SCORES
    )


@pytest.mark.slow
def test_another_version_of_a_library_runs_what_it_computes(project, everything):
    metadata = project / "workflow/src/numba-99.0.dist-info/METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: numba\nVersion: 99.0\n", encoding="utf-8")
    assert planned(project) == jobs(everything, *PROBES)


def test_what_was_lost_or_changed_by_hand_is_made_again_with_what_reads_it(project, everything):
    (project / "results/probes/G3-tiny/random/rep-2/fold-1.parquet").unlink()
    assert planned(project) == set()  # until it is asked for
    assert planned(project, targets=["probes"]) == {"probe G3-tiny/random"}
    file = project / "results/embeddings/random/tiny-exams.json"
    file.write_text(file.read_text(encoding="utf-8") + " ", encoding="utf-8")
    changed = ("probe F3-tiny/random", "probe G3-tiny/random", "score random")
    assert planned(project) == jobs(everything, *changed, *AFTER_SCORES)


@pytest.mark.slow
def test_another_address_of_the_same_file_runs_nothing_and_other_bytes_do(tmp_path):
    def config(address: str, sha256: str) -> dict[str, Any]:
        file = {"urls": [address], "sha256": sha256}
        return {
            "datasets": {"offcombr-2": {"files": {"OffComBR2.arff": file}}},
            "select": {"tasks": ["T1B-open"], "models": ["random"]},
        }

    project = copy_workflow(tmp_path / "project")
    pretend_to_run(project, config("https://one.example.org/a.arff", "1" * 64))
    assert planned(project, config("https://two.example.org/b.arff", "1" * 64)) == {*RECORDED, "make_checks"}
    other_bytes = planned(project, config("https://one.example.org/a.arff", "2" * 64))
    assert {"download offcombr-2/OffComBR2.arff", "prepare offcombr-2", "probe T1B-open/random"} < other_bytes
    assert "describe_model random" not in other_bytes
