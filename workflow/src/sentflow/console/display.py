"""Where the lines go: one below the other, or above a display of what is running, which stays at the bottom."""

import os
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from sentflow.console.run import Run
from sentflow.files.control_characters import visible
from sentflow.report.numbers import duration

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN = 6  # running jobs
_BAR = 24


class Display(Protocol):
    """What takes lines."""

    def say(self, text: str, style: str = "") -> None:
        """Print a paragraph; a style is rich's, e.g. ``red``."""

    def close(self) -> None:
        """Leave the screen as it is."""


class Lines:
    """For files, pipes, continuous integration: plain lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def say(self, text: str, style: str = "") -> None:  # noqa: ARG002 - a file has no colours
        """Print a paragraph."""
        self._stream.write(f"{visible(text)}\n")
        self._stream.flush()

    def close(self) -> None:
        """Nothing is open."""


class Screen:
    """For a terminal: lines, and below them how far the run is and what is running."""

    def __init__(self, stream: TextIO, run: Run, *, no_color: bool) -> None:
        from rich.console import Console
        from rich.live import Live

        self._run = run
        self._console = Console(file=stream, highlight=False, no_color=no_color or None)
        self._live = Live(
            console=self._console,
            get_renderable=self._status,
            refresh_per_second=2,
            transient=True,
            redirect_stdout=False,
        )
        self._live.start()
        # Somebody may kill this process, and then nobody would show it again.
        self._console.show_cursor(True)

    def say(self, text: str, style: str = "") -> None:
        """Print a paragraph above the display."""
        from rich.text import Text

        self._console.print(Text(visible(text), style=style), soft_wrap=True)

    def close(self) -> None:
        """Take the display away."""
        self._live.stop()

    def _status(self) -> "RenderableType":
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        bar = Table.grid(padding=(0, 1))
        bar.add_row(
            ProgressBar(total=max(1, self._run.total), completed=self._run.done, width=_BAR),
            Text(self._run.progress(), no_wrap=True, overflow="ellipsis"),
        )
        running = list(self._run.running.values())  # jobs end in another thread
        lines = [f"  {visible(job.words)} ({duration(self._run.since(job))})" for job in running[:_SHOWN]]
        more = [f"  and {len(running) - _SHOWN} more"] if len(running) > _SHOWN else []
        return Group(
            bar, *(Text(line, style="dim", no_wrap=True, overflow="ellipsis") for line in lines + more)
        )


def is_screen(stream: Any) -> bool:
    """Whether a stream is a terminal that somebody sees: not in continuous integration, and none that is dumb."""
    return bool(stream.isatty()) and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
