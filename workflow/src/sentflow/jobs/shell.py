"""What a rule runs: the command of its job, by the signature of the function."""

from sentflow.flow.provenance import signature
from sentflow.jobs.job import option_of


def command(name: str, *, replaces_shell: bool = False, is_checked: bool = True) -> str:
    """The command of a job for ``shell:``, with everything in it quoted, and its output in the log.

    Files are inputs and outputs of the rule under the names of the parameters (``output`` stands for all outputs), a
    `Wildcard` is one of its wildcards, a `Resource` one of its resources, and everything else one of its params. A job
    that says nothing of ``threads`` has its libraries keep to those of the rule.

    `replaces_shell`: signals reach the job itself, and not a shell around it (``exec``). `is_checked`: the job is given
    the digest of its code, the param ``code``, and refuses to be other code.
    """
    parameters = signature(name)
    before = "exec " if replaces_shell else ""
    limited = "" if "threads" in parameters else "OMP_NUM_THREADS={threads} "
    words = [f"{before}{limited}python -m sentflow.jobs {name}"]
    words += ["--code={params.code:q}"] if is_checked else []
    words += [
        _given(name, set(kinds))
        for name, kinds in parameters.items()
        if "Manual" not in kinds and name != "code"
    ]
    return " ".join(words) + " > {log:q} 2>&1"


def _given(parameter: str, kinds: set[str]) -> str:
    option = option_of(parameter)
    if parameter == "threads":
        return f"{option} {{threads}}"
    for kind, place in (("In", "input"), ("Out", "output")):
        if kind in kinds:
            given = place if parameter == place else f"{place}.{parameter}"
            return f"{option} {{{given}:q}}"
    place = "wildcards" if "Wildcard" in kinds else "resources" if "Resource" in kinds else "params"
    # with a sign between them, because a value may begin with a dash, or be empty
    return f"{option}={{{place}.{parameter}:q}}"
