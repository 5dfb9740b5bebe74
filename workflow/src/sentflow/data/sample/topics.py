"""What bills, news and citizens speak about: twenty themes of policy, each matter in three wordings."""

from sentflow.data.sample.topics_rights import RIGHTS_TOPICS
from sentflow.data.sample.topics_services import SERVICE_TOPICS
from sentflow.data.sample.topics_state import STATE_TOPICS

TOPICS = SERVICE_TOPICS + RIGHTS_TOPICS + STATE_TOPICS
