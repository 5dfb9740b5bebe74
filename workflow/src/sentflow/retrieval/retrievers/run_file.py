"""The run of another engine, in TREC's form."""

from pathlib import Path

from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.trec import read_trec_run


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents of the file, checked and ranked by our rule for ties."""
    assert isinstance(inputs.trec, Path)
    job.write_run(read_trec_run(inputs.trec, job.questions, job.ids, job.k))
