"""A job runs the code for which its run was planned, or none."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from sentflow.errors import ConfigError, SentflowError
from sentflow.flow.provenance import code, facts, sources_of
from sentflow.flow.source_facts import facts_of


class CodeChangedError(SentflowError):
    """The code of a job is not the one for which the run was planned."""

    def __init__(self, job: str) -> None:
        super().__init__(
            f"the code of the job {job} was edited while the run was going on, and nothing was written. "
            "Start the run again."
        )


def check_code(job: str, digest: str) -> None:
    """Refuse code of a job that has not this digest, now and whenever a module of it is imported from here on.

    To be called before the module of the job is imported. What is edited after its import does not matter to the job.
    `digest`: as `sentflow.flow.provenance.code` gave it when the graph was built.
    """
    _, *named = digest.split()
    try:
        is_same = code(job, *named) == digest
    except (ConfigError, KeyError, OSError, ImportError, SyntaxError):  # of an edit that is not finished
        is_same = False
    if not is_same:
        raise CodeChangedError(job)
    modules = {name.partition(":")[0] for name in sources_of(job, *named) if "/" not in name}
    sys.meta_path.insert(0, _CheckedImports(job, {name: facts(name).digest for name in modules}))


class _CheckedImports(MetaPathFinder):
    """Finds modules as Python does, and has the source of some checked before they run."""

    def __init__(self, job: str, digests: dict[str, str]) -> None:
        self._job, self._digests = job, digests

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._digests:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin, self._job, self._digests[fullname])
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, job: str, digest: str) -> None:
        super().__init__(fullname, path)
        self._job, self._digest = job, digest

    def get_code(self, fullname: str) -> CodeType | None:
        compiled = super().get_code(fullname)
        # Python has read the source, or compared its date, right before
        if facts_of(Path(self.path).read_bytes(), in_parts=False).digest != self._digest:
            raise CodeChangedError(self._job)
        return compiled
