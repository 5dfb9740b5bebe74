"""The encode keys of an entry as an encoder reads them. Standard library only: checks of entries read their choices."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from sentflow.encoders.manifest import Manifest
from sentflow.errors import ConfigError


@dataclass(frozen=True)
class EncoderSettings:
    """How texts are encoded: the encode keys of an entry. Kinds without such keys use this class as it is."""

    @classmethod
    def from_entry(cls, values: Mapping[str, Any]) -> Self:
        """From the keys of an entry; their values were checked when the configuration was read.

        Raises
        ------
        ConfigError
            An unknown key.
        """
        known = sorted(field.name for field in fields(cls))
        if unknown := sorted(values.keys() - known):
            listed = ", ".join(known) or "none"
            raise ConfigError(
                "settings of the encoder: "
                + " ".join(f"{key}: no such setting. Known: {listed}." for key in unknown)
            )
        return cls(**values)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def dimension(self, manifest: Manifest) -> int | None:
        """Width that the vectors must have; None where only the model itself tells."""
        return manifest.dimension
