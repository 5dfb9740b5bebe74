"""Files and settings of the jobs that fetch encoders and embed texts."""

from collections.abc import Callable
from typing import Any, TypeVar

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
from sentflow.flow import paths
from sentflow.flow.job_settings import json_text
from sentflow.flow.provenance import code, describing, versions
from sentflow.training.snapshots import SNAPSHOT

Value = TypeVar("Value")


class EncoderTargets:
    """Files and settings of the encoders of an experiment; functions of wildcards are params and resources of rules."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        models = experiment.fetched_models
        # Encoders that come from outside, or are snapshots of a training; that weigh terms; that have embeddings
        self.fetched = [name for name in models if name not in experiment.trained_models]
        self.sparse = [name for name, entry in models.items() if weighs_terms(entry)]
        others = [name for name, entry in experiment.further_models.items() if gives_vectors(entry)]
        self.with_vectors = [*experiment.fixed_models, *experiment.snapshots, *others]

        def of(function: Callable[[Entry], Value]) -> Callable[[Any], Value]:
            return lambda wildcards: function(models[wildcards.model])

        self.fetch_settings = of(lambda entry: json_text(fetch_settings(entry)))
        # Digests of the job and of what it finds by the model's kind
        self.fetch_code = of(lambda entry: _fetch_code(entry))
        self.embed_code = of(lambda entry: code("embed", kind_of(entry).module()))
        # Of the libraries that the entry of a user's own encoder names; that can change a model's vectors
        self.libraries = of(lambda entry: versions(*entry.get("libraries", [])))
        self.versions = of(lambda entry: versions(*kind_of(entry).vector_libraries(entry)))
        # No settings of science: to change them runs nothing again
        self.threads = of(lambda entry: kind_of(entry).threads)
        self.device = of(lambda entry: json_text(entry.get("device")))
        self.connection = of(lambda entry: json_text(connection_settings(entry)))
        self.call_seconds = of(call_seconds)

    def files(self, wildcards: Any) -> list[str]:
        """Files of a model that others made: code of a user's own encoder, or snapshots of a training."""
        trained, is_snapshot, _ = wildcards.model.partition(SNAPSHOT)
        if is_snapshot and wildcards.model in self.experiment.snapshots:
            return [paths.SNAPSHOTS.format(model=trained)]
        return custom_files(self.experiment.fetched_models[wildcards.model])

    def vectors(self, model: str) -> str:
        """The pattern of a model's files of vectors."""
        return paths.SPARSE_EMBEDDINGS if model in self.sparse else paths.EMBEDDINGS


def _fetch_code(entry: Entry) -> str:
    """Digest of the job, of what describes the model's kind, and of what brings its files."""
    files = ["sentflow.encoders.fetch"] if "source" in entry else []
    return code("fetch_model", *files, *describing(kind_of(entry).module()))
