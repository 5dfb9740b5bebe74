"""What encoders and data are called outside this project. Standard library only: the Snakefile reads it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sentflow.encoders.kinds.table import DESCRIPTIVE_KEYS, PLACE_KEYS

OWNER = "sentflow"  # of what has no name on the hub
REVISION_DIGITS = 40  # of a git commit, whose place a checksum takes
# ISO 639-1 → ISO 639-3 and ISO 15924, as MTEB writes languages.
_LANGUAGES = {
    "ar": "ara-Arab",
    "bg": "bul-Cyrl",
    "ca": "cat-Latn",
    "cs": "ces-Latn",
    "da": "dan-Latn",
    "de": "deu-Latn",
    "el": "ell-Grek",
    "en": "eng-Latn",
    "es": "spa-Latn",
    "et": "est-Latn",
    "eu": "eus-Latn",
    "fi": "fin-Latn",
    "fr": "fra-Latn",
    "ga": "gle-Latn",
    "gl": "glg-Latn",
    "he": "heb-Hebr",
    "hi": "hin-Deva",
    "hr": "hrv-Latn",
    "hu": "hun-Latn",
    "id": "ind-Latn",
    "it": "ita-Latn",
    "ja": "jpn-Jpan",
    "ko": "kor-Hang",
    "lt": "lit-Latn",
    "lv": "lav-Latn",
    "mt": "mlt-Latn",
    "nl": "nld-Latn",
    "pl": "pol-Latn",
    "pt": "por-Latn",
    "ro": "ron-Latn",
    "ru": "rus-Cyrl",
    "sk": "slk-Latn",
    "sl": "slv-Latn",
    "sv": "swe-Latn",
    "tr": "tur-Latn",
    "uk": "ukr-Cyrl",
    "vi": "vie-Latn",
    "zh": "zho-Hans",
}
_UNDETERMINED = "und-Zyyy"


@dataclass(frozen=True)
class ModelName:
    """An encoder as others call it."""

    # name: ``"owner/name"``: that of the hub where the entry is a hub model as it comes, else ``"sentflow/<entry>"``
    name: str
    revision: str  # the hub's commit; for others 40 hexadecimal digits of a checksum of the entry
    # adapted_from: hub model that the entry changes (pooling, prompt, truncation …); None otherwise
    adapted_from: str | None
    # licence, max_tokens: of its entry
    licence: str = "not stated"
    max_tokens: int | None = None

    @property
    def folder(self) -> str:
        """``owner__name/revision``, as MTEB names the folder of a model's results."""
        return f"{self.name.replace('/', '__')}/{self.revision}"


def model_name(entry_name: str, entry: Mapping[str, Any]) -> ModelName:
    """The name of an encoder.

    Two entries may take the same hub model in different ways; only the one without settings of its own has its name.
    """
    source = entry.get("source", {})
    hub = source.get("hub")
    about = {key: entry[key] for key in ("licence", "max_tokens") if key in entry}
    settings = {key: value for key, value in entry.items() if key not in DESCRIPTIVE_KEYS | PLACE_KEYS}
    if hub and set(settings) <= {"kind", "source", "allow_pickle"} and entry["kind"] != "transformers":
        return ModelName(hub, source["revision"], None, **about)
    text = json.dumps(settings, sort_keys=True)
    revision = hashlib.sha256(text.encode()).hexdigest()[:REVISION_DIGITS]
    return ModelName(f"{OWNER}/{entry_name}", revision, hub, **about)


@dataclass(frozen=True)
class TaskData:
    """What an export says about the data of a task."""

    language: str  # ISO 639-1
    data: str  # ``"owner/name"`` of the dataset
    data_revision: str  # 40 hexadecimal digits of the SHA-256 of the task table, where others have a commit


def data_name(dataset: str, entry: Mapping[str, Any]) -> str:
    """``"owner/name"`` of a dataset: key ``hub`` of its entry, else ``"sentflow/<entry>"``."""
    return str(entry.get("hub", f"{OWNER}/{dataset}"))


def language_script(code: str) -> str:
    """``"pt"`` → ``"por-Latn"``; ``"und-Zyyy"`` (undetermined) for a language that is not in the list."""
    return _LANGUAGES.get(code, _UNDETERMINED)
