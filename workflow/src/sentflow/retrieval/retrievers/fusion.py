"""Several runs into one."""

from sentflow.retrieval.fusion import ChosenWeights, fused, read_chosen
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.settings import Fusion, TunedWeights
from sentflow.retrieval.tuning import refuse_shared


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents that several runs rank first together."""
    by = job.settings.by
    assert isinstance(by, Fusion) and not isinstance(by.weights, TunedWeights)
    weights = ChosenWeights(by.weights or (1.0,) * len(by.of), {}, [])
    if inputs.weights:
        weights = read_chosen(inputs.weights)[1]
    refuse_shared(job.questions, weights.training, f"retrievers.{job.retriever}.weights")
    runs = zip(job.questions.ids, *map(job.ranked, inputs.runs), strict=True)
    job.write(
        fused(ranked, by, weights.of(job.questions.name, question), job.depth) for question, *ranked in runs
    )
