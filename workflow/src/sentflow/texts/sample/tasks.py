"""Sample data by task: which writer, how many rows of each class, how much noise."""

from sentflow.errors import ConfigError
from sentflow.stats.seeds import derive_seed
from sentflow.texts.sample import law_texts, media_texts, public_texts
from sentflow.texts.sample.rows import Recipe, SampleRows, make_rows

# The smallest class times the number of classes is what the protocol keeps. Logistic tasks keep 400 to 410
# rows, whose training part (64 %) has two batches of 128; the two MLP tasks keep fewer, one batch.
RECIPES = {
    "F1A": Recipe(law_texts.masked_law_in_summary, (236, 204), noise=0.04),
    "F1B": Recipe(law_texts.masked_law_in_news, (240, 202), noise=0.04),
    "F2": Recipe(law_texts.provision_of_statute, (88, 74, 66, 60, 58, 72, 64), noise=0.06),
    "F3": Recipe(law_texts.bar_exam, (96, 110, 104, 99), noise=0.04),
    "F4": Recipe(law_texts.exam_answer, (237, 203), noise=0.04),
    "F5": Recipe(law_texts.federal_exam, (84, 78, 92, 88, 80), noise=0.04),
    "F6": Recipe(law_texts.court_summary, (230, 202), noise=0.04),
    "G1": Recipe(public_texts.bill_topic, (246, 204), noise=0.04),
    "G2A": Recipe(public_texts.state_news, (218, 202), noise=0.04),
    "G2B": Recipe(public_texts.summary_and_bill, (204, 204), noise=0.04),
    "G3": Recipe(public_texts.question_and_answer, (250, 203), noise=0.04),
    "G4": Recipe(public_texts.bill_and_comment, (204, 252), noise=0.04),
    "T1A": Recipe(media_texts.instagram_comment, (205, 205), noise=0.04),
    "T1B": Recipe(media_texts.portal_comment, (396, 202), noise=0.04),
    "T2A": Recipe(media_texts.bias, (390, 203), noise=0.04),
    "T2B": Recipe(media_texts.factuality, (350, 202), noise=0.04),
    "T3": Recipe(media_texts.fake_story, (204, 204), noise=0.04),
    "T4": Recipe(public_texts.perhaps_tampered_provision, (270, 204), noise=0.04),
}


def generate(task: str, *, seed: int) -> SampleRows:
    """Sample rows of an official task, in the form of its official CSV.

    Parameters
    ----------
    task
        Official id, ``"F1A"`` to ``"T4"``.
    seed
        Not negative. Rows depend on the seed and the task's id alone.

    Returns
    -------
    SampleRows
        400 to 600 rows in random order; the same on any machine.

    Raises
    ------
    ConfigError
        No such task, or a negative seed.
    """
    if task not in RECIPES:
        raise ConfigError(
            f"There is no sample data for the task {task!r}. Write one of: {', '.join(RECIPES)}."
        )
    if seed < 0:
        raise ConfigError(f"The seed of sample data is {seed}. Write a number that is not negative.")
    return make_rows(RECIPES[task], seed=derive_seed(seed, "sample", task))
