"""How the completion looks: a sheet with the head of a function, to be handed in as one block of code."""

from examples.theatre.phrases import PLAIN
from examples.theatre.vocabulary import Vocabulary

SHEET = Vocabulary(
    "sheet",
    {
        **PLAIN,
        "prompt": (
            "Complete this function. Reply with the whole function in one block of Python.\n\n```python\n{head}\n```"
        ),
        "voice: answer in a sentence": "{closing} It goes like this:\n\n{answer}",
    },
    task_id="Completion/{index}",
)
