"""The sensitivity of scores to documents that are split across folds: both scores side by side."""

from collections.abc import Sequence

from sentflow.compare.score_rows import EffectRow
from sentflow.report import captions
from sentflow.report.numbers import decimal, signed
from sentflow.report.rows import unique
from sentflow.report.table.cells import Cell, Group, Table, names_of, records_of
from sentflow.report.table.maker import made_of


def documents_table(rows: Sequence[EffectRow], title: str) -> Table:
    """Scores with rows dealt to the folds one by one, and with the rows of a document kept together.

    Without lines where no selected task names documents: a smaller selection of tasks is no mistake.
    """
    members = [row for row in rows if row.groups_folds]
    groups = []
    for protocol in unique(row.protocol for row in members):
        for task in unique(row.task for row in members if row.protocol == protocol):
            own = [row for row in members if (row.protocol, row.task) == (protocol, task)]
            heading = f"{task}: {own[0].task_title} ({captions.metric_name(own[0].metric)}), {own[0].protocol_title}"
            groups.append(Group(heading, tuple(_line(row) for row in own)))
    return Table(
        name="documents",
        caption=f"{title}: scores with the rows of a document split across folds and kept together.",
        notes=(
            captions.data_note(rows),
            *(() if members else ("No task of this selection gives the documents of its rows.",)),
            f"Split: as under {rows[0].baseline}, rows are assigned to folds one by one, so that a "
            "probe may be "
            "tested on rows of a document that it was trained on. Together: all rows of a document are "
            "in one fold.",
            "A score that falls a lot when documents are kept together depends on what the rows of a "
            "document have in "
            "common. The folds are not the same, so differences have no paired interval.",
            "Tasks whose rows have no document are left out: both scores are the same.",
        ),
        header=("Encoder", "Split", "Together", "Change", "Rank split", "Rank together"),
        alignment=("l", "r", "r", "r", "r", "r"),
        groups=tuple(groups),
        tidy_header=names_of(EffectRow),
        tidy_rows=records_of(members),
    )


def _line(row: EffectRow) -> tuple[Cell, ...]:
    return (
        Cell(row.model_title),
        Cell(decimal(row.baseline_mean)),
        Cell(decimal(row.mean)),
        Cell(signed(row.difference)),
        Cell(f"{row.baseline_rank:g}"),
        Cell(f"{row.rank:g}"),
    )


table = made_of(EffectRow, documents_table)
