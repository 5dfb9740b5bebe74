"""Rule search_randomly: documents in random order, the control of every comparison."""

import argparse

from sentflow.jobs.log import command, exit_with
from sentflow.retrieval.jobs import Search, add_search_arguments


@command(add_search_arguments, libraries=["numpy"])
def main(args: argparse.Namespace) -> None:
    """Draw, write."""
    import numpy as np

    from sentflow.retrieval.ranking import top
    from sentflow.stats.seeds import derive_seed

    job = Search.of(args)
    n = len(job.ids)

    def drawn(question: str) -> np.ndarray:
        seed = derive_seed(job.settings["seed"], job.questions.name, question)
        return np.random.default_rng(seed).random(n)

    job.write(top(drawn(question), job.k) for question in job.questions.ids)


if __name__ == "__main__":
    exit_with(main)
