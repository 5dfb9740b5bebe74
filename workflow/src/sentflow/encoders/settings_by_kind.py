"""Settings of the encoders that are no sentence-transformers model: how texts are encoded, how a service is reached."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from sentflow.encoders.entries import API, MODEL2VEC, WORD_VECTORS
from sentflow.encoders.kinds.neural.settings import EncodeSettings, is_count
from sentflow.encoders.kinds.words import TOKENS
from sentflow.errors import ConfigError


class _Settings:
    """Reading and checking that all of these settings share."""

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read settings from a JSON object.

        Raises
        ------
        ConfigError
            An unknown key or a value of another type; all of them are named.
        """
        values: dict[str, Any] = json.loads(text)
        known = {field.name for field in fields(cls)}  # type: ignore[arg-type]  # every subclass is a dataclass
        problems = [
            f"{key}: no such setting. Known: {', '.join(sorted(known))}." for key in values.keys() - known
        ]
        settings = cls(**{key: value for key, value in values.items() if key in known})
        problems += settings._problems()
        if problems:
            raise ConfigError("settings of the encoder: " + " ".join(sorted(problems)))
        return settings

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)  # type: ignore[call-overload,no-any-return]

    def _problems(self) -> list[str]:
        return []


@dataclass(frozen=True)
class Model2vecSettings(_Settings):
    """How model2vec encodes texts.

    Attributes
    ----------
    max_tokens
        Further tokens of a text are not read; None is no limit.
    normalise
        Scale every vector to length 1, also where the model's files do not ask for it.
    """

    max_tokens: int | None = None
    normalise: bool = False

    def _problems(self) -> list[str]:
        problems = _flags(normalise=self.normalise)
        if self.max_tokens is not None and not is_count(self.max_tokens):
            problems.append(f"max_tokens: {self.max_tokens!r} is not a number of tokens >= 1.")
        return problems


@dataclass(frozen=True)
class WordVectorSettings(_Settings):
    """How texts are cut into words whose vectors are averaged.

    Attributes
    ----------
    tokens
        Name of a way to cut, see `sentflow.encoders.kinds.words`.
    lower_case
        Look up the words of a text in lower case.
    normalise
        Scale every vector to length 1.
    """

    tokens: str = "words"
    lower_case: bool = True
    normalise: bool = False

    def _problems(self) -> list[str]:
        problems = _flags(lower_case=self.lower_case, normalise=self.normalise)
        if not isinstance(self.tokens, str) or self.tokens not in TOKENS:
            problems.append(f"tokens: {self.tokens!r} is unknown. Write one of: {', '.join(sorted(TOKENS))}.")
        return problems


@dataclass(frozen=True)
class ApiSettings(_Settings):
    """What is done to texts before, and to vectors after, a service is asked.

    Attributes
    ----------
    prompt
        Put before every text; None is none.
    normalise
        Scale every vector to length 1.
    """

    prompt: str | None = None
    normalise: bool = False

    def _problems(self) -> list[str]:
        problems = _flags(normalise=self.normalise)
        if self.prompt is not None and not isinstance(self.prompt, str):
            problems.append(f"prompt: {self.prompt!r} is not a text; quote it.")
        return problems


@dataclass(frozen=True)
class Connection(_Settings):
    """How a service is reached; none of this changes what it answers.

    Attributes
    ----------
    key_variable
        Environment variable that holds the key, see `sentflow.encoders.kinds.service_keys`; None for a service that
        asks for none.
    batch_texts
        Texts of a request at most.
    timeout_seconds
        How long an answer is waited for.
    attempts
        Tries of a request, at least 1.
    """

    key_variable: str | None = None
    batch_texts: int = 64
    timeout_seconds: float = 60
    attempts: int = 6

    def _problems(self) -> list[str]:
        problems = [
            f"{key}: {value!r} is not a whole number >= 1."
            for key, value in (("batch_texts", self.batch_texts), ("attempts", self.attempts))
            if not is_count(value)
        ]
        seconds = self.timeout_seconds
        if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not seconds > 0:
            problems.append(f"timeout_seconds: {seconds!r} is not a number of seconds > 0.")
        if self.key_variable is not None and not isinstance(self.key_variable, str):
            problems.append("key_variable: this is not the name of an environment variable.")
        return problems


AnySettings = EncodeSettings | Model2vecSettings | WordVectorSettings | ApiSettings

_SETTINGS: dict[str, type[Model2vecSettings] | type[WordVectorSettings] | type[ApiSettings]] = {
    MODEL2VEC: Model2vecSettings,
    WORD_VECTORS: WordVectorSettings,
    API: ApiSettings,
}


def settings_of_kind(kind: str, text: str) -> AnySettings:
    """The settings of an encoder of some kind, from a JSON object.

    Raises
    ------
    ConfigError
        An unknown key or a value of another type.
    """
    return _SETTINGS.get(kind, EncodeSettings).from_json(text)


def _flags(**values: object) -> list[str]:
    return [
        f"{key}: {value!r} is neither true nor false."
        for key, value in values.items()
        if not isinstance(value, bool)
    ]
