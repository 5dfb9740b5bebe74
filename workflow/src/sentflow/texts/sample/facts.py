"""What sample sentence pairs speak of: sources of sentences, their themes, and facts in several wordings."""

from dataclasses import dataclass

Wordings = tuple[str, str, str]
"""A fact in three wordings that share few words."""

Theme = tuple[Wordings, Wordings, Wordings]
"""Three facts about the same kind of thing."""


@dataclass(frozen=True)
class Source:
    """Where sentences of one manner come from.

    Attributes
    ----------
    name
        Of the sub-source.
    themes
        At least two.
    places, times
        Phrases that may end a sentence, or begin it.
    """

    name: str
    themes: tuple[Theme, ...]
    places: tuple[str, ...]
    times: tuple[str, ...]
