"""What Snakemake says of a target that no rule makes, said again with what to write instead.

Snakemake knows its targets only after it has read the Snakefile, so its own message is where they can be told. What
follows ``--configfile`` it reads before: a target there that is no file ends in its own message, whatever we do.
"""

import logging
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError, instead
from sentflow.flow.paths import RESULTS

_SAID = re.compile(r"No rule to produce (?P<target>\S+)")


def refuse_results_as_settings(files: Iterable[Path], folder: Path) -> None:
    """Refuse a result among the files of ``--configfile``, because it was meant as a target."""
    for file in files:
        if file.suffix == ".json" and file.is_relative_to(folder / RESULTS):
            target = file.relative_to(folder)
            raise ConfigError(
                f"--configfile takes every argument that follows, and {target} is a result, not settings. As a "
                f"target, write it behind two hyphens, --configfile FILE -- {target}, or first, "
                f"{target} --configfile FILE."
            )


def told_of_unknown_targets(snakemake_logger: logging.Logger, workflow: Any) -> None:
    """Explain in Snakemake's log a target that does not exist; rules of a workflow without output are targets."""
    snakemake_logger.addHandler(_Listener(snakemake_logger, workflow))


def explained(target: str, names: list[str]) -> str:
    """What to write instead of a target, of which `names` are those with a name."""
    if "/" in target:
        return (
            f"this experiment does not make the file {target}. Its task, encoder or question set is perhaps not "
            "selected (select: in the configuration), or the name has a typing error; snakemake --summary lists the "
            "files of the experiment."
        )
    return f"there is no target {target!r}. {instead(target, sorted(names))}"


class _Listener(logging.Handler):
    def __init__(self, snakemake_logger: logging.Logger, workflow: Any) -> None:
        super().__init__(logging.ERROR)
        self._logger, self._workflow = snakemake_logger, workflow

    def emit(self, record: logging.LogRecord) -> None:
        if said := _SAID.search(record.getMessage()):
            names = [rule.name for rule in self._workflow.rules if not rule.output]
            self._logger.error(f"error: {explained(said['target'], names)}")
