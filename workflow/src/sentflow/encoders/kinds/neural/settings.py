"""How texts are turned into vectors, beside what the model's own files say."""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from sentflow.encoders.prompts import prompt_problems
from sentflow.errors import ConfigError

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
# Libraries whose versions can change the numbers of a backend, beside those of torch.
BACKEND_LIBRARIES: dict[str, tuple[str, ...]] = {
    TORCH: (),
    ONNX: ("onnx", "onnxruntime", "onnxscript"),
    ONNX_INT8: ("onnx", "onnxruntime", "onnxscript"),
    OPENVINO: ("onnx", "onnxscript", "openvino"),
}

FLOAT32 = "float32"
DTYPES = (FLOAT32, "bfloat16", "float16")
TRUNCATIONS = ("end", "start", "refuse")


@dataclass(frozen=True)
class EncodeSettings:
    """Settings of a model entry that rule embed reads.

    Attributes
    ----------
    max_tokens
        Texts are cut after so many tokens; None is the model's own limit.
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
        Name → prompt; laid over the model's own.
    prompt_names
        ``roles`` (role → name) and ``tasks`` (task → name, or role → name): which prompt is put where.
    dtype
        Of weights and activations, one of `DTYPES`; vectors are float32 always.
    backend
        What computes the transformer, one of `BACKEND_LIBRARIES`.
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

    @classmethod
    def from_json(cls, text: str) -> "EncodeSettings":
        """Read settings from a JSON object.

        Raises
        ------
        ConfigError
            An unknown key or a value of another type; all of them are named.
        """
        values: dict[str, Any] = json.loads(text)
        known = {field.name for field in fields(cls)}
        problems = [
            f"{key}: no such setting. Known: {', '.join(sorted(known))}." for key in values.keys() - known
        ]
        problems += setting_problems(values)
        if problems:
            raise ConfigError("settings of the encoder: " + " ".join(sorted(problems)))
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def setting_problems(values: Mapping[str, Any]) -> list[str]:
    """What is wrong with the values of the settings in a model entry, one sentence each.

    Parameters
    ----------
    values
        Key → value, of any type; keys that are no settings are passed over.
    """
    known = {field.name for field in fields(EncodeSettings)}
    settings = EncodeSettings(**{key: value for key, value in values.items() if key in known})
    problems = [
        f"{name}: {value!r} is not a number of {what} >= 1."
        for name, value, what in (
            ("max_tokens", settings.max_tokens, "tokens"),
            ("batch_size", settings.batch_size, "texts"),
            ("truncate_dim", settings.truncate_dim, "values"),
        )
        if value is not None and not is_count(value)
    ]
    if not is_count(settings.batch_tokens):
        problems.append(f"batch_tokens: {settings.batch_tokens!r} is not a number of tokens >= 1.")
    if not isinstance(settings.normalise, bool):
        problems.append(f"normalise: {settings.normalise!r} is neither true nor false.")
    if settings.prompt is not None and not isinstance(settings.prompt, str):
        problems.append(f"prompt: {settings.prompt!r} is not a text; quote it.")
    if settings.pooling is not None:
        problems += _choice_problems("pooling", settings.pooling, POOLINGS)
    problems += _choice_problems("truncation", settings.truncation, TRUNCATIONS)
    problems += _choice_problems("dtype", settings.dtype, DTYPES)
    problems += _choice_problems("backend", settings.backend, BACKEND_LIBRARIES)
    problems += prompt_problems(settings.prompt, settings.prompts, settings.prompt_names)
    return problems + _backend_problems(settings)


def _choice_problems(key: str, value: object, choices: Collection[str]) -> list[str]:
    if isinstance(value, str) and value in choices:
        return []
    return [f"{key}: {value!r} is none that is known. Write one of: {', '.join(sorted(choices))}."]


def _backend_problems(settings: EncodeSettings) -> list[str]:
    if settings.backend == TORCH:
        return []
    problems = []
    if settings.dtype != FLOAT32:
        problems.append(
            f"dtype: the backend {settings.backend} computes in float32 here. Leave dtype out, or write "
            "backend: torch."
        )
    if settings.pooling in LAYER_POOLINGS:
        problems.append(
            f"pooling: {settings.pooling} reads inner layers, which the backend {settings.backend} does not "
            "give. Write backend: torch, or a pooling of the last layer."
        )
    return problems


def is_count(value: object) -> bool:
    """Whether a value is a whole number above 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
