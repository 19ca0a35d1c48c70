"""Questions that no database of the office answers: the model knows, or it does not."""

import random
from dataclasses import dataclass
from datetime import date, timedelta

_CURRENCY_CODES = {
    "Denmark": "DKK",
    "Sweden": "SEK",
    "Norway": "NOK",
    "Poland": "PLN",
    "Japan": "JPY",
    "Brazil": "BRL",
    "India": "INR",
    "Switzerland": "CHF",
    "Hungary": "HUF",
    "Iceland": "ISK",
    "Kenya": "KES",
    "Mexico": "MXN",
    "Chile": "CLP",
    "Vietnam": "VND",
    "Thailand": "THB",
    "Georgia": "GEL",
}
_CALLING_CODES = {
    "Denmark": "+45",
    "Sweden": "+46",
    "Norway": "+47",
    "Poland": "+48",
    "Japan": "+81",
    "Brazil": "+55",
    "India": "+91",
    "Switzerland": "+41",
    "Hungary": "+36",
    "Iceland": "+354",
    "Kenya": "+254",
    "Mexico": "+52",
    "Chile": "+56",
    "Vietnam": "+84",
    "Thailand": "+66",
    "Georgia": "+995",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question: its kind, what it asks about, its answer, and what somebody who does not know may say."""

    kind: str
    subject: str
    answer: str
    wrong_answers: tuple[str, ...]


def draw(stream: random.Random) -> Question:
    """Return one question."""
    return stream.choice((_currency, _calling_code, _weekday))(stream)


def _from_table(stream: random.Random, table: dict[str, str], kind: str) -> Question:
    country = stream.choice(sorted(table))
    others = sorted(set(table.values()) - {table[country]})
    return Question(kind, country, table[country], tuple(stream.sample(others, 5)))


def _currency(stream: random.Random) -> Question:
    return _from_table(stream, _CURRENCY_CODES, "currency")


def _calling_code(stream: random.Random) -> Question:
    return _from_table(stream, _CALLING_CODES, "calling code")


def _weekday(stream: random.Random) -> Question:
    day = date(1950, 1, 1) + timedelta(days=stream.randrange(25000))
    around = [f"{day + timedelta(days=shift):%A}" for shift in (-3, -2, -1, 1, 2, 3)]
    return Question("weekday", f"{day.day} {day:%B %Y}", f"{day:%A}", tuple(around))
