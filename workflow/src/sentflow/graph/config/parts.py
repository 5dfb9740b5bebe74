"""The parts of a configuration: what all families of measurements share, and what each of them adds."""

from functools import cache

from sentflow.graph.config.family import ConfigPart, Section
from sentflow.graph.config.shared import SHARED
from sentflow.graph.family import known_families


@cache
def family_parts() -> tuple[ConfigPart, ...]:
    """What each family adds, in their order."""
    return tuple(family.config for family in known_families())


def known_parts() -> tuple[ConfigPart, ...]:
    """The shared part, then `family_parts`."""
    return (SHARED, *family_parts())


def known_sections() -> tuple[Section, ...]:
    """The sections of all parts."""
    return tuple(section for part in known_parts() for section in part.sections)


def measured() -> tuple[str, ...]:
    """Sections of which `select` lists names; nothing is measured where it names none."""
    sections = [section for part in family_parts() for section in part.sections]
    return tuple(
        section.name
        for section in sections
        if section.alone and section.named_in == (f"select.{section.name}",)
    )
