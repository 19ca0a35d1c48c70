"""The families of functions: each with its right body, one that forgets an edge, one that is wrong, and its tests."""

import random
from dataclasses import dataclass
from textwrap import dedent, indent
from typing import Any

from examples.theatre.script import Script
from examples.theatre.tasks import Draft, Families

FAMILIES = Families()
family = FAMILIES.family

Cases = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function that is to be completed."""

    name: str
    head: str
    """Signature and docstring."""
    right: str
    edge: str
    """Forgets a case at the edge: passes the base tests only."""
    wrong: str
    base: Cases
    plus: Cases

    def outcomes(self, code: str, cases: Cases) -> list[str]:
        """What a piece of code returns for each case, as text; an exception by its name."""
        names: dict[str, Any] = {}
        try:
            exec(code, names)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it is its outcome
            return [type(error).__name__] * len(cases)
        return [_outcome(names, self.name, case) for case in cases]


def _outcome(names: dict[str, Any], name: str, case: tuple[Any, ...]) -> str:
    if name not in names:
        return f"NameError: name '{name}' is not defined"
    try:
        return repr(names[name](*_copied(case)))
    except Exception as error:  # noqa: BLE001 - whatever it raises is its outcome
        return f"{type(error).__name__}: {error}"


def _copied(case: tuple[Any, ...]) -> list[Any]:
    return [list(value) if isinstance(value, list) else value for value in case]


def _draft(
    signature: str, says: str, *, right: str, edge: str, wrong: str, base: Cases, plus: Cases, thinking: str
) -> Draft:
    name = signature.partition("(")[0]
    head = f'def {signature}:\n    """{says}"""'
    whole = [f"{head}\n{indent(dedent(body).strip(), '    ')}" for body in (right, edge, wrong)]
    function = Function(name, head, *whole, base, plus)
    renamed = whole[0].replace(f"def {name}(", f"def {name}_of(")
    others = tuple(
        whole[2].replace('"""\n', f'"""\n{comment}', 1) for comment in ("", "    # first try\n", "    # simple\n")
    )
    return Draft(
        {"head": head},
        Script((), "Here is the function.", whole[0], thinking=thinking),
        others,
        slips={"edge_forgotten": whole[1], "renamed": renamed},
        setting=function,
    )


@family("lists", "easy")
def longest_run(stream: random.Random) -> Draft:
    least = stream.randint(0, 9)
    return _draft(
        "longest_run(values)",
        f"Return the length of the longest run of neighbours that are all at least {least}.",
        right=f"""
            best = length = 0
            for value in values:
                length = length + 1 if value >= {least} else 0
                best = max(best, length)
            return best
        """,
        edge=f"""
            runs, length = [], 0
            for value in values:
                if value >= {least}:
                    length += 1
                else:
                    runs.append(length)
                    length = 0
            return max(runs)
        """,
        wrong=f"""
            return sum(value >= {least} for value in values)
        """,
        base=(([least, least, least - 1, least, least - 1],), ([least + 2, least - 3],)),
        plus=(([],), ([least - 1, least, least, least],)),
        thinking="I count neighbours and start anew where one is too small.",
    )


@family("lists", "medium")
def kth_largest(stream: random.Random) -> Draft:
    rank = stream.randint(2, 9)
    few = [rank * 3 - step for step in range(rank + 1)]
    return _draft(
        "kth_largest(numbers)",
        f"Return the number in place {rank} among the different numbers, the largest first; None if there are fewer.",
        right=f"""
            different = sorted(set(numbers), reverse=True)
            return different[{rank - 1}] if len(different) >= {rank} else None
        """,
        edge=f"""
            return sorted(set(numbers), reverse=True)[{rank - 1}]
        """,
        wrong=f"""
            return sorted(set(numbers), reverse=True)[{rank}]
        """,
        base=((few,), ([*few, few[0]],)),
        plus=((few[:1],), ([],)),
        thinking="Equal numbers count once, so I make a set first.",
    )


@family("texts", "medium")
def in_pieces(stream: random.Random) -> Draft:
    size = stream.randint(2, 12)
    text = "abcdefghijklmnopqrstuvwxyz"[: size * 2]
    return _draft(
        "in_pieces(text)",
        f"Cut the text into pieces of {size} characters; the last one may be shorter.",
        right=f"""
            return [text[start : start + {size}] for start in range(0, len(text), {size})]
        """,
        edge=f"""
            return [text[part * {size} : (part + 1) * {size}] for part in range(len(text) // {size})]
        """,
        wrong=f"""
            return [text[start::{size}] for start in range({size})]
        """,
        base=((text,), (text[:size],)),
        plus=((text + "!",), ("a",)),
        thinking="I walk through the text in steps of the size.",
    )


@family("texts", "easy")
def shifted(stream: random.Random) -> Draft:
    shift = stream.randint(1, 24)
    return _draft(
        "shifted(text)",
        f"Move every letter from a to z on by {shift} places, from z on to a again; leave all other characters.",
        right=f"""
            return "".join(chr((ord(c) - 97 + {shift}) % 26 + 97) if "a" <= c <= "z" else c for c in text)
        """,
        edge=f"""
            return "".join(chr((ord(c) - 97 + {shift}) % 26 + 97) for c in text)
        """,
        wrong=f"""
            return "".join(chr(ord(c) + {shift + 1}) for c in text)
        """,
        base=(("abc",), ("xyz",)),
        plus=(("a b",), ("Hi, you!",)),
        thinking="The letters are numbers from 0 to 25, and I add with a remainder.",
    )


@family("parsing", "hard")
def in_minutes(stream: random.Random) -> Draft:
    breaks = stream.randint(5, 45)
    return _draft(
        "in_minutes(text)",
        f"Return the minutes of a duration such as '2h15m', '2h' or '15m', plus a break of {breaks} minutes.",
        right=f"""
            hours, found, rest = text.partition("h")
            minutes = (rest if found else text).rstrip("m")
            return (int(hours) * 60 if found else 0) + int(minutes or 0) + {breaks}
        """,
        edge=f"""
            hours, _, rest = text.partition("h")
            return int(hours) * 60 + int(rest.rstrip("m")) + {breaks}
        """,
        wrong=f"""
            hours, _, rest = text.partition("h")
            return int(hours) * 100 + int(rest.rstrip("m") or 0) + {breaks}
        """,
        base=(("2h15m",), ("1h05m",)),
        plus=(("2h",), ("15m",)),
        thinking="I split at the h; what is left are the minutes.",
    )


@family("parsing", "medium")
def balanced(stream: random.Random) -> Draft:
    deepest = stream.randint(2, 12)
    nested = "(" * deepest + ")" * deepest
    return _draft(
        "balanced(text)",
        f"Tell whether the brackets of the text are balanced and nested no deeper than {deepest}.",
        right=f"""
            depth = 0
            for char in text:
                depth += (char == "(") - (char == ")")
                if not 0 <= depth <= {deepest}:
                    return False
            return depth == 0
        """,
        edge=f"""
            depth = deepest = 0
            for char in text:
                depth += (char == "(") - (char == ")")
                deepest = max(deepest, depth)
            return depth == 0 and deepest <= {deepest}
        """,
        wrong=f"""
            return text.count("(") <= {deepest} and text.count("(") >= text.count(")")
        """,
        base=((nested,), (f"({nested})",), ("(()",)),
        plus=((")(",), ("())(()",)),
        thinking="I keep the depth and look that it stays in bounds.",
    )


@family("numbers", "medium")
def moving_average(stream: random.Random) -> Draft:
    width = stream.randint(2, 12)
    values = [float(step * step % 17) for step in range(width + 2)]
    return _draft(
        "moving_average(values)",
        f"Return the means of every {width} neighbours in order; an empty list where there are fewer values.",
        right=f"""
            if len(values) < {width}:
                return []
            return [sum(values[i : i + {width}]) / {width} for i in range(len(values) - {width} + 1)]
        """,
        edge=f"""
            means = [sum(values[:{width}]) / {width}]
            for i in range({width}, len(values)):
                means.append(sum(values[i - {width - 1} : i + 1]) / {width})
            return means
        """,
        wrong=f"""
            return [sum(values[i : i + {width}]) / {width} for i in range(len(values))]
        """,
        base=((values,), (values[1:],)),
        plus=((values[:1],), ([],)),
        thinking="Each window begins one place further on.",
    )


@family("numbers", "easy")
def digit_sum(stream: random.Random) -> Draft:
    factor = stream.randint(2, 20)
    return _draft(
        "digit_sum(number)",
        f"Return the sum of the digits of a whole number, times {factor}; the sign does not count.",
        right=f"""
            return {factor} * sum(int(digit) for digit in str(abs(number)))
        """,
        edge=f"""
            return {factor} * sum(int(digit) for digit in str(number))
        """,
        wrong=f"""
            return {factor} * (number % 10)
        """,
        base=((1234,), (908,)),
        plus=((-52,), (0,)),
        thinking="The digits are the characters of the number.",
    )


@family("lists", "hard")
def merged(stream: random.Random) -> Draft:
    gap = stream.randint(0, 12)
    return _draft(
        "merged(spans)",
        f"Merge spans (start, end) that overlap or are at most {gap} apart; return them in order.",
        right=f"""
            found = []
            for start, end in sorted(spans):
                if found and start - found[-1][1] <= {gap}:
                    found[-1] = (found[-1][0], max(found[-1][1], end))
                else:
                    found.append((start, end))
            return found
        """,
        edge=f"""
            found = []
            for start, end in spans:
                if found and start - found[-1][1] <= {gap}:
                    found[-1] = (found[-1][0], end)
                else:
                    found.append((start, end))
            return found
        """,
        wrong="""
            return sorted(set(spans))
        """,
        base=(([(1, 4), (3, 9)],), ([(1, 2), (20 + gap, 30 + gap)],)),
        plus=(([(1, 9), (2, 4)],), ([(40, 41 + gap), (1, 4)],), ([],)),
        thinking="Sorted by their starts, each span touches the one before or begins a new one.",
    )


@family("texts", "hard")
def most_common(stream: random.Random) -> Draft:
    shortest = stream.randint(1, 10)
    word, other = "ab" * shortest, "ba" * shortest
    return _draft(
        "most_common(text)",
        f"Return the commonest word with at least {shortest} letters; of equals the first by name; None without any.",
        right=f"""
            words = [word for word in text.split() if len(word) >= {shortest}]
            return min(set(words), key=lambda word: (-words.count(word), word)) if words else None
        """,
        edge=f"""
            words = [word for word in text.split() if len(word) >= {shortest}]
            return max(words, key=words.count) if words else None
        """,
        wrong="""
            words = text.split()
            return sorted(words)[-1] if words else None
        """,
        base=((f"{word} {other} {word}",), ("",)),
        plus=((f"{other} {word}",), (f"{other} {word} {other} {word}",)),
        thinking="I count the words that are long enough, and sort by count, then by letters.",
    )
