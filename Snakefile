"""From a list of sentence encoders to the tables and figures of a paper. Start with README.md."""

import shutil
import tempfile
from pathlib import Path

from snakemake.utils import min_version

min_version("9.20")


# Of this file, also where it is a module of another workflow, whose folder is `workflow.basedir`
here = workflow.current_basedir
home = Path(here.get_path_or_uri(secret_free=False))
# From a repository Snakemake reads single files, but code, catalog and settings are read from a folder: that of a copy of the commit.
if not home.is_dir():
    if hasattr(here, "hosted_repo"):
        repository = here.hosted_repo.repo
    elif hasattr(here, "repo_path"):
        from git import Repo

        repository = Repo(here.repo_path)
    else:
        raise WorkflowError(
            f"{here}: sentflow needs all files of its repository. Clone it, and name the Snakefile of the clone."
        )
    commit = repository.commit(here.ref).hexsha
    copy = Path.cwd() / ".snakemake" / "sentflow" / commit
    home = copy / here.path
    # Jobs of other machines may have got the rules alone
    if not (home / "config.yaml").is_file():
        copy.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=copy.parent) as part:
            repository.git.archive(commit, output=f"{part}/all.tar")
            shutil.unpack_archive(f"{part}/all.tar", f"{part}/all")
            shutil.rmtree(copy, ignore_errors=True)
            Path(part, "all").rename(copy)


configfile: home / "config.yaml"


include: home / "workflow/rules/common.smk"
include: home / "workflow/rules/data.smk"


for family in targets.families:

    include: home / f"workflow/rules/{family}.smk"


include: home / "workflow/rules/report.smk"


onstart:
    if workflow.is_main_process:
        write_record(Path.cwd())
        write_sources(SOURCES_OF_RUN)


rule all:
    """Scores, comparisons, audits, similarities, tables, figures, report and acceptance checks of the experiment."""
    default_target: True
    input:
        targets.results,
        targets.tables,
        targets.figures,
        targets.checked,
        paths.REPORT,


rule sources:
    """Every raw file and every fetched model: after this, nothing needs the network."""
    input:
        targets.sources,


rule embeddings:
    """The vectors of every encoder on every collection of texts."""
    input:
        targets.embeddings(),


rule audits:
    """What to know about the rows of each task, and its hardest texts."""
    input:
        targets.audits,


rule tables:
    """Every table."""
    input:
        targets.tables,


rule figures:
    """Every figure."""
    input:
        targets.figures,


rule checks:
    """Every acceptance check."""
    input:
        targets.checked,


rule exports:
    """Scores and runs in external formats (MTEB, TREC, Hugging Face, LaTeX macros), and all as an RO-Crate."""
    input:
        targets.exports,


complete(workflow, str(home / "envs" / "sentflow.yaml"))
# Not in onstart: without its targets Snakemake never starts
if not is_module:
    listen(logger, workflow)
