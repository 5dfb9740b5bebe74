"""Where a training starts: the files of an encoder, or its configuration with random weights and a vocabulary learnt
from the rows."""

import logging
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer
from tokenizers.models import BPE, WordPiece
from tokenizers.trainers import WordPieceTrainer
from transformers import AutoConfig, AutoModel, AutoTokenizer

from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.neural.load import load_model
from sentflow.encoders.neural.tokenizer import tokenizer_arguments
from sentflow.encoders.settings import SPLADE, VectorSettings
from sentflow.errors import ConfigError
from sentflow.training.contract import Row
from sentflow.training.data.table import TEXT_COLUMNS
from sentflow.training.draws import Draws
from sentflow.training.settings import Tokenizer as TokenizerSettings

logger = logging.getLogger(__name__)

_SPECIAL = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


@dataclass(frozen=True)
class LearntVocabulary:
    """What a vocabulary is learnt from."""

    size: int  # tokens, special ones included; fewer where the texts have no more pieces
    texts: Sequence[str]  # in any order

    @classmethod
    def of(cls, settings: TokenizerSettings, rows: Sequence[Row]) -> "LearntVocabulary":
        """From ``start.tokenizer`` of an entry, and all texts of the rows that are trained on."""
        return cls(settings.size, [row[key] for row in rows for key in TEXT_COLUMNS if key in row])

    def tokenizer(self, like: Any) -> Any:
        """A tokenizer that normalises and splits texts as another one does, with this vocabulary.

        Equal texts give equal ids, in any process.

        Raises ConfigError: its vocabulary is of another kind than WordPiece or byte pairs, or `size` leaves no room
        for the single characters of the texts.
        """
        backend = getattr(like, "backend_tokenizer", None)
        if not isinstance(backend, Tokenizer) or not isinstance(backend.model, WordPiece | BPE):
            raise ConfigError(
                f"start.tokenizer: a vocabulary can be learnt for tokenizers of WordPiece or byte pairs that the "
                f"library tokenizers computes, and that of the start is a {type(like).__name__}. Take the "
                "configuration of another encoder, or leave tokenizer out."
            )
        if isinstance(backend.model, BPE):
            made = like.train_new_from_iterator([self.texts], vocab_size=self.size, show_progress=False)
        else:
            made = like.train_new_from_iterator([[]], vocab_size=0, show_progress=False)
            _put_pieces(made.backend_tokenizer, self._word_pieces(backend, made.get_vocab()))
        if len(made) > self.size:
            raise ConfigError(
                f"start.tokenizer.size: {self.size} is fewer than the {len(made)} characters and special tokens that "
                f"the texts need. Write more than {len(made)}."
            )
        logger.info("%d of at most %d tokens are learnt from %d texts", len(made), self.size, len(self.texts))
        return made

    def _word_pieces(self, backend: Tokenizer, special: Mapping[str, int]) -> dict[str, int]:
        """Piece → id.

        The trainer numbers characters inside words in the order of a hash table, which differs from run to run, and
        settles ties between pairs by these numbers. What it is told to be special has numbers from the beginning; so
        it is asked for single characters first, and told them, sorted, as special.
        """

        def trained(size: int, first: Sequence[str]) -> dict[str, int]:
            learner = Tokenizer(WordPiece(unk_token=backend.model.unk_token))
            learner.normalizer, learner.pre_tokenizer = backend.normalizer, backend.pre_tokenizer
            prefix = backend.model.continuing_subword_prefix
            trainer = WordPieceTrainer(
                vocab_size=size,
                special_tokens=list(first),
                continuing_subword_prefix=prefix,
                show_progress=False,
            )
            learner.train_from_iterator(self.texts, trainer)
            return learner.get_vocab()

        first = sorted(special, key=lambda piece: special[piece])
        characters = sorted(trained(0, first).keys() - special.keys())
        return trained(self.size, [*first, *characters])


def fit_configuration(config: Any, tokenizer: Any) -> None:
    """Let the configuration of an encoder have the size and the special ids of a tokenizer, in place."""
    config.vocab_size = len(tokenizer)
    for name in _SPECIAL:
        key = f"{name}_token_id"
        if getattr(config, key, None) is not None and getattr(tokenizer, key) is not None:
            setattr(config, key, getattr(tokenizer, key))


def _put_pieces(backend: Tokenizer, pieces: dict[str, int]) -> None:
    old = backend.model
    backend.model = WordPiece(
        vocab=pieces,
        unk_token=old.unk_token,
        continuing_subword_prefix=old.continuing_subword_prefix,
        max_input_chars_per_word=old.max_input_chars_per_word,
    )


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
        with draws.of("start").seeded():
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
        with draws.of("start").seeded():
            AutoModel.from_config(config).save_pretrained(made)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"start.configuration: no model can be made of it ({error}).") from error
    tokenizer.save_pretrained(made)


def _transformer_folder(folder: Path) -> Path:
    """Where the transformer of a folder of sentence-transformers lies."""
    inner = folder / "0_Transformer"
    return inner if inner.is_dir() else folder
