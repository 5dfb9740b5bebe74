"""Files and settings of the jobs that fetch encoders and embed texts."""

from functools import cache
from typing import Any

from sentflow.encoders.dependencies import modules_of_others, vector_libraries
from sentflow.encoders.entries import (
    CUSTOM,
    NEURAL_KINDS,
    PLACE_KEYS,
    call_seconds,
    connection_settings,
    custom_files,
    fetch_settings,
)
from sentflow.graph.config.experiment import Experiment
from sentflow.graph.config.family import Entry
from sentflow.graph.job_settings import json_text, one_of
from sentflow.graph.provenance import code, versions


class EncoderTargets:
    """Files and settings of the encoders of an experiment."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment

    def files(self, wildcards: Any) -> list[str]:
        """The code and other files of a user's own encoder: an edit there runs the model again."""
        return custom_files(self._entry(wildcards))

    def fetch_settings(self, wildcards: Any) -> str:
        """What decides a model's files."""
        return json_text(fetch_settings(self._entry(wildcards)))

    def libraries(self, wildcards: Any) -> str:
        """Versions of the libraries that the entry of a user's own encoder names."""
        return versions(*self._entry(wildcards).get("libraries", []))

    def device(self, wildcards: Any) -> str:
        """Where a model computes. Not a setting of science: changing it runs nothing again."""
        entry = self._entry(wildcards)
        places = {key: entry.get(key) for key in PLACE_KEYS.get(entry["kind"], ())}
        return json_text(places.get("device"))

    def threads(self, wildcards: Any) -> int:
        """Threads that a model's kind has use for; no number depends on them."""
        return 4 if self._entry(wildcards)["kind"] in {*NEURAL_KINDS, CUSTOM} else 1

    def versions(self, wildcards: Any) -> str:
        """Versions of the libraries that can change a model's vectors."""
        entry = self._entry(wildcards)
        return versions(*vector_libraries(entry["kind"], entry))

    def embed_code(self, wildcards: Any) -> str:
        """Digest of what embeds a model's texts; modules of other kinds of encoder do not count."""
        return _code_of_kind("sentflow.commands.embed", self._entry(wildcards)["kind"])

    def fetch_code(self, wildcards: Any) -> str:
        """Digest of what fetches a model, likewise."""
        return _code_of_kind("sentflow.commands.fetch_model", self._entry(wildcards)["kind"])

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
        return one_of(self.experiment.fixed_models)

    def featurisers(self) -> str:
        """Regular expression of the models that make the features of a task's rows themselves, before the folds."""
        return one_of(self.experiment.featurisers)

    def _entry(self, wildcards: Any) -> Entry:
        return self.experiment.models[wildcards.model]


@cache
def _code_of_kind(command: str, kind: str) -> str:
    return code(command, without=modules_of_others(kind))
