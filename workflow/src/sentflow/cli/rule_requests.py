"""What the rules of the workflow ask for, as their files have it.

Read from the text, because Snakemake takes four seconds to load a workflow and shows resources in private attributes
only. That both say the same of every rule is tested.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_RULE = re.compile(
    r"^(?:rule (?P<name>\w+)|use rule (?P<base>\w+) as (?P<other>\w+) with):\n(?P<body>(?:[ \t]+.*\n|\n)*)",
    re.MULTILINE,
)
_ASKS = re.compile(
    r"^ +\*\*asks\((\d+), (\d+)(?:, per_input=(?:([\d.]+)|[\w.]+))?(?:, of=\"\w+\")?\),$", re.MULTILINE
)
_LOCAL = re.compile(r"^    localrule: True$", re.MULTILINE)


@dataclass(frozen=True)
class RuleRequest:
    """What a job of a rule asks for the first time.

    Attributes
    ----------
    memory_mb, minutes
        None where the rule says nothing of it.
    is_local
        Run where Snakemake runs, never submitted to a cluster.
    per_input
        MB for each MB of input files, beside `memory_mb`; 0 where that depends on the wildcards.
    """

    memory_mb: int | None
    minutes: int | None
    is_local: bool
    per_input: float = 0.0


def rule_requests(folder: Path) -> dict[str, RuleRequest]:
    """Rule → what it asks for, of every rule with jobs, in the order of files and lines.

    Parameters
    ----------
    folder
        ``workflow/rules``.
    """
    found: dict[str, RuleRequest] = {}
    inherited: dict[str, str] = {}
    for file in sorted(folder.rglob("*.smk")):
        for rule in _RULE.finditer(file.read_text(encoding="utf-8")):
            if rule["base"]:
                inherited[rule["other"]] = rule["base"]
            elif "\n    output:\n" in rule["body"]:  # those without only name what is to be made
                asked = _ASKS.search(rule["body"])
                found[rule["name"]] = RuleRequest(
                    memory_mb=int(asked[1]) if asked else None,
                    minutes=int(asked[2]) if asked else None,
                    is_local=_LOCAL.search(rule["body"]) is not None,
                    per_input=float(asked[3] or 0) if asked else 0.0,
                )
    return {**found, **_of_bases(inherited, found)}


def _of_bases(inherited: Mapping[str, str], found: Mapping[str, RuleRequest]) -> dict[str, RuleRequest]:
    return {name: found[base] for name, base in inherited.items()}
