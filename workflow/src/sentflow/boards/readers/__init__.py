"""Readers of formats. Those that recognise fewer files are imported, and so asked, first."""

from sentflow.boards.readers import bright as bright
from sentflow.boards.readers import mteb as mteb
from sentflow.boards.readers import own as own
from sentflow.boards.readers import preferences as preferences
from sentflow.boards.readers import trec as trec

from sentflow.boards.readers import tables as tables  # isort: skip - what is none of the others
