"""Which commit of a model on the hub is meant: asked when a configuration is read, and before anything is fetched."""

import re
from collections.abc import Mapping
from typing import Any

_COMMIT = re.compile(r"[0-9a-f]{40}")
REQUIRED = "REQUIRED"  # of an entry of the catalog whose commit the user must choose


def revision_problems(where: str, source: Mapping[str, Any]) -> list[str]:
    """What is wrong with the revision of a source with ``hub``; a branch or a tag can move."""
    revision = source.get("revision")
    if isinstance(revision, str) and _COMMIT.fullmatch(revision):
        return []
    found = {None: "is missing", REQUIRED: "the catalog knows no commit of this model"}.get(
        revision, f"{revision!r} can point to other weights tomorrow"
    )
    return [
        f"{where}: {found}. Write the 40 hexadecimal digits of a commit of {source.get('hub')}: on its page in "
        "the hub open 'Files and versions', then 'History', and copy the hash of the commit that you mean."
    ]
