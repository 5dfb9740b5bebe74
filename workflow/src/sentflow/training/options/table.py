"""Options of any recipe: which module computes them. As in `sentflow.training.recipes.table`, jobs import by name.

Standard library only: the Snakefile imports it in every job.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_OPTIONS = "sentflow.training.options"


@dataclass(frozen=True)
class Option:
    """An option of any recipe.

    Attributes
    ----------
    module
        See `sentflow.training.options.contract.OptionModule`.
    libraries
        Distributions whose versions count beside those of every training.
    """

    module: str
    libraries: tuple[str, ...] = ()


OPTIONS: Mapping[str, Option] = {
    "matryoshka": Option(f"{_OPTIONS}.matryoshka"),
    "lora": Option(f"{_OPTIONS}.lora", libraries=("peft",)),
}
"""Key under ``training`` → its option, in the order in which they are laid over an objective."""
