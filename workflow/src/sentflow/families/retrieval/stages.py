"""Stages of a chain: retrievers that follow on one another, side by side in some series.

Standard library only: the Snakefile imports this package in every job.
"""

from sentflow.config.experiment import Retrieval

_RECALL = "R@10"


def measures_of_stages(retrieval: Retrieval) -> list[str]:
    """The measures that stages are shown by: those that they name, or the main one and R@10 where it is measured."""
    named = retrieval.stages.measures if retrieval.stages else ()
    usual = [one for one in retrieval.measures if one in (retrieval.main, _RECALL)]
    return list(named or sorted(usual, key=lambda one: one != retrieval.main))
