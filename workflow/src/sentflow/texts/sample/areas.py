"""What courts and law exams ask about: eight areas of law, each matter in three wordings."""

from sentflow.texts.sample.areas_individual import INDIVIDUAL_AREAS
from sentflow.texts.sample.areas_state import STATE_AREAS

AREAS = INDIVIDUAL_AREAS + STATE_AREAS
