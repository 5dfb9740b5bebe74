"""The acceptance check of model cards: every trained encoder has one, and every number in it equals its file."""

from pathlib import Path

from sentflow.errors import SentflowError
from sentflow.files.io import read_json
from sentflow.report.checks import CheckResult, Selection
from sentflow.report.inputs import Inputs
from sentflow.training.cards.facts import read_facts
from sentflow.training.cards.lint import card_problems
from sentflow.training.record import Record
from sentflow.training.settings import CardSettings

NAME = "model-cards"
_RULE = (
    "Every trained encoder has a model card whose front matter the hub can read, with all sections and no placeholder; "
    "every number in it is that of the file it comes from."
)


def check_cards(inputs: Inputs, _selection: Selection) -> CheckResult:
    """Read the files of every training again, and compare its card with them."""
    records = {file.parent.name: file for file in inputs.files if file.name == "record.json"}
    cards = {file.parent.name: file for file in inputs.files if file.name == "README.md"}
    problems = [f"{model}: no card" for model in records if model not in cards]
    for model, card in cards.items():
        problems += [f"{model}: {problem}" for problem in _problems(records[model], card, inputs)]
    return CheckResult(NAME, _RULE, {"trainings": len(records), "cards": len(cards)}, problems)


def _problems(record: Path, card: Path, inputs: Inputs) -> list[str]:
    training = record.parent
    summaries = [file for file in inputs.files if file.suffix == ".parquet"]
    try:
        about = CardSettings.model_validate(read_json(card.parent / "about.json"))
        data = Record.read(record).data.name
        manifest = training.parents[1] / "models" / training.name / "manifest.json"
        audit = next((file for file in inputs.files if _is_audit(file) and file.stem == data), None)
        facts = read_facts(training, manifest, about, summaries, audit)
        return card_problems(card.read_text(encoding="utf-8"), facts)
    except (SentflowError, OSError) as error:
        return [str(error)]


def _is_audit(file: Path) -> bool:
    return file.suffix == ".json" and file.parts[-3:-1] == ("audit", "training")
