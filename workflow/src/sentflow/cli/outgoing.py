"""What a run sends to others: which texts to which service, with which key, and the token of the hub."""

import os
from collections.abc import Mapping
from typing import Any

from sentflow.config.experiment import Experiment
from sentflow.encoders.kinds.service_keys import read_key
from sentflow.encoders.kinds.table import API
from sentflow.encoders.manifest import source_kind
from sentflow.errors import ConfigError
from sentflow.graph.targets import Targets
from sentflow.jobs.secrecy import TOKEN_VARIABLES, without_secrets


def outgoing(experiment: Experiment) -> list[str]:
    """One sentence for each encoder behind an address, and one for the hub if it is sent a token.

    The environment is that of this process: a key that is missing here, or is not for the address, is reported.
    """
    collections = sorted(Targets(experiment).collections)
    sentences = [
        f"{name}: the texts of {', '.join(collections)} to {entry['url']}, {_key_of(entry)}"
        for name, entry in experiment.fetched_models.items()
        if entry["kind"] == API
    ]
    from_hub = [
        name
        for name, entry in experiment.fetched_models.items()
        if "source" in entry and source_kind(entry["source"]) == "hub"
    ]
    tokens = [variable for variable in TOKEN_VARIABLES if os.environ.get(variable)]
    if from_hub and tokens:
        hub = without_secrets(os.environ.get("HF_ENDPOINT", "https://huggingface.co"))
        sentences.append(f"{', '.join(from_hub)}: the token in {tokens[0]} to {hub}, for downloads")
    return sentences


def _key_of(entry: Mapping[str, Any]) -> str:
    variable = entry.get("key_variable")
    if variable is None:
        return "without a key"
    try:
        read_key(variable, entry["url"])
    except ConfigError as error:
        return f"with the key in {variable}, which is refused: {error}"
    return f"with the key in {variable}"
