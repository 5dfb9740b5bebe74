"""The families of measurements that a configuration speaks of: the one place that names them."""

from sentflow.graph.config.family import ConfigPart, Section
from sentflow.graph.config.pairs import PAIRS
from sentflow.graph.config.probing import PROBING
from sentflow.graph.config.shared import SHARED

FAMILIES: tuple[ConfigPart, ...] = (PROBING, PAIRS)
PARTS: tuple[ConfigPart, ...] = (SHARED, *FAMILIES)
SECTIONS: tuple[Section, ...] = tuple(section for part in PARTS for section in part.sections)
# Sections of which `select` lists names; nothing is measured where it names none
MEASURED: tuple[str, ...] = tuple(
    section.name
    for part in FAMILIES
    for section in part.sections
    if section.named_in == (f"select.{section.name}",)
)
