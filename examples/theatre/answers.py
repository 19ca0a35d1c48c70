"""How a verifier finds the answer in a message, and when it takes two answers for the same."""


def extract_answer(message: str | None, form: str) -> str | None:
    """Return what stands in the last place of a message that has the demanded form, or None.

    The form is a text with `{answer}` in it. Where nothing follows that, the answer ends with its line.
    """
    before, _, after = form.partition("{answer}")
    text = message or ""
    start = _last_start(text, before)
    if start is None:
        return None
    rest = text[start + len(before) :]
    found, closed, _ = rest.partition(after or "\n")
    return found.strip() or None if closed or not after else None


def _last_start(text: str, before: str) -> int | None:
    """Return where the form last begins; one that is a word and a colon must begin a line."""
    position = text.rfind(before)
    while position >= 0 and before.endswith(": ") and position > 0 and text[position - 1] != "\n":
        position = text.rfind(before, 0, position)
    return position if position >= 0 else None


def same_answer(given: str | None, expected: str) -> bool:
    """Tell whether two answers agree, whatever their case and outer punctuation."""
    return given is not None and _normal(given) == _normal(expected)


def _normal(answer: str) -> str:
    return " ".join(answer.strip(" .'\"").casefold().split())
