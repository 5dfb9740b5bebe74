"""From a manifest to an encoder that can be called."""

from collections.abc import Sequence
from pathlib import Path

from sentflow.encoders.entries import (
    API,
    BAG_OF_WORDS,
    CUSTOM,
    MODEL2VEC,
    NEURAL_KINDS,
    RANDOM,
    TRANSFORMERS,
    WORD_VECTORS,
)
from sentflow.encoders.kinds.neural.settings import EncodeSettings
from sentflow.encoders.manifest import Manifest, check_files, model_folder
from sentflow.encoders.prompts import TEXT
from sentflow.encoders.protocol import Encoder
from sentflow.encoders.settings_by_kind import (
    AnySettings,
    ApiSettings,
    Connection,
    Model2vecSettings,
    WordVectorSettings,
)
from sentflow.errors import ConfigError


def load_encoder(
    manifest: Manifest,
    settings: AnySettings,
    *,
    manifest_folder: Path,
    threads: int = 1,
    connection: Connection | None = None,
    devices: Sequence[str] = (),
    timeout_seconds: float | None = None,
    role: str = TEXT,
    task: str | None = None,
) -> Encoder:
    """The encoder that a manifest describes.

    Parameters
    ----------
    manifest
        See `Manifest`.
    settings
        How texts are encoded, of the manifest's kind; see `settings_of_kind`.
    manifest_folder
        Where the manifest lies; fetched weights are beside it.
    threads
        Of the processor; their number changes no vector.
    connection
        How a service is reached; only encoders behind an address read it.
    devices
        Where a neural model computes, see `sentflow.encoders.checks.devices`; empty is the best there is.
    timeout_seconds
        What a call of a user's own class may take; None is no limit.
    role, task
        Of the texts that an encoder with batches of its own is given.

    Raises
    ------
    ConfigError
        The encoder is lazy, or the settings do not fit the model.
    DataError
        The files are no longer those of the manifest.
    """
    if manifest.kind in NEURAL_KINDS and isinstance(settings, EncodeSettings):
        from sentflow.encoders.kinds.neural.encoder import SentenceTransformerEncoder

        return SentenceTransformerEncoder.load(
            _checked_folder(manifest, manifest_folder),
            settings,
            threads=threads,
            allow_pickle=bool(manifest.settings["allow_pickle"]),
            plain=manifest.kind == TRANSFORMERS,
            devices=devices,
            role=role,
            task=task,
        )
    if manifest.kind == MODEL2VEC and isinstance(settings, Model2vecSettings):
        from sentflow.encoders.kinds.model2vec import Model2vecEncoder

        return Model2vecEncoder.load(_checked_folder(manifest, manifest_folder), settings)
    if manifest.kind == WORD_VECTORS and isinstance(settings, WordVectorSettings):
        return _word_vectors(manifest, settings, manifest_folder)
    if manifest.kind == API and isinstance(settings, ApiSettings):
        return _api(manifest, settings, connection or Connection())
    if manifest.kind == BAG_OF_WORDS:
        from sentflow.encoders.kinds.controls import BagOfWordsEncoder

        return BagOfWordsEncoder(**manifest.settings)
    if manifest.kind == RANDOM:
        from sentflow.encoders.kinds.controls import RandomEncoder

        return RandomEncoder(**manifest.settings)
    if manifest.kind == CUSTOM:
        from sentflow.encoders.kinds.custom import CustomCode, CustomEncoder

        return CustomEncoder(CustomCode.load(manifest, timeout_seconds=timeout_seconds))
    raise ConfigError(
        f"an encoder of kind {manifest.kind} is fitted inside each fold: it has no embeddings of a dataset."
    )


def expected_dimension(manifest: Manifest, settings: AnySettings) -> int | None:
    """Width of the vectors by manifest and settings; None where only the model itself tells."""
    if manifest.dimension is None or not isinstance(settings, EncodeSettings):
        return manifest.dimension
    if settings.pooling is not None and "+" in (manifest.pooling or ""):
        return None
    return min(manifest.dimension, settings.truncate_dim or manifest.dimension)


def _word_vectors(manifest: Manifest, settings: WordVectorSettings, manifest_folder: Path) -> Encoder:
    from sentflow.encoders.kinds.word_vectors import WordVectorEncoder

    folder = _checked_folder(manifest, manifest_folder)
    (name,) = manifest.files
    return WordVectorEncoder(folder / name, settings, dimension=int(manifest.dimension or 0))


def _api(manifest: Manifest, settings: ApiSettings, connection: Connection) -> Encoder:
    from sentflow.encoders.kinds.api import ApiEncoder
    from sentflow.encoders.kinds.embeddings_service import EmbeddingsService

    return ApiEncoder(
        EmbeddingsService(manifest.settings["url"], connection),
        model=manifest.settings["model"],
        dimension=manifest.settings["dimension"],
        request_dimension=manifest.settings["request_dimension"],
        settings=settings,
        batch_texts=connection.batch_texts,
    )


def _checked_folder(manifest: Manifest, manifest_folder: Path) -> Path:
    if manifest.source is None:
        raise ConfigError(
            f"the manifest of a {manifest.kind} model names no source. Delete it and run again."
        )
    folder = model_folder(manifest.source, manifest_folder)
    check_files(folder, manifest.files)
    return folder
