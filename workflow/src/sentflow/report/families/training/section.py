"""What the page shows of trainings."""

from sentflow.compare.training_rows import TrainingSeeds
from sentflow.report.families.training.figure_rows import SweepPoint, TrainingHeldOutRow
from sentflow.report.families.training.rows import TrainingRow
from sentflow.report.families.training.trained_rows import TrainedRow
from sentflow.report.numbers import counted
from sentflow.report.page.sources import Part, Section, Sources, datasets_of
from sentflow.report.rows import unique

_AUDIT = "training/"


def section(sources: Sources) -> Section | None:
    """The section; None where nothing was trained."""
    rows = sources.inputs.rows_if_there(TrainedRow)
    if not rows:
        return None
    groups = unique(row.group for row in rows)
    controls = unique(row.group for row in rows if row.is_control)
    found = {
        name.removeprefix(_AUDIT): audit for name, audit in sources.audits.items() if name.startswith(_AUDIT)
    }
    audits = [found[name] for name in unique(row.data for row in rows) if name in found]
    scored = bool(sources.inputs.rows_if_there(TrainingRow))
    sweeps = bool(sources.inputs.rows_if_there(SweepPoint)) and scored
    names = {
        "training-runs": True,
        "training-costs": True,
        "training-held-out": bool(sources.inputs.rows_if_there(TrainingHeldOutRow)),
        "training-sweep": sweeps,
        "training-reduced": sweeps,
        "training-seeds": bool(sources.inputs.rows_if_there(TrainingSeeds)),
    }
    folder = "families/training/page"
    return Section(
        name="training",
        shown={
            "n_trained": len(rows),
            "n_groups": len(groups),
            "n_controls": len(controls),
            "controls": controls,
            "audits": audits,
            "threshold": audits[0]["threshold"] if audits else None,
            "cards": [file.parent.name for file in sources.inputs.files if file.name == "README.md"],
        },
        tab="Training",
        summary=f"{folder}/summary.html.j2",
        results=(
            Part("trainings", "Training", f"{folder}/results.html.j2"),
            Part("trainings-generality", "Seeds, controls, texts of tests", f"{folder}/generality.html.j2"),
            Part("trainings-costs", "Cost of training", f"{folder}/costs.html.j2"),
        ),
        rows=rows,
        encoders=[],  # they are told where their scores are
        findings=[],
        tables={name: sources.table(name) for name, there in names.items() if there},
        datasets=datasets_of(list(sources.entries("training_data").values())),
        badges=(counted(len(groups), "training") + f", {counted(len(rows), 'encoder')}",),
    )
