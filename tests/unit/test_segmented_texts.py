"""Texts whose words are marked for encoders such as PhoBERT: the same in training and in use."""

import pytest

from sentflow.texts.segmentation import segmented

HOW = "vietnamese-words"
TEXTS = ["Công an nhân dân xử phạt", "Người lao động có quyền", "xử phạt hành chính", "nhân dân có quyền"]
MARKED = ["Công_an nhân_dân xử_phạt", "Người lao_động có quyền", "xử_phạt hành_chính", "nhân_dân có quyền"]


@pytest.fixture
def _words():
    pytest.importorskip("underthesea", reason="Vietnamese words need envs/requirements-vietnamese.txt")


@pytest.mark.usefixtures("_words")
def test_syllables_of_a_word_are_joined_and_lines_stay_lines():
    assert segmented(["Công an nhân dân\n\nxử phạt hành chính", ""], HOW) == [
        "Công_an nhân_dân\n\nxử_phạt hành_chính",
        "",
    ]
    assert segmented(TEXTS, HOW) == MARKED
