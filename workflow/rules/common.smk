"""Names that the rules use. No logic of its own: it is in the package, where it is tested."""

import gc
import os
import sys
from functools import partial
from pathlib import Path

# A graph is thousands of objects that all stay; looking through them for garbage again and again finds none.
gc.set_threshold(200_000, 20, 100)

# The code of this repository, whatever is installed: digests and jobs must speak of the same files. An installed workflow is part of its
# package and has no such folder.
source_folder = home / "workflow" / "src"
if source_folder.is_dir():
    sys.path.insert(0, str(source_folder))

from sentflow.flow.environment import leave_out_working_folder

# A module of another workflow leaves that as it is: its folders, its shells, its targets.
is_module = not workflow.modifier.is_main_snakefile()
# Before anything else is imported: Snakemake puts the folder of the Snakefile first, which often is the working folder.
if not is_module:
    leave_out_working_folder(home)

from sentflow.flow import paths, products
from sentflow.config.entries import merge, read_yaml
from sentflow.config.load import read_own
from sentflow.config.load import load_experiment
from sentflow.flow.environment import (
    first_words_of_jobs,
    put_this_python_first,
    refuse_braces,
    refuse_conda,
)
from sentflow.errors import ConfigError
from sentflow.flow.family import each, flat, json_text, one_of
from sentflow.flow.provenance import (
    code,
    job_params,
    use_sources,
    versions,
    write_sources,
)
from sentflow.flow.rules import (
    asks,
    benchmarks_of,
    beside_others,
    complete,
    digested,
    numbered,
    with_digest,
)
from sentflow.flow.start import (
    listen,
    refuse_results_as_settings,
    refuse_uploads,
    write_record,
)
from sentflow.flow.targets import (
    Targets,
    downloaded_content,
    figure_files,
    local_files,
    table_files,
)
from sentflow.flow.rules import command

# What the code of the package is when a run begins, for the processes that Snakemake starts for jobs of a cluster
SOURCES_OF_RUN = Path.cwd() / ".snakemake" / "sentflow-sources.json"

try:
    refuse_braces(home)
    refuse_conda(workflow.deployment_settings, source_folder)
    refuse_results_as_settings(workflow.overwrite_configfiles, Path.cwd())
    own = config if is_module else read_own(workflow.config_settings)
    usual = read_yaml(home / "config.yaml") if is_module else config
    experiment = load_experiment(merge(usual, own), home / "workflow", own)
    if not workflow.is_main_process:
        use_sources(SOURCES_OF_RUN)
    targets = Targets(experiment)
    if workflow.is_main_process:
        for notice in experiment.notices:
            logger.warning(notice)
        refuse_uploads(
            targets,
            [home / "config.yaml", *workflow.overwrite_configfiles],
        )
except ConfigError as error:
    # Not as an error of Snakemake, which would name lines of this file
    logger.error(str(error))
    sys.exit(1)

# A job on a cluster plans itself again, with the cores that it was given: those are its own.
local_cores = workflow.resource_settings.cores if workflow.is_main_process else None

first_words = first_words_of_jobs(source_folder)
if is_module:
    # onstart is that of the other workflow
    if workflow.is_main_process:
        write_sources(SOURCES_OF_RUN)
    # By name, for a command that changes, as with the number of this process, runs again
    os.environ[f"SENTFLOW_MODULE_{__name__}"] = first_words.format()
    command = partial(command, first_words=f'eval "$SENTFLOW_MODULE_{__name__}"; ')
else:
    shell.prefix(first_words)
    put_this_python_first()


wildcard_constraints:
    **targets.constraints(),


def job_rule(
    job,
    inputs,
    outputs,
    *,
    minutes=10,
    per_input=0.0,
    per_largest={},
    local=False,
    priority=0,
    constraints={},
    resources={},
    number=1,
    **params,
):
    """A rule of the name of its job, whose memory, code, libraries and command follow from that.

    `outputs`: by their names, or those that the job takes as ``output``. `number`: of several rules of a job, which
    differ in their outputs. Everything else is as the directives of a rule.
    """
    unnamed = [] if isinstance(outputs, dict) else [outputs]
    named = outputs if isinstance(outputs, dict) else {}
    if not any([*unnamed, *named.values()]):
        return  # of an experiment without such results

    rule:
        name:
            numbered(job, number)
        input:
            **inputs,
        output:
            *unnamed,
            **named,
        wildcard_constraints:
            **constraints,
        priority: priority
        localrule: local
        resources:
            **asks(job, minutes, per_input=per_input, per_largest=per_largest),
            **resources,
        params:
            **job_params(job, **params),
        shell:
            command(job)


def dataset_rules(job, files, table, *, minutes=10, **directives):
    """A rule per dataset for the tables that a job makes of its files, one after the other."""
    for number, (dataset, one) in enumerate(files.by_dataset().items(), 1):
        job_rule(
            job,
            dict(raw=one.raw),
            with_digest(tables=one.tables(table)),
            number=number,
            minutes=minutes + 2 * len(one.names),
            resources=dict(dataset=dataset, checks=one.checks, limits=targets.limits),
            settings=one.settings,
            **directives,
        )
