"""Readers of formats. Those that recognise fewer files are imported, and so asked, first."""

from sentflow.boards.readers import bright as bright
from sentflow.boards.readers import helm as helm
from sentflow.boards.readers import inspect as inspect
from sentflow.boards.readers import lighteval as lighteval
from sentflow.boards.readers import lm_eval as lm_eval
from sentflow.boards.readers import mteb as mteb
from sentflow.boards.readers import own as own
from sentflow.boards.readers import preferences as preferences
from sentflow.boards.readers import rewardbench as rewardbench
from sentflow.boards.readers import swe_bench as swe_bench
from sentflow.boards.readers import trec as trec

from sentflow.boards.readers import tables as tables  # isort: skip - what is none of the others
