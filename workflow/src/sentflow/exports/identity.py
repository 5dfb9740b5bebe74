"""What encoders and data are called outside this project, and what jobs of exports read; the Snakefile reads it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sentflow.config.configuration import About
from sentflow.config.model import Count, Int, Number, Ordered, Pair, Settings, Several, Text
from sentflow.encoders.settings import DESCRIPTIVE_KEYS

OWNER = "sentflow"  # of what has no name on the hub
REVISION_DIGITS = 40  # of a git commit, whose place a checksum takes
# ISO 15924, a script, → ISO 639-1 and 639-3 of the languages that MTEB writes in it
_LANGUAGES = {
    "Arab": "ar ara",
    "Cyrl": "bg bul, ru rus, uk ukr",
    "Latn": (
        "ca cat, cs ces, da dan, de deu, en eng, es spa, et est, eu eus, fi fin, fr fra, ga gle, gl glg, hr "
        "hrv, hu hun, id ind, it ita, lt lit, lv lav, mt mlt, nl nld, pl pol, pt por, ro ron, sk slk, sl slv, "
        "sv swe, tr tur, vi vie"
    ),
    "Grek": "el ell",
    "Hebr": "he heb",
    "Deva": "hi hin",
    "Jpan": "ja jpn",
    "Hang": "ko kor",
    "Hans": "zh zho",
}
_UNDETERMINED = "und-Zyyy"


class ModelFacts(Settings):
    """An encoder as others call it, and what an export says of it."""

    name: Text
    """owner/name of the hub where the entry is a hub model as it comes, else sentflow/<entry>."""
    revision: Text
    """The hub's commit; for others 40 hexadecimal digits of a checksum of the entry."""
    adapted_from: str | None
    """Hub model that the entry changes (pooling, prompt, truncation …); null otherwise."""
    licence: str
    max_tokens: Int | None

    @property
    def folder(self) -> str:
        """``owner__name/revision``, as MTEB names the folder of a model's results."""
        return f"{self.name.replace('/', '__')}/{self.revision}"


class TaskName(Settings):
    """What an export says about the data of a task."""

    language: Text
    """ISO 639-1."""
    data: Text
    """owner/name of the dataset."""


class TaskFacts(TaskName):
    """With the version of the data."""

    data_revision: Text
    """40 hexadecimal digits of the SHA-256 of the task table, where others have a commit."""


class ScoreExport(Settings):
    """Tasks and encoders whose scores are exported, by name."""

    tasks: dict[str, TaskName]
    models: dict[str, ModelFacts]


class QuestionSetName(Settings):
    """What MTEB calls a question set."""

    task: Text
    language: Text


class RetrievalExport(Ordered):
    """Question sets and dense retrievers of MTEB's result files, by name, in the order of the files."""

    question_sets: dict[str, QuestionSetName]
    retrievers: dict[str, ModelFacts]


class RunExport(Settings):
    """What the headers of the runs on a question set say, under the words of ir_metadata."""

    shown: Several[Text]
    """Retrievers in the order of the runs."""
    goal: About
    evaluation: dict[str, Any]
    collection: dict[str, Any]
    retrievers: dict[str, dict[str, Any]]


class Credit(Settings):
    """Whose data they are."""

    title: Text
    licence: Text
    citation: Text


class PairCorpus(Settings):
    """What the card of combined training data says of them and their sources."""

    title: Text
    language: Text
    near: Number
    shards: Count
    relations: dict[str, Text]
    """Training data → title."""
    datasets: dict[str, Several[Credit]]
    """Training data → what they are made of."""


class Crate(About):
    """What an RO-Crate says besides its files."""

    tables: tuple[Pair[Text], ...]
    """Title and dataset of the table of each digest."""
    datasets: dict[str, dict[str, Any]]
    models: dict[str, dict[str, Any]]


def model_facts(entry_name: str, entry: Mapping[str, Any]) -> ModelFacts:
    """What an export says of an encoder.

    Two entries may take the same hub model in different ways; only the one without settings of its own has its name.
    """
    source = entry.get("source", {})
    hub = source.get("hub")
    elsewhere = DESCRIPTIVE_KEYS | {"device", "allow_upload"}
    settings = {key: value for key, value in entry.items() if key not in elsewhere}
    if hub and set(settings) <= {"kind", "source", "allow_pickle"} and entry["kind"] != "transformers":
        named = {"name": hub, "revision": source["revision"], "adapted_from": None}
    else:
        text = json.dumps(settings, sort_keys=True)
        revision = hashlib.sha256(text.encode()).hexdigest()[:REVISION_DIGITS]
        named = {"name": f"{OWNER}/{entry_name}", "revision": revision, "adapted_from": hub}
    return ModelFacts(**named, licence=entry.get("licence", "not stated"), max_tokens=entry.get("max_tokens"))


def data_name(dataset: str, entry: Mapping[str, Any]) -> str:
    """``"owner/name"`` of a dataset: key ``hub`` of its entry, else ``"sentflow/<entry>"``."""
    return str(entry.get("hub", f"{OWNER}/{dataset}"))


def language_script(code: str) -> str:
    """``"pt"`` → ``"por-Latn"``; ``"und-Zyyy"`` (undetermined) for a language that is not in the list."""
    for script, languages in _LANGUAGES.items():
        if code in (known := dict(pair.split() for pair in languages.split(", "))):
            return f"{known[code]}-{script}"
    return _UNDETERMINED
