"""A text as rules read it: cues are looked for first, since a search for plain text is far faster than a pattern."""

from collections.abc import Iterator


class Passage:
    """A text, and the same in small letters, place for place."""

    def __init__(self, text: str) -> None:
        self.text = text
        lowered = text.lower()
        if len(lowered) != len(text):  # a few letters become two
            lowered = "".join(one.lower() if one.isascii() else one for one in text)
        self.lowered = lowered
        self.longest = max(map(len, text.split()), default=0)
        """Characters of the longest stretch without white space."""

    def places(self, cue: str) -> Iterator[int]:
        """Where a cue in small letters begins, in order; places do not overlap."""
        place = self.lowered.find(cue)
        while place >= 0:
            yield place
            place = self.lowered.find(cue, place + len(cue))

    def begins_word(self, place: int) -> bool:
        """Whether neither letter nor digit stands before a place."""
        return place == 0 or not self.text[place - 1].isalnum()
