"""The run of another engine, in TREC's form."""

from sentflow.retrieval.ranking import NOTHING
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.trec import read_trec_run


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents of the file, checked and ranked by our rule for ties."""
    assert inputs.trec
    ranked = read_trec_run(inputs.trec, job.questions, job.ids, job.k).ranked
    job.write((ranked.get(name, NOTHING) for name in job.questions.ids), timed=False)
