"""Readers of formats. Those that recognise fewer files are imported, and so asked, first."""

from sentflow.boards.readers import mteb as mteb
from sentflow.boards.readers import trec as trec
