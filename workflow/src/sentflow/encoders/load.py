"""From a manifest to an encoder that can be called."""

from pathlib import Path

from sentflow.encoders.kinds import BAG_OF_WORDS, RANDOM, SENTENCE_TRANSFORMERS
from sentflow.encoders.manifest import Manifest, check_files, model_folder
from sentflow.encoders.protocol import Encoder
from sentflow.encoders.settings import EncodeSettings
from sentflow.errors import ConfigError


def load_encoder(
    manifest: Manifest, settings: EncodeSettings, *, manifest_folder: Path, threads: int = 1
) -> Encoder:
    """The encoder that a manifest describes.

    Parameters
    ----------
    manifest
        See `Manifest`.
    settings
        How texts are encoded; only encoders with a tokenizer read them.
    manifest_folder
        Where the manifest lies; fetched weights are beside it.
    threads
        Of the processor; their number changes no vector.

    Raises
    ------
    ConfigError
        The encoder is lazy, or the settings do not fit the model.
    DataError
        The files are no longer those of the manifest.
    """
    if manifest.kind == SENTENCE_TRANSFORMERS:
        return _sentence_transformer(manifest, settings, manifest_folder, threads)
    if manifest.kind == BAG_OF_WORDS:
        from sentflow.encoders.controls import BagOfWordsEncoder

        return BagOfWordsEncoder(**manifest.settings)
    if manifest.kind == RANDOM:
        from sentflow.encoders.controls import RandomEncoder

        return RandomEncoder(**manifest.settings)
    raise ConfigError(
        f"an encoder of kind {manifest.kind} is fitted inside each fold: it has no embeddings of a dataset."
    )


def _sentence_transformer(
    manifest: Manifest, settings: EncodeSettings, manifest_folder: Path, threads: int
) -> Encoder:
    from sentflow.encoders.sentence_transformer import SentenceTransformerEncoder

    if manifest.source is None:
        raise ConfigError(
            "the manifest of a sentence-transformers model names no source. Delete it and run again."
        )
    folder = model_folder(manifest.source, manifest_folder)
    check_files(folder, manifest.files)
    allow_pickle = bool(manifest.settings["allow_pickle"])
    return SentenceTransformerEncoder.load(folder, settings, threads=threads, allow_pickle=allow_pickle)
