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
    place_settings,
    weighs_terms,
)
from sentflow.encoders.kinds.table import Kind
from sentflow.graph import paths
from sentflow.graph.job_settings import json_text, one_of
from sentflow.graph.provenance import code, versions
from sentflow.training.snapshots import SNAPSHOT


class EncoderTargets:
    """Files and settings of the encoders of an experiment."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment

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

    def device(self, wildcards: Any) -> str:
        """Where a model computes. Not a setting of science: changing it runs nothing again."""
        return json_text(place_settings(self._entry(wildcards)).get("device"))

    def threads(self, wildcards: Any) -> int:
        """Threads that a model's kind has use for; no number depends on them."""
        return self._kind(wildcards).threads

    def versions(self, wildcards: Any) -> str:
        """Versions of the libraries that can change a model's vectors."""
        return versions(*self._kind(wildcards).vector_libraries(self._entry(wildcards)))

    def embed_code(self, wildcards: Any) -> str:
        """Digest of what embeds a model's texts: the command and the module of the model's kind."""
        return code("embed", self.module(wildcards))

    def fetch_code(self, wildcards: Any) -> str:
        """Digest of what fetches a model: the command and the module that makes the manifest."""
        return code("fetch_model", self._kind(wildcards).fetcher)

    def module(self, wildcards: Any) -> str:
        """The module of the kind of a model, which jobs import by name."""
        return self._kind(wildcards).module

    def connection(self, wildcards: Any) -> str:
        """How a model's service is reached. Not a setting of science: changing it runs nothing again."""
        return json_text(connection_settings(self._entry(wildcards)))

    def call_seconds(self, wildcards: Any) -> int:
        """What a call of a user's own class may take; 0 is no limit. Not a setting of science either."""
        return call_seconds(self._entry(wildcards))

    def lazy(self) -> str:
        """Regular expression of the models that are fitted inside each fold."""
        return one_of(self.experiment.lazy_models)

    def fixed(self) -> str:
        """Regular expression of the models that have embeddings."""
        needed = self.experiment.further_models.items()
        others = (name for name, entry in needed if gives_vectors(entry))
        return one_of([*self.experiment.fixed_models, *self.experiment.snapshots, *others])

    def sparse(self) -> str:
        """Regular expression of the models that weigh terms."""
        return one_of(name for name in self.experiment.fetched_models if self.weighs_terms(name))

    def weighs_terms(self, model: str) -> bool:
        """Whether a model weighs terms, so that its vectors are sparse."""
        return weighs_terms(self.experiment.fetched_models[model])

    def vectors(self, model: str) -> str:
        """The pattern of a model's files of vectors."""
        return paths.SPARSE_EMBEDDINGS if self.weighs_terms(model) else paths.EMBEDDINGS

    def fetched(self) -> str:
        """Regular expression of the models that come from outside, or of a training's snapshots."""
        models, trained = self.experiment.fetched_models, self.experiment.trained_models
        return one_of(name for name in models if name not in trained)

    def featurisers(self) -> str:
        """Regular expression of the models that make the features of a task's rows themselves, before the folds."""
        return one_of(self.experiment.featurisers)

    def _kind(self, wildcards: Any) -> Kind:
        return kind_of(self._entry(wildcards))

    def _entry(self, wildcards: Any) -> Entry:
        return self.experiment.fetched_models[wildcards.model]
