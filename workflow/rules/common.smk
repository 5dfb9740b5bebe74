"""Names that the rules use. No logic of its own: it is in the package, where it is tested."""

import gc
import shlex
import sys
from pathlib import Path

# A graph is thousands of objects that all stay; looking through them for garbage again and again finds none.
gc.set_threshold(200_000, 20, 100)

# This folder's own code, whatever is installed: digests and jobs must speak of the same files.
source_folder = str(Path(workflow.basedir) / "workflow" / "src")
sys.path.insert(0, source_folder)

from sentflow.graph.environment import leave_out_working_folder

# Before anything else is imported: Snakemake puts the folder of the Snakefile first, which often is the working folder.
leave_out_working_folder(Path(workflow.basedir))

from sentflow.console.handler import take_over
from sentflow.jobs import lifeline
from sentflow.graph import paths
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.environment import put_this_python_first, refuse_braces
from sentflow.errors import ConfigError
from sentflow.graph.failed_jobs import told_to
from sentflow.graph.job_settings import one_of
from sentflow.graph.products import files_of_page
from sentflow.graph.provenance import code, files, versions
from sentflow.graph.rate_limit import drop_idle_rate_limit
from sentflow.graph.requests import beside_others, memory_mb, minutes
from sentflow.graph.run_record import write_record
from sentflow.graph.shortcuts import take_shortcuts
from sentflow.graph.targets import Targets, code_of_page
from sentflow.graph.unknown_targets import told_of_unknown_targets

try:
    take_over(logger, workflow)
    refuse_braces(Path(workflow.basedir))
    experiment = load_experiment(config, Path(workflow.basedir) / "workflow")
except ConfigError as error:
    raise WorkflowError(str(error)) from None

targets = Targets(experiment)

# A job on a cluster plans itself again, with the cores that it was given: those are its own.
local_cores = workflow.resource_settings.cores if workflow.is_main_process else None

# Jobs in an environment of their own (--sdm conda) find the package without being installed there.
# And they end with this Snakemake, so that none of a killed run writes into the files of the next.
# Their `python` takes command lines of any length.
# No empty entry behind the colon, which would be the working folder; Snakemake halves the braces once more.
python_of_jobs = str(Path(source_folder, "sentflow", "jobs", "python.sh"))
shell.prefix(
    f"export PYTHONSAFEPATH=1 PYTHONPATH={shlex.quote(source_folder)}${{{{PYTHONPATH:+:$PYTHONPATH}}}}"
    f" {lifeline.VARIABLE}={shlex.quote(lifeline.name_of_this_process())};"
    f" . {shlex.quote(python_of_jobs)}; "
)
put_this_python_first()
take_shortcuts()


wildcard_constraints:
    **targets.constraints(),
