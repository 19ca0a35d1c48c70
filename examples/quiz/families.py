"""The families of questions: each draws one question, its answer, and the slips that lead to other answers."""

import random
from datetime import date, timedelta
from string import ascii_lowercase

from examples.theatre import general_knowledge
from examples.theatre.script import Script
from examples.theatre.tasks import Draft, Families

FAMILIES = Families()
family = FAMILIES.family

NAMES = ("Ada", "Bo", "Cem", "Dina", "Eli", "Fay", "Gus", "Hal", "Ida", "Jon", "Kit", "Lea", "Mia", "Ned", "Ola", "Pia")
GOODS = ("chairs", "lamps", "tiles", "cables", "filters", "valves", "panels", "ropes", "bottles", "crates")
TOPICS = ("tides", "volcanoes", "bread", "clocks", "bridges", "maps", "bees", "paper", "lighthouses", "yeast", "canals")
LETTERS = (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X")
SMALL_LETTERS = (9, "IX"), (5, "V"), (4, "IV"), (1, "I")


def _known(thinking: str, answer: str) -> Script:
    return Script((), "I have worked it out.", answer, thinking=thinking)


def _near(stream: random.Random, right: int, *others: int) -> tuple[str, ...]:
    """Return wrong numbers that somebody may come to."""
    around = {right + shift for shift in (-10, -2, -1, 1, 2, 10, *others)} - {right}
    return tuple(str(number) for number in sorted(around) if number > 0)


@family("numbers", "easy")
def shopping(stream: random.Random) -> Draft:
    first, second = stream.sample(NAMES, 2)
    goods, price = stream.choice(GOODS), stream.randint(12, 99)
    ours, theirs = stream.sample(range(11, 80), 2)
    fee = stream.randint(15, 90)
    total = ours * price + fee
    details = {
        "first": first, "second": second, "goods": goods, "price": price, "ours": ours, "theirs": theirs, "fee": fee,
    }  # fmt: skip
    thinking = f"{ours} times {price} is {ours * price}, and {fee} on top of it makes {total}."
    slips = {"wrong_entity": str(theirs * price + fee), "wrong_unit": str(total * 100)}
    return Draft(details, _known(thinking, str(total)), _near(stream, total, -fee), slips=slips)


@family("units", "medium")
def conversion(stream: random.Random) -> Draft:
    hours, minutes = stream.randint(3, 40), stream.randint(1, 59)
    laps = stream.randint(2, 9)
    total = (hours * 60 + minutes) * laps
    details = {"hours": hours, "minutes": minutes, "laps": laps}
    thinking = f"One round takes {hours * 60 + minutes} minutes, and there are {laps} of them."
    return Draft(
        details,
        _known(thinking, str(total)),
        _near(stream, total, -60, 60),
        slips={"wrong_unit": str(total * 60)},
    )


@family("dates", "medium")
def date_shift(stream: random.Random) -> Draft:
    start = date(2021, 1, 1) + timedelta(days=stream.randrange(1800))
    days = stream.randint(20, 300)
    end = start + timedelta(days=days)
    wrong = tuple((end + timedelta(days=shift)).isoformat() for shift in (-2, -1, 1, 2, 7))
    details = {"start": f"{start.day} {start:%B %Y}", "days": days}
    slip = f"{end.year - 1}{end.isoformat()[4:]}"
    thinking = f"I count {days} days on from {start:%B}, month by month."
    return Draft(details, _known(thinking, end.isoformat()), wrong, slips={"wrong_year": slip})


@family("facts", "medium")
def general_question(stream: random.Random) -> Draft:
    question = general_knowledge.draw(stream)
    return Draft(
        {"subject": question.subject},
        _known("I remember this one.", question.answer),
        question.wrong_answers,
        asks=question.kind,
    )


@family("numerals", "easy")
def roman_numeral(stream: random.Random) -> Draft:
    number = stream.randint(1050, 3950)
    wrong = tuple(as_roman(number + shift) for shift in (-10, -1, 1, 10, 100))
    thinking = f"First the thousands, then the hundreds, then the rest of {number}."
    return Draft({"number": number}, _known(thinking, as_roman(number)), wrong)


def as_roman(number: int) -> str:
    """Return a number in Roman letters."""
    text = ""
    for value, letters in (*LETTERS, *SMALL_LETTERS):
        while number >= value:
            text, number = text + letters, number - value
    return text


@family("choices", "easy")
def largest(stream: random.Random) -> Draft:
    products = stream.sample([(a, b) for a in range(12, 40) for b in range(12, 40)], 4)
    values = [a * b for a, b in products]
    if len(set(values)) < len(values):
        return largest(stream)
    options = " ".join(f"({letter}) {a} x {b}" for letter, (a, b) in zip("ABCD", products, strict=True))
    right = "ABCD"[values.index(max(values))]
    thinking = "; ".join(f"{a} x {b} = {a * b}" for a, b in products)
    wrong = tuple(letter for letter in "ABCD" if letter != right)
    return Draft({"options": options}, _known(f"{thinking}.", right), wrong)


@family("letters", "hard")
def count_letter(stream: random.Random) -> Draft:
    words = stream.sample([*TOPICS, *GOODS, *(name.lower() for name in NAMES)], 9)
    text = " ".join(words)
    letter = stream.choice([one for one in ascii_lowercase if text.count(one) > 1])
    count = text.count(letter)
    wrong = tuple(str(count + shift) for shift in (-1, 1, 2, 3))
    thinking = "; ".join(f"{word}: {word.count(letter)}" for word in words if letter in word)
    return Draft({"text": text, "letter": letter}, _known(f"{thinking}.", str(count)), wrong)


@family("writing", "medium")
def short_text(stream: random.Random) -> Draft:
    topic, ending = stream.choice(TOPICS), stream.choice(NAMES).lower()
    word = stream.choice(GOODS)
    most = stream.randint(24, 40)
    text = f"people have thought about {topic} for a long time, and some of them made {word} of it, says {ending}"
    details = {"topic": topic, "word": word, "most": most, "ending": ending}
    return Draft(details, Script((), text, thinking=f"It has to stay below {most} words."), setting=details)
