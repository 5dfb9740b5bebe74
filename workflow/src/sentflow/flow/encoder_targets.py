"""Files and settings of the jobs that fetch encoders and embed texts."""

from typing import Any

from sentflow.config.entries import Entry
from sentflow.config.experiment import Experiment
from sentflow.encoders.entries import (
    call_seconds,
    connection_settings,
    custom_files,
    fetch_settings,
    gives_vectors,
    kind_of,
    weighs_terms,
)
from sentflow.encoders.settings import Described
from sentflow.flow import paths
from sentflow.flow.job_settings import json_text
from sentflow.flow.provenance import code, describing, versions
from sentflow.training.snapshots import SNAPSHOT


class EncoderTargets:
    """Files and settings of the encoders of an experiment.

    Attributes
    ----------
    fetched, sparse, with_vectors
        Encoders that come from outside, or are snapshots of a training; that weigh terms; that have embeddings.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        models = experiment.fetched_models
        self.fetched = [name for name in models if name not in experiment.trained_models]
        self.sparse = [name for name, entry in models.items() if weighs_terms(entry)]
        others = [name for name, entry in experiment.further_models.items() if gives_vectors(entry)]
        self.with_vectors = [*experiment.fixed_models, *experiment.snapshots, *others]

    def files(self, wildcards: Any) -> list[str]:
        """Files of a model that others made: code of a user's own encoder, or snapshots of a training."""
        trained, is_snapshot, _ = wildcards.model.partition(SNAPSHOT)
        if is_snapshot and wildcards.model in self.experiment.snapshots:
            return [paths.SNAPSHOTS.format(model=trained)]
        return custom_files(self._entry(wildcards))

    def fetch_settings(self, wildcards: Any) -> str:
        """What decides a model's files."""
        return json_text(fetch_settings(self._entry(wildcards)))

    def libraries(self, wildcards: Any) -> str:
        """Versions of the libraries that the entry of a user's own encoder names."""
        return versions(*self._entry(wildcards).get("libraries", []))

    def threads(self, wildcards: Any) -> int:
        """Threads that a model's kind has use for; no number depends on them."""
        return self._kind(wildcards).threads

    def versions(self, wildcards: Any) -> str:
        """Versions of the libraries that can change a model's vectors."""
        return versions(*self._kind(wildcards).vector_libraries(self._entry(wildcards)))

    def embed_code(self, wildcards: Any) -> str:
        """Digest of what embeds a model's texts: the job and the module of the model's kind."""
        return code("embed", self._kind(wildcards).module())

    def fetch_code(self, wildcards: Any) -> str:
        """Digest of what fetches a model: the job, what describes the model's kind, and what brings its files."""
        files = ["sentflow.encoders.fetch"] if "source" in self._entry(wildcards) else []
        return code("fetch_model", *files, *describing(self._kind(wildcards).module()))

    # What follows are no settings of science: to change them runs nothing again.

    def device(self, wildcards: Any) -> str:
        """Where a model computes."""
        return json_text(self._entry(wildcards).get("device"))

    def connection(self, wildcards: Any) -> str:
        """How a model's service is reached."""
        return json_text(connection_settings(self._entry(wildcards)))

    def call_seconds(self, wildcards: Any) -> int:
        """What a call of a user's own class may take; 0 is no limit."""
        return call_seconds(self._entry(wildcards))

    def vectors(self, model: str) -> str:
        """The pattern of a model's files of vectors."""
        return paths.SPARSE_EMBEDDINGS if model in self.sparse else paths.EMBEDDINGS

    def _kind(self, wildcards: Any) -> type[Described]:
        return kind_of(self._entry(wildcards))

    def _entry(self, wildcards: Any) -> Entry:
        return self.experiment.fetched_models[wildcards.model]
