"""What the site has beyond the pages of this folder: the README as first page, and links to files of the repository."""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"\]\((?!\w+:|#)([^)#]*)(#[^)]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the README as a page."""
    files.append(File.generated(config, "README.md", content=(ROOT / "README.md").read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Point links between pages at the site, and other links at the repository."""
    name = page.file.src_uri
    folder = "" if name == "README.md" else posixpath.dirname(f"docs/{name}")

    def link(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        anchor = match[2] or ""
        if path.startswith("docs/") or path == "README.md":
            target = posixpath.relpath(path.removeprefix("docs/"), posixpath.dirname(name) or ".")
        else:
            target = f"{config.repo_url}/blob/main/{path}"
        return f"]({target}{anchor})"

    return _LINK.sub(link, markdown)
