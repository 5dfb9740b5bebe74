"""What the page shows of trainings."""

from markupsafe import Markup

from sentflow.report.claims import spelled
from sentflow.report.families.training.rows import TrainedRow
from sentflow.report.numbers import duration
from sentflow.report.page.draw import h, joined
from sentflow.report.page.sources import Report, Section, Sources, datasets_of
from sentflow.report.rows import unique

_NO_CONTROL = (
    "No negative control was trained, so it is not known how much of a change is due to training at all."
)
_AUDIT = "training/"


def report(sources: Sources) -> Report | None:
    """The section; None where nothing was trained."""
    rows = sources.inputs.rows_if_there(TrainedRow)
    if not rows:
        return None
    text = spelled(len(rows), "encoder")
    took = duration(sum(row.seconds for row in rows))
    finding = f"{text[0].upper()}{text[1:]} {'was' if len(rows) == 1 else 'were'} trained in {took}."
    cards = [file.parent.name for file in sources.inputs.files if file.name == "README.md"]
    links = joined(h('<li><a href="../exports/cards/{0}/README.md">{0}</a></li>', card) for card in cards)
    body = h('<p class="small">Model cards:</p><ul class="small">{}</ul>', links) if cards else Markup("")
    controls = unique(row.group for row in rows if row.is_control)
    caveats = (
        [("Negative controls", f"Training pairs of {', '.join(controls)} belong together by chance alone.")]
        if controls
        else [("No negative control", _NO_CONTROL)]
    )
    trained_on = {row.data for row in rows}
    for audited, audit in sources.audits.items():
        if audited.startswith(_AUDIT) and audited.removeprefix(_AUDIT) in trained_on:
            caveats += [(f"Training data {audit['data']}", warning) for warning in audit["warnings"]]
    figures = ("training-curves", "training-sweep")
    return Report(
        [Section("training", "Training", finding, body, "training", figures, ("training-runs",))],
        rows,
        [],  # they are named where their scores are
        caveats=caveats,
        datasets=datasets_of(list(sources.entries("training_data").values())),
    )
