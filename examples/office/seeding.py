"""Fill an office's databases from a seed: people, appointments, mail, tasks, expenses."""

import random
from datetime import date, timedelta

from examples.office.world import Row, World
from examples.theatre.dice import dice


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST_NAMES = _words(
    "Anouk Bram Celia Dario Edda Farid Greta Hana Ilya Jonna Kofi Liv Milo Nadia Oskar Petra "
    "Quinn Rosa Samir Tilda Uma Viktor Wanda Yusuf"
)
LAST_NAMES = _words(
    "Abendroth Brightwater Calder Dunmore Eskelund Fairholm Greyling Hollis Ironwood Juniper "
    "Kestrel Larkspur Merrow Northcote Oakhurst Pennant"
)
TEAMS = ("Finance", "Design", "Platform", "Sales", "People", "Legal")
OFFICES = ("north", "harbor", "mill")
KINDS = ("interview", "review", "planning", "catch-up", "workshop")
TOPICS = _words(
    "budget roadmap onboarding pricing hiring launch audit survey renewal contract website "
    "security training inventory travel forecast migration branding support partners"
)
STARTS = ("09:00", "10:00", "11:00", "13:00", "14:00", "15:00", "16:00")
CATEGORIES = ("travel", "meals", "lodging", "equipment")
CURRENCIES = ("EUR", "USD", "GBP")
BOARDS = ("Operations", "Launch", "Backlog")

DAYS_BEHIND, DAYS_AHEAD = 7, 24
EXPENSE_WINDOW = 60


def build_world(seed: int) -> World:
    """Return the office as it is before any task, the same for every call with this seed."""
    today = date(2026, 3, 2) + timedelta(days=dice(seed, "today").choice((0, 1, 2, 3, 7, 8, 9)))
    people = _people(dice(seed, "people"))
    owner = next(iter(people.values()))
    tables = {
        "people": people,
        "events": _events(dice(seed, "events"), today, people),
        "mail": _mail(dice(seed, "mail"), today, people, owner),
        "board": _board(dice(seed, "board"), today, people),
        "expenses": _expenses(dice(seed, "expenses"), today, owner),
        "claims": {},
    }
    return World(today, owner, tables)


def working_days(start: date, end: date) -> list[date]:
    """Return the days from start to end, both included, without Saturdays and Sundays."""
    span = (end - start).days + 1
    days = (start + timedelta(days=offset) for offset in range(span))
    return [day for day in days if day.weekday() < 5]


def _numbered(prefix: str, rows: list[Row], random_stream: random.Random) -> dict[str, Row]:
    """Give rows ids that tell nothing, so that an id can only be known by looking it up."""
    numbers = random_stream.sample(range(2000, 9000), len(rows))
    return {
        f"{prefix}-{number}": {"id": f"{prefix}-{number}", **row} for number, row in zip(numbers, rows, strict=True)
    }


def _people(stream: random.Random) -> dict[str, Row]:
    pairs = [(first, last) for first in FIRST_NAMES for last in LAST_NAMES]
    rows = []
    for first, last in stream.sample(pairs, 32):
        office = stream.choice(OFFICES)
        rows.append(
            {
                "name": f"{first} {last}",
                "email": f"{first}.{last}@{office}.example.org".lower(),
                "team": stream.choice(TEAMS),
                "office": office,
            }
        )
    return _numbered("per", rows, stream)


def _events(stream: random.Random, today: date, people: dict[str, Row]) -> dict[str, Row]:
    rows = []
    emails = [person["email"] for person in people.values()][1:]
    start, end = today - timedelta(days=DAYS_BEHIND), today + timedelta(days=DAYS_AHEAD)
    for day in working_days(start, end):
        theme = stream.choice(KINDS)
        topics = stream.sample(TOPICS, 4)
        for slot, topic in zip(sorted(stream.sample(STARTS, 4)), topics, strict=True):
            kind = theme if stream.random() < 0.5 else stream.choice(KINDS)
            rows.append(
                {
                    "title": f"{topic.capitalize()} {kind}",
                    "kind": kind,
                    "date": day.isoformat(),
                    "start": slot,
                    "minutes": stream.choice((30, 45, 60)),
                    "attendees": sorted(stream.sample(emails, stream.randint(1, 3))),
                }
            )
    return _numbered("evt", rows, stream)


def _mail(stream: random.Random, today: date, people: dict[str, Row], owner: Row) -> dict[str, Row]:
    rows = []
    senders = [person for person in people.values() if person is not owner]
    for sender in senders[:20]:
        topics = stream.sample(TOPICS, 3)
        days = sorted(stream.sample(range(1, 20), 3))
        for topic, days_ago in zip(topics, days, strict=True):
            sent = today - timedelta(days=days_ago)
            rows.append(
                {
                    "sender": sender["email"],
                    "to": [owner["email"]],
                    "subject": f"{topic.capitalize()} update",
                    "body": f"Here is where the {topic} work stands. {sender['name']}",
                    "sent": f"{sent.isoformat()}T{stream.randint(8, 17):02d}:{stream.randint(0, 59):02d}",
                }
            )
    stream.shuffle(rows)
    return _numbered("msg", rows, stream)


def _board(stream: random.Random, today: date, people: dict[str, Row]) -> dict[str, Row]:
    pairs = [(verb, topic) for verb in ("Prepare", "Check", "Close", "Draft") for topic in TOPICS]
    rows = [
        {
            "title": f"{verb} {topic} notes",
            "board": stream.choice(BOARDS),
            "assignee": stream.choice(list(people.values()))["email"],
            "due": (today + timedelta(days=stream.randint(1, 30))).isoformat(),
            "status": stream.choice(("open", "in progress")),
        }
        for verb, topic in stream.sample(pairs, 30)
    ]
    return _numbered("tsk", rows, stream)


def _expenses(stream: random.Random, today: date, owner: Row) -> dict[str, Row]:
    rows = [
        {
            "employee": owner["email"],
            "date": (today - timedelta(days=stream.randint(1, EXPENSE_WINDOW))).isoformat(),
            "category": stream.choice(CATEGORIES),
            "amount": stream.randint(400, 26000) / 100,
            "currency": stream.choice(CURRENCIES),
        }
        for _ in range(90)
    ]
    return _numbered("exp", sorted(rows, key=lambda row: row["date"]), stream)
