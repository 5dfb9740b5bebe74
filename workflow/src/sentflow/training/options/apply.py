"""Options of any recipe, laid over its objective."""

from sentflow.training.contract import Objective
from sentflow.training.settings import TrainingSettings


def with_options(objective: Objective, training: TrainingSettings) -> Objective:  # noqa: ARG001
    """The objective with the options of a training."""
    return objective
