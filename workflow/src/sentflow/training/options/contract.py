"""What an option of any recipe is: a change of the encoder before the recipe sees it, and of the objective after."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import torch
from sentence_transformers import SentenceTransformer

from sentflow.training.contract import Example, Objective, Row
from sentflow.training.draws import Draws


class Wrapped(Objective):
    """An objective that does in all things what another one does; options change one of them.

    Parameters
    ----------
    inner
        Its state is part of this one's.
    """

    def __init__(self, inner: Objective) -> None:
        super().__init__(inner.encoder, max_tokens=inner.max_tokens)
        self.inner = inner
        self.frozen_views = inner.frozen_views

    def begin(self, rows: Sequence[Row]) -> None:
        """See `Objective`."""
        self.inner.begin(rows)

    def at_step(self, step: int, total: int) -> None:
        """See `Objective`."""
        self.inner.at_step(step, total)

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:
        """See `Objective`."""
        return self.inner.views(rows, draws)

    def represent(self, examples: Sequence[Example], view: int) -> torch.Tensor:
        """See `Objective`."""
        return self.inner.represent(examples, view)

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        """See `Objective`."""
        return self.inner.loss(views, rows)

    def further_losses(self, rows: Sequence[Row], draws: Draws) -> Iterator[torch.Tensor]:
        """See `Objective`."""
        return self.inner.further_losses(rows, draws)

    def measures(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> Mapping[str, tuple[float, int]]:
        """See `Objective`."""
        return self.inner.measures(views, rows)

    def heads(self) -> Mapping[str, torch.Tensor]:
        """See `Objective`."""
        return self.inner.heads()

    def exported(self) -> SentenceTransformer:
        """See `Objective`."""
        return self.inner.exported()

    def write(self, encoder: SentenceTransformer, folder: Path) -> None:
        """See `Objective`."""
        self.inner.write(encoder, folder)


class OptionModule(Protocol):
    """The module of an option, which `sentflow.training.options.table` names."""

    def prepare(self, encoder: SentenceTransformer, settings: Mapping[str, Any], draws: Draws) -> None:
        """Change an encoder before heads are added to it and copies are made of it.

        Parameters
        ----------
        encoder
            The start, on its device, in training mode.
        settings
            What an entry says under the key of the option.
        draws
            For new weights.

        Raises
        ------
        ConfigError
            The settings do not fit the encoder.
        """
        ...

    def wrap(self, objective: Objective, settings: Mapping[str, Any]) -> Objective:
        """The objective with the option."""
        ...
