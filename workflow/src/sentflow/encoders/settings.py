"""How texts are turned into vectors, beside what the model's own files say."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from sentflow.errors import ConfigError


@dataclass(frozen=True)
class EncodeSettings:
    """Settings of a model entry that rule embed reads.

    Attributes
    ----------
    max_tokens
        Texts are cut after so many tokens; None is the model's own limit.
    normalise
        Scale every vector to length 1, after all modules of the model.
    prompt
        Put before every text; None is the model's own default prompt, if it has one.
    batch_tokens
        Tokens of a batch, padding included; a longer text is a batch by itself. Other values change the last
        bits of the vectors.
    """

    max_tokens: int | None = None
    normalise: bool = False
    prompt: str | None = None
    batch_tokens: int = 2048

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
        settings = cls(**{key: value for key, value in values.items() if key in known})
        problems += settings._problems()
        if problems:
            raise ConfigError("settings of the encoder: " + " ".join(sorted(problems)))
        return settings

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def _problems(self) -> list[str]:
        problems = []
        if self.max_tokens is not None and not _is_count(self.max_tokens):
            problems.append(f"max_tokens: {self.max_tokens!r} is not a number of tokens >= 1.")
        if not _is_count(self.batch_tokens):
            problems.append(f"batch_tokens: {self.batch_tokens!r} is not a number of tokens >= 1.")
        if not isinstance(self.normalise, bool):
            problems.append(f"normalise: {self.normalise!r} is neither true nor false.")
        if self.prompt is not None and not isinstance(self.prompt, str):
            problems.append(f"prompt: {self.prompt!r} is not a text; quote it.")
        return problems


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
