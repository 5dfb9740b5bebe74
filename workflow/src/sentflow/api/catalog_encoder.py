"""Encoders of the catalog by name in notebooks: those whose weights an installed package holds, or that have none."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.api.arguments import ArgumentError
from sentflow.api.pair_sets import catalog
from sentflow.encoders import entries
from sentflow.encoders.fetch.model import fetch_model
from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.table import DENSE, FITTED
from sentflow.encoders.load import encode_settings, load_encoder
from sentflow.encoders.manifest import source_kind
from sentflow.encoders.protocol import FloatArray
from sentflow.encoders.roles import DOCUMENT, QUERY, SIDES
from sentflow.errors import instead


class CatalogEncoder:
    """An encoder of the catalog as `sentflow.retrieve` takes one, with the vectors of the pipeline."""

    def __init__(self, name: str) -> None:
        models = catalog("models")
        if name not in models:
            raise ArgumentError(f"retriever: there is no {name!r} in models. {instead(name, models)}")
        entry = models[name]
        if missing := _missing(entry):
            raise ArgumentError(
                f"retriever: models.{name} {missing}. Give the encoder itself, e.g. a SentenceTransformer, or run the "
                "pipeline: sentflow run."
            )
        manifest = fetch_model(name, entries.fetch_settings(entry), Path())
        settings = encode_settings(manifest, entries.encode_settings(entry, roles=SIDES))
        self._encoder = load_encoder(manifest, settings, Surroundings(threads=os.cpu_count() or 1))

    def encode_query(self, texts: Sequence[str]) -> FloatArray:
        """(n, d) float32 vectors of n questions."""
        return self._encode(texts, QUERY)

    def encode_document(self, texts: Sequence[str]) -> FloatArray:
        """(n, d) float32 vectors of n documents."""
        return self._encode(texts, DOCUMENT)

    def _encode(self, texts: Sequence[str], role: str) -> FloatArray:
        if isinstance(texts, str):
            raise TypeError("a list of texts is encoded")
        return self._encoder.encode(list(texts), role=role, task=None)


def _missing(entry: Mapping[str, Any]) -> str:
    """Why vectors cannot be computed from what is installed; empty if nothing is known to be in the way."""
    kind = entries.kind_of(entry)
    if kind.gives == FITTED:
        return "learns from the training part of each fold, so that there is nothing to search with"
    source = entry.get("source", {})
    if entry["kind"] == "trained":
        return "has no weights here: a training of the pipeline makes them"
    if source and (origin := source_kind(source)) not in ("package", "folder"):
        return f"has no weights here: source.{origin} is fetched by the pipeline"
    return "" if kind.gives == DENSE else f"gives {kind.gives}, no vectors of texts"
