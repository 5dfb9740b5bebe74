"""What is wrong with the devices of a model entry, told without torch."""

import re
from typing import Any

_DEVICE = re.compile(r"cpu|mps|(cuda|xpu)(:\d+)?")


def device_problems(value: Any) -> list[str]:
    """What is wrong with the key ``device`` of a model entry, one sentence each.

    Parameters
    ----------
    value
        The name of a device, a list of them, or None for the best there is.
    """
    names = value if isinstance(value, list) else [value]
    if value is None:
        return []
    wrong = [name for name in names if not isinstance(name, str) or not _DEVICE.fullmatch(name)]
    if wrong or not names:
        return [f"device: {value!r} names no device. Write cpu, cuda, cuda:1, mps, or [cuda:0, cuda:1]."]
    kinds = {name.partition(":")[0] for name in names}
    if len(names) > 1 and (len(kinds) > 1 or len(set(names)) < len(names)):
        return [
            f"device: {value!r}: several devices are different ones of one kind, such as [cuda:0, cuda:1], "
            "for another kind gives other last bits. A processor is named once: its threads work together."
        ]
    if len(names) > 1 and not all(":" in name for name in names):
        return [f"device: {value!r}: several devices are named by number, such as [cuda:0, cuda:1]."]
    return []
