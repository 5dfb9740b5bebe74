"""Documents in random order, the control of every comparison."""

import numpy as np

from sentflow.retrieval.ranking import top
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.settings import RandomOrder
from sentflow.stats.seeds import derive_seed


def search(job: Search, _inputs: SearchInputs) -> None:
    """All documents in an order of the seed, the question set and the question."""
    by, n = job.settings.by, len(job.ids)
    assert isinstance(by, RandomOrder) and by.seed is not None
    root = by.seed

    def drawn(question: str) -> np.ndarray:
        return np.random.default_rng(derive_seed(root, job.questions.name, question)).random(n)

    job.write(top(drawn(question), job.k) for question in job.questions.ids)
