"""Results folders of sentflow."""

from collections.abc import Sequence
from pathlib import Path

from sentflow.boards.scores import FRACTION, Options, Scores, board_reader, scores_of
from sentflow.errors import listed
from sentflow.flow import paths
from sentflow.runs.folder import KINDS, ResultsFolder
from sentflow.runs.leaderboard import boards_of


def is_results(path: Path) -> bool:
    """Whether a folder, or the one of that name inside it, has results of sentflow."""
    inside = path / paths.RESULTS if (path / paths.RESULTS).is_dir() else path
    return any(next((inside / kind).glob("*/*.json"), None) for kind in KINDS)


@board_reader("sentflow results", is_results)
def _results(folders: Sequence[Path], options: Options) -> Scores:
    """The scores of one kind, of several the first: of probing, of similarity, or of retrieval."""
    runs = {str(folder): ResultsFolder(folder) for folder in folders}
    boards = {f"{board.kind} {board.protocol}".strip(): board for board in boards_of(runs) if board.entries}
    chosen = options.metric if options.metric in boards else next(iter(boards))
    notes = [*boards[chosen].notes]
    if others := [name for name in boards if name != chosen]:
        notes.append(f"Only {chosen} counts. The folders also have: {listed(others)}. Choose with --metric.")
    sources = boards[chosen].sources
    # tasks of a single source stand for its further ones
    several = len({*sources.values()}) > 1
    rows = [
        {
            "model": entry.encoder,
            "task": task,
            "group": sources[task] if several else "",
            "metric": chosen,
            "higher_is_better": True,
            "score": score,
            "unit": FRACTION,
            "file": ", ".join(entry.runs),
        }
        for entry in boards[chosen].entries
        for task, score in entry.scores.items()
    ]
    return scores_of(rows, notes)
