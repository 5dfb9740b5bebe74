"""The average over the seven English test sets, as papers on contrastive sentence encoders print it."""

import math
from collections.abc import Mapping

# what paper tables call them, and the `group` that the catalog gives their pair sets
SEVEN = {
    "STS12": "STS12",
    "STS13": "STS13",
    "STS14": "STS14",
    "STS15": "STS15",
    "STS16": "STS16",
    "STSB": "STS-B",
    "SICKR": "SICK-R",
}


def seven_set_average(values: Mapping[str, float]) -> float:
    """Mean of the seven values, each rounded to two decimals first; NaN unless all seven are there.

    Parameters
    ----------
    values
        Group (a key of `SEVEN`) → correlation × 100; further groups do not count.

    Notes
    -----
    princeton-nlp/SimCSE@49fa580a, ``evaluation.py``: the printed cells are averaged.
    """
    known = [round(values[group], 2) for group in SEVEN if not math.isnan(values.get(group, math.nan))]
    return math.fsum(known) / len(SEVEN) if len(known) == len(SEVEN) else math.nan
