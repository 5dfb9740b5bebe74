"""What bills, news and citizens speak about: twenty themes of policy, each matter in three wordings."""

from sentflow.texts.sample.topics_rights import RIGHTS_TOPICS
from sentflow.texts.sample.topics_services import SERVICE_TOPICS
from sentflow.texts.sample.topics_state import STATE_TOPICS

TOPICS = SERVICE_TOPICS + RIGHTS_TOPICS + STATE_TOPICS
