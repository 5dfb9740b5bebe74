"""What a run in TREC's form says of itself: the convention of ir_metadata (Breuer et al. 2022, ir-metadata.org).

Its components are those of PRIMAD: platform, research goal, implementation, method, actor, data; and the resources.
"""

from collections.abc import Mapping
from typing import Any

from sentflow.exports.identity import RunExport
from sentflow.report.rows import unique
from sentflow.retrieval.ranking import Run
from sentflow.retrieval.trec import judgement_lines, run_lines, separated
from sentflow.texts.corpora import Questions

_SCHEMA = "0.2"


def annotated_run(
    run: Run,
    retriever: str,
    settings: RunExport,
    versions: Mapping[str, Any],
    benchmark: Mapping[str, Any] | None,
) -> str:
    """A run file with its header."""
    about = settings.retrievers
    ranked = run.ranked.values()
    scores = {
        "lowered to keep equal scores in order": sum(
            int((separated(found.scores) != found.scores).sum()) for found in ranked
        ),
        "questions with scores equal to the last cut off": sum(found.tied_at_cut > 0 for found in ranked),
    }
    metadata: dict[str, Any] = {
        "schema version": _SCHEMA,
        "tag": retriever,
        "actor": {"role": "experimenter"},
        "platform": _platform(versions),
        "research goal": {**dict(settings.goal), "evaluation": settings.evaluation},
        "implementation": _implementation(versions),
        **({"resources": _resources(benchmark)} if benchmark else {}),
        "data": {"test collection": settings.collection},
        "method": {
            "automatic": True,
            "retrieval": [{"name": name, **about[name]} for name in _steps(retriever, about)],
            "scores": scores,
        },
    }
    return "".join(f"{line}\n" for line in run_lines(run, retriever, metadata))


def judgement_file(questions: Questions) -> str:
    """The judgements of a question set as a file; it has no header, for no tool would skip it."""
    return "".join(f"{line}\n" for line in judgement_lines(questions))


def _steps(retriever: str, retrievers: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A retriever after those whose runs it reads, each once."""
    entry = retrievers[retriever]
    parts = [*entry.get("interpolates", ()), *([entry["reranks"]] if "reranks" in entry else [])]
    return unique([*(step for part in parts for step in _steps(part, retrievers)), retriever])


def _platform(versions: Mapping[str, Any]) -> dict[str, Any]:
    system, _, rest = versions["platform"].partition(" ")
    kernel, _, machine = rest.rpartition(" ")
    libraries = [f"{name}=={version}" for name, version in versions["libraries"].items() if version]
    return {
        "hardware": {"cpu": {"architecture": machine}},
        "operating system": {"platform": system, "kernel": kernel},
        "software": {"python": versions["python"], "libraries": {"python": libraries}},
    }


def _implementation(versions: Mapping[str, Any]) -> dict[str, Any]:
    git = versions["git"] or {}
    commit = {"commit": git["commit"], "uncommitted changes": git["dirty"]} if git else {}
    version = f"sentflow {versions['libraries']['sentflow']}"
    return {
        "executable": {"cmd": ["snakemake exports"]},
        "source": {"name": version, "lang": ["python"], **commit},
    }


def _resources(benchmark: Mapping[str, Any]) -> dict[str, Any]:
    """Of the job that searched; texts were embedded and cut into terms by others."""
    known = {name: value for name, value in benchmark.items() if isinstance(value, int | float)}
    runtime = {"wallclock": ("s", "s"), "cpu": ("cpu_time", "s")}
    found = {name: f"{known[key]:.3f} {unit}" for name, (key, unit) in runtime.items() if key in known}
    memory = {"ram": {"used process": f"{known['max_rss']:.0f} MB"}} if "max_rss" in known else {}
    return {"step": "search", "runtime": found, **memory}
