"""Where a training starts: the files of an encoder, or its configuration with random weights."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from transformers import AutoConfig, AutoModel, AutoTokenizer

from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.neural.load import load_model
from sentflow.encoders.neural.tokenizer import tokenizer_arguments
from sentflow.encoders.settings import SPLADE, VectorSettings
from sentflow.errors import ConfigError
from sentflow.training.draws import Draws
from sentflow.training.new_weights import seeded
from sentflow.training.vocabulary import LearntVocabulary, fit_configuration

_PLAIN = ("transformers", SPLADE)  # of whose folders the transformer alone is taken


def load_start(
    manifest: Manifest,
    manifest_folder: Path,
    *,
    pooling: str | None,
    configuration: Mapping[str, Any] | None,
    vocabulary: LearntVocabulary | None,
    draws: Draws,
    device: str,
) -> SentenceTransformer:
    """The encoder before the first step, in training mode, in float32.

    `pooling`: how it is read out in training, see `sentflow.encoders.settings.VectorSettings`; None is as its
    files say. `configuration`: keys of its configuration that are changed: then its tokenizer and its configuration
    are taken, and its weights are drawn; None takes its weights. `vocabulary`: with a configuration, what its
    tokenizer learns instead of the vocabulary that it has; None keeps that. `device`: where it is computed.
    """
    folder = checked_folder(manifest, manifest_folder)
    settings = VectorSettings.model_validate({"pooling": pooling})
    allow_pickle = bool(manifest.settings.get("allow_pickle", False))
    arguments = tokenizer_arguments(manifest.settings)
    if configuration is None:
        plain = manifest.kind in _PLAIN
        # A pooler that the files lack is drawn, and saved with the encoder, though nothing reads it
        with seeded(draws.of("start")):
            model = load_model(
                folder, settings, device, allow_pickle=allow_pickle, plain=plain, tokenizer=arguments
            )
    else:
        with tempfile.TemporaryDirectory() as made:
            _with_random_weights(folder, arguments, Path(made), configuration, vocabulary, draws)
            model = load_model(Path(made), settings, device, allow_pickle=False, plain=True)
    for parameter in model.parameters():
        parameter.requires_grad_(True)
    return model.train()


def check_max_tokens(encoder: SentenceTransformer, max_tokens: int) -> None:
    """Refuse texts that are longer than the table of positions of an encoder; others have no such limit."""
    embeddings = getattr(getattr(encoder[0], "auto_model", None), "embeddings", None)
    table = getattr(embeddings, "position_embeddings", None)
    if not isinstance(table, torch.nn.Embedding):
        return
    # RoBERTa counts positions from behind the id of padding
    positions = table.num_embeddings - (0 if table.padding_idx is None else table.padding_idx + 1)
    if max_tokens > positions:
        raise ConfigError(
            f"training.max_tokens: {max_tokens} is more than the {positions} positions that the start has. Write "
            f"{positions} or less."
        )


def _with_random_weights(
    folder: Path,
    arguments: Mapping[str, str],
    made: Path,
    configuration: Mapping[str, Any],
    vocabulary: LearntVocabulary | None,
    draws: Draws,
) -> None:
    inner = _transformer_folder(folder)
    offline: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    tokenizer = AutoTokenizer.from_pretrained(str(inner), **offline, **arguments)
    if vocabulary is not None:
        tokenizer = vocabulary.tokenizer(tokenizer)
    try:
        config = AutoConfig.from_pretrained(str(inner), **offline)
        for key in configuration:
            if not hasattr(config, key):
                raise ConfigError(
                    f"start.configuration.{key}: a {config.model_type} has no such key. Write keys of its config.json."
                )
        config.update(dict(configuration))
        if vocabulary is not None:
            fit_configuration(config, tokenizer)
        with seeded(draws.of("start")):
            AutoModel.from_config(config).save_pretrained(made)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"start.configuration: no model can be made of it ({error}).") from error
    tokenizer.save_pretrained(made)


def _transformer_folder(folder: Path) -> Path:
    """Where the transformer of a folder of sentence-transformers lies."""
    inner = folder / "0_Transformer"
    return inner if inner.is_dir() else folder
