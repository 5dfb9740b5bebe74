"""How texts are turned into vectors, beside what the model's own files say."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.manifest import Manifest

# Name in a model entry → mode of the pooling module of sentence-transformers.
TOKEN_POOLINGS = {
    "cls": "cls",
    "last-token": "lasttoken",
    "max": "max",
    "mean": "mean",
    "mean-sqrt-length": "mean_sqrt_len_tokens",
    "weighted-mean": "weightedmean",
}
# Name → the two hidden states whose mean is averaged over tokens; 0 is the embedding layer, 1 the first
# transformer layer. The "first-last" of the paper on SimCSE (2104.08821, table 5) was embedding-last; its code
# (princeton-nlp/SimCSE@206d7ae) has since become what is called first-last here.
LAYER_POOLINGS = {"first-last": (1, -1), "last-two": (-2, -1), "embedding-last": (0, -1)}
POOLINGS = (*TOKEN_POOLINGS, *LAYER_POOLINGS)

TORCH = "torch"
ONNX = "onnx"
ONNX_INT8 = "onnx-int8"
OPENVINO = "openvino"
BACKENDS = (TORCH, ONNX, ONNX_INT8, OPENVINO)
FLOAT32 = "float32"
BFLOAT16 = "bfloat16"
# Weights and sums in float32, factors and products of matrices in bfloat16: torch's autocast.
BFLOAT16_AUTOCAST = "bfloat16-autocast"
DTYPES = (FLOAT32, BFLOAT16_AUTOCAST, BFLOAT16, "float16")


@dataclass(frozen=True)
class Settings(EncoderSettings):
    """Settings of a model entry that rule embed reads.

    Attributes
    ----------
    max_tokens
        Texts are cut after this many tokens; None is the model's own limit.
    normalise
        Scale every vector to length 1, after all modules of the model and after `truncate_dim`.
    prompt
        Put before every text; None is the model's own default prompt, if it has one.
    batch_tokens
        Tokens of a batch, padding included; a longer text is a batch by itself. Other values change the last
        bits of the vectors.
    batch_size
        Texts of a batch at most; None is no such limit.
    truncation
        What is lost of a text that is too long: its ``"end"`` or its ``"start"``; ``"refuse"`` is an error.
    truncate_dim
        Only the first values of every vector are kept (Matryoshka models); None is all of them.
    pooling
        One of `POOLINGS`; None is what the model's files say, and the mean for a model without such files.
    prompts
        Name → prompt; merged over the model's own.
    prompt_names
        ``roles`` (role → name) and ``tasks`` (task → name, or role → name): which prompt is put where.
    dtype
        Of weights and activations, one of `DTYPES`; vectors are float32 always. With any but float32 the neighbours
        of a text in its batch move its vector by as much as the rounding itself: they decide the order of sums, and
        that decides which way a product is rounded. Equal batches give equal bytes all the same.
    backend
        What computes the transformer, one of `BACKENDS`.
    segment
        How words are marked in texts before the tokenizer reads them, see `sentflow.texts.segmentation`; None is not at
        all. Prompts stay as they are.
    """

    max_tokens: int | None = None
    normalise: bool = False
    prompt: str | None = None
    batch_tokens: int = 2048
    batch_size: int | None = None
    truncation: str = "end"
    truncate_dim: int | None = None
    pooling: str | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    prompt_names: Mapping[str, Any] = field(default_factory=dict)
    dtype: str = FLOAT32
    backend: str = TORCH
    segment: str | None = None

    def dimension(self, manifest: Manifest) -> int | None:
        """See `EncoderSettings.dimension`; another pooling in the place of several changes it."""
        if manifest.dimension is None or (self.pooling is not None and "+" in (manifest.pooling or "")):
            return None
        return min(manifest.dimension, self.truncate_dim or manifest.dimension)
