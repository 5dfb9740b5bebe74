"""A vocabulary that is learnt from the rows of a training, for an encoder whose weights are drawn."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tokenizers import Tokenizer
from tokenizers.models import BPE, WordPiece
from tokenizers.trainers import WordPieceTrainer

from sentflow.errors import ConfigError
from sentflow.training.contract import Row
from sentflow.training.data.table import TEXT_COLUMNS
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
