"""Stages of a chain: retrievers that follow on one another, side by side in some series.

Standard library only: the Snakefile imports this package in every job.
"""

from collections.abc import Iterator, Sequence

from sentflow.config.entries import AllEntries, Entries, Selected, as_map
from sentflow.config.experiment import Retrieval
from sentflow.config.problems.messages import made_of_seeds, unknown

_RECALL = "R@10"


def measures_of_stages(retrieval: Retrieval) -> list[str]:
    """The measures that stages are shown by: those that they name, or the main one and R@10 where it is measured."""
    named = retrieval.stages.measures if retrieval.stages else ()
    usual = [one for one in retrieval.measures if one in (retrieval.main, _RECALL)]
    return list(named or sorted(usual, key=lambda one: one != retrieval.main))


def stage_problems(retrieval: Retrieval, entries: AllEntries, selected: Selected) -> Iterator[str]:
    """What is wrong with `retrieval.stages`."""
    stages, where = retrieval.stages, "config.retrieval.stages"
    if stages is None:
        return
    retrievers, series = entries["retrievers"], stages.series
    families = {str(as_map(entry)["seed_of"]) for entry in retrievers.values() if "seed_of" in as_map(entry)}
    for place, stage in enumerate(stages.of):
        own = f"{where}.of.{place}"
        if len(stage.retrievers) != len(series):
            yield (
                f"{own}.retrievers: {len(stage.retrievers)} of them for {len(series)} series. Write one for each "
                f"of: {', '.join(series)}."
            )
        for name in stage.retrievers:
            if not (made := _made_of(name, retrievers)):
                yield unknown(f"{own}.retrievers", "retriever", name, {*retrievers, *families})
            elif not set(made) & set(selected["retrievers"]):
                yield f"{own}.retrievers: {name!r} is not selected. Write it in select.retrievers, too."
    for twice in _repeated([stage.title for stage in stages.of]):
        yield f"{where}.of: two stages have the title {twice!r}. Write another one."
    for measure in stages.measures or ():
        if measure not in retrieval.measures:
            yield f"{where}.measures: {measure!r} is not one of retrieval.measures. Write it there, too."


def _made_of(name: str, retrievers: Entries) -> list[str]:
    """The retrievers that a name stands for: those of its seeds, or itself."""
    return made_of_seeds(name, retrievers) or [one for one in (name,) if one in retrievers]


def _repeated(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(name for name in names if names.count(name) > 1))
