"""Sample data by task: which writer, how many rows of each class, how much noise."""

from sentflow.errors import ConfigError
from sentflow.stats.seeds import derive_seed
from sentflow.texts.sample import law_texts, media_texts, public_texts
from sentflow.texts.sample.rows import Recipe, SampleRows, make_rows

# The smallest class times the number of classes is what the protocol keeps: 804 to 812 rows, whose training part (64 %)
# has four batches of 128. With fewer, the published warm-up would have no step, and the learning rate would not rise.
RECIPES = {
    "F1A": Recipe(law_texts.masked_law_in_summary, (428, 404), noise=0.04),
    "F1B": Recipe(law_texts.masked_law_in_news, (402, 424), noise=0.04),
    "F2": Recipe(law_texts.provision_of_statute, (121, 118, 120, 123, 116, 124, 119), noise=0.06),
    "F3": Recipe(law_texts.bar_exam, (204, 212, 206, 202), noise=0.04),
    "F4": Recipe(law_texts.exam_answer, (428, 402), noise=0.04),
    "F5": Recipe(law_texts.federal_exam, (166, 162, 171, 168, 164), noise=0.04),
    "F6": Recipe(law_texts.court_summary, (422, 402), noise=0.04),
    "G1": Recipe(public_texts.bill_topic, (428, 404), noise=0.04),
    "G2A": Recipe(public_texts.state_news, (414, 402), noise=0.04),
    "G2B": Recipe(public_texts.summary_and_bill, (404, 404), noise=0.04),
    "G3": Recipe(public_texts.question_and_answer, (431, 402), noise=0.04),
    "G4": Recipe(public_texts.bill_and_comment, (404, 433), noise=0.04),
    "T1A": Recipe(media_texts.instagram_comment, (405, 405), noise=0.04),
    "T1B": Recipe(media_texts.portal_comment, (446, 402), noise=0.04),
    "T2A": Recipe(media_texts.bias, (430, 402), noise=0.04),
    "T2B": Recipe(media_texts.factuality, (428, 402), noise=0.04),
    "T3": Recipe(media_texts.fake_story, (404, 404), noise=0.04),
    "T4": Recipe(public_texts.perhaps_tampered_provision, (430, 404), noise=0.04),
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
        800 to 870 rows in random order; the same on any machine.

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
