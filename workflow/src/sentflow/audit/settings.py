"""What audits of tasks read. The Snakefile imports it: standard library and pydantic only."""

from sentflow.config.model import Count, Folds, Language, Names, Repetitions, Seed, Settings


class AuditSettings(Settings):
    """What an audit depends on beside the rows."""

    repetitions: Repetitions
    """Of the protocol of the scores, whose draws decide which rows are in different folds."""
    folds: Folds
    seed: Seed
    group_folds: bool
    """Whether this protocol keeps documents together."""
    language: Language


class HardestSettings(Settings):
    """Which texts count as hardest."""

    models: Names
    """Encoders in the order of their predictions."""
    limit: Count = 100
    offensive: Names
    """Tasks whose texts are abusive, so that reports hide them."""
