"""From a manifest to an encoder: the module of its kind is imported by name."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from sentflow.encoders.kinds.contract import (
    EncoderModule,
    FittedModule,
    PairEncoder,
    PairModule,
    SparseEncoder,
    SparseModule,
    Surroundings,
)
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.kinds.table import KINDS, PAIRS, WEIGHING
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.protocol import Encoder
from sentflow.errors import ConfigError


def encode_settings(manifest: Manifest, values: Mapping[str, Any]) -> EncoderSettings:
    """The settings of a manifest's kind, from the encode keys of an entry."""
    module = _of_terms(manifest) if KINDS[manifest.kind].weighs_terms else _module(manifest)
    return module.Settings.from_entry(values)


def load_encoder(manifest: Manifest, settings: EncoderSettings, around: Surroundings) -> Encoder:
    """The encoder that a manifest describes; see `EncoderModule.load`."""
    return _module(manifest).load(manifest, settings, around)


def load_sparse_encoder(manifest: Manifest, settings: EncoderSettings, around: Surroundings) -> SparseEncoder:
    """The encoder of terms that a manifest describes; see `SparseModule.load_sparse`."""
    return _of_terms(manifest).load_sparse(manifest, settings, around)


def load_fitted_encoder(manifest: Manifest, *, task: str = "", timeout_seconds: float | None = None) -> Any:
    """The encoder that a manifest describes, to be fitted inside each fold; see `FittedModule.load_fitted`."""
    module = import_module(KINDS[manifest.kind].module)
    if not hasattr(module, "load_fitted"):
        raise ConfigError(
            f"an encoder of kind {manifest.kind} is not fitted inside folds: it has embeddings."
        )
    return cast("FittedModule", module).load_fitted(manifest, task=task, timeout_seconds=timeout_seconds)


def load_pair_encoder(manifest: Manifest, values: Mapping[str, Any], around: Surroundings) -> PairEncoder:
    """The encoder of two texts that a manifest describes, with the encode keys of its entry; see `PairModule`."""
    if KINDS[manifest.kind].gives != PAIRS:
        raise ConfigError(f"an encoder of kind {manifest.kind} compares no two texts. Name a cross-encoder.")
    module = cast("PairModule", import_module(KINDS[manifest.kind].module))
    return module.load_pairs(manifest, module.Settings.from_entry(values), around)


def _module(manifest: Manifest) -> EncoderModule:
    module = import_module(KINDS[manifest.kind].module)
    if KINDS[manifest.kind].gives == PAIRS:
        raise ConfigError(
            f"an encoder of kind {manifest.kind} compares two texts and gives no vectors: it embeds nothing."
        )
    if KINDS[manifest.kind].weighs_terms:
        raise ConfigError(
            f"an encoder of kind {manifest.kind} gives weights of terms and no dense vectors. Name it in a retriever "
            "of kind sparse."
        )
    if not hasattr(module, "load"):
        raise ConfigError(
            f"an encoder of kind {manifest.kind} is fitted inside each fold: it has no embeddings of a dataset."
        )
    return cast("EncoderModule", module)


def _of_terms(manifest: Manifest) -> SparseModule:
    if not KINDS[manifest.kind].weighs_terms:
        raise ConfigError(
            f"an encoder of kind {manifest.kind} gives no weights of terms. Name one of kind {' or '.join(WEIGHING)}."
        )
    return cast("SparseModule", import_module(KINDS[manifest.kind].module))
