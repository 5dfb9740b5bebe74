"""A made-up fourth family of measurements: one module, its rules and its schemas, and no edit elsewhere."""

import csv
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import yaml
from workflow_copy import PACKAGE, REPOSITORY, TINY, copy_workflow, environment, planned, snakemake

SEARCHES = REPOSITORY / "tests/fixtures/searches"
PLACES = {
    "searches.py": PACKAGE / "families/searches.py",
    "searches.smk": Path("workflow/rules/searches.smk"),
    "searches.schema.yaml": Path("workflow/schemas/searches.schema.yaml"),
    "config.schema.yaml": Path("workflow/schemas/config/searches.schema.yaml"),
}
ANSWERS = {
    "Qual é o prazo?": "O prazo é de dez dias.",
    "Quem decide?": "Decide o juiz.",
    "Onde?": "Em Lisboa.",
}
CONFIG = {
    "select": {
        "models": ["bag-of-words", "random"],
        "tasks": ["T1B-tiny"],
        **dict.fromkeys(("pair_sets", "alignments", "regressions"), []),
        "searches": ["faq"],
    },
    "searches": {"faq": {"dataset": "faq", "file": "faq.csv"}},
    "datasets": {
        "faq": {
            "title": "Questions and answers",
            "files": {"faq.csv": {"urls": ["faq.csv"]}},
            "licence": "none",
            "citation": "none",
            "language": "pt",
        }
    },
    "report": {"tables": ["scores", "hits"], "figures": ["heatmap"], "checks": ["complete"]},
}


def with_searches(folder: Path) -> Path:
    project = copy_workflow(folder)
    for name, place in PLACES.items():
        shutil.copy(SEARCHES / name, project / place)
    (project / "workflow/catalog/searches.yaml").write_text("{}\n", encoding="utf-8")
    with (project / "faq.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerows([("question", "answer"), *ANSWERS.items()])
    return project


def test_a_new_family_is_one_module_and_its_rules(tmp_path):
    project = with_searches(tmp_path / "project")
    jobs = Counter(re.split(r"\s", job)[0] for job in planned(project, CONFIG))
    assert jobs["prepare_search"] == 2  # corpus and questions
    assert jobs["search"] == 2  # encoders
    assert (jobs["summarise_searches"], jobs["table"]) == (1, 2)
    collected = {job for job in planned(project, CONFIG) if job.startswith(("collect", "embed"))}
    assert {"collect faq/corpus", "collect faq/questions", "embed random/faq/corpus"} <= collected
    assert not {"similarity", "geometry"} & set(jobs)


def test_mistakes_in_its_section_are_reported_as_those_of_others(tmp_path):
    project = with_searches(tmp_path / "project")
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(yaml.safe_dump({**CONFIG, "searches": {"faq": {"dataset": "faqs", "file": "faq.csv"}}}))
    told = snakemake(project, "-n", "--configfile", str(TINY), str(wrong)).text
    assert "searches.faq.dataset: there is no dataset 'faqs'. Did you mean faq?" in told
    wrong.write_text(yaml.safe_dump({**CONFIG, "select": {**CONFIG["select"], "searches": ["faqq"]}}))
    told = snakemake(project, "-n", "--configfile", str(TINY), str(wrong)).text
    assert "config.select.searches: there is no search 'faqq'. Did you mean faq?" in told


def test_its_jobs_run_and_its_table_is_written(tmp_path):
    project = with_searches(tmp_path / "project")
    own = tmp_path / "own.yaml"
    own.write_text(yaml.safe_dump(CONFIG), encoding="utf-8")
    files = ["results/tables/hits.csv"]
    done = snakemake(project, "--cores", "2", "--configfile", str(TINY), str(own), "--", *files)
    assert done.code == 0, done.text
    rows = list(csv.DictReader((project / files[0]).open(encoding="utf-8")))
    assert [(row["search"], row["model"]) for row in rows] == [("faq", "bag-of-words"), ("faq", "random")]
    assert sentflow(project, "validate", str(TINY), str(own))
    block = yaml.safe_load(sentflow(project, "resources", "results"))["set-resources"]
    assert {"prepare_search", "search", "embed"} <= block.keys()
    assert "these rules do not exist" not in sentflow(project, "resources", "results")


def sentflow(project: Path, *words: str) -> str:
    """What the project's own commands say."""
    done = subprocess.run(
        [sys.executable, "-m", "sentflow", *words],
        cwd=project,
        env={**environment(), "PYTHONPATH": str(project / "workflow/src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
