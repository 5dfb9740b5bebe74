"""Options of any recipe, laid around it."""

from collections.abc import Callable
from importlib import import_module
from typing import cast

from sentence_transformers import SentenceTransformer

from sentflow.training.contract import Objective
from sentflow.training.draws import Draws
from sentflow.training.options.contract import OptionModule
from sentflow.training.options.table import OPTIONS
from sentflow.training.settings import TrainingSettings


def with_options(
    build: Callable[[], Objective], encoder: SentenceTransformer, training: TrainingSettings, draws: Draws
) -> Objective:
    """The objective that `build` makes of an encoder, with the options of a training.

    Raises
    ------
    ConfigError
        See `OptionModule.prepare` and `sentflow.training.contract.RecipeModule.build`.
    """
    options = [
        (cast("OptionModule", import_module(OPTIONS[name].module)), settings, draws.of(name))
        for name, settings in training.options.items()
    ]
    for module, settings, of_option in options:
        module.prepare(encoder, settings, of_option)
    objective = build()
    for module, settings, _ in options:
        objective = module.wrap(objective, settings)
    return objective
