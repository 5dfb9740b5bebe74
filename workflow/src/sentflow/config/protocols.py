"""Protocols of probes: entries of the catalog."""

from sentflow.config.model import Maybe, Settings, Text, Title
from sentflow.probing.settings import Switches, Training


class Protocol(Settings):
    """How probes are trained, tested and summed up, as differences from the published evaluator (docs/protocols.md)."""

    like: Maybe[Text] = None
    """Name of another protocol whose switches and training are taken; keys written here are merged over them."""
    title: Title
    description: Maybe[Text] = None
    """What it is for, for the report."""
    switches: Switches = Switches()
    training: Training = Training()
