"""Which protocol a task takes."""

from collections.abc import Mapping
from typing import Any

from sentflow.probing.settings import PUBLISHED_NAME

FOR_OWN_TASKS = "corrected"


def protocol_name(task: Mapping[str, Any], chosen: str) -> str:
    """Name of the protocol that a task takes.

    Parameters
    ----------
    task
        Its entry. One that sentflow does not come with has ``published: false``: without scores to be compared with,
        the published protocol has no use there, and would train a small task too little.
    chosen
        `probe.protocol` of a configuration, or what stands for it.
    """
    if "protocol" in task:
        return str(task["protocol"])
    is_published = task.get("published", True)
    return FOR_OWN_TASKS if chosen == PUBLISHED_NAME and not is_published else chosen
