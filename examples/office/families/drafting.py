"""What a family of tasks is, and what the families draw from the office."""

import random
from datetime import date, timedelta

from examples.office.seeding import STARTS, working_days
from examples.office.world import Row, World
from examples.theatre.script import Move, look
from examples.theatre.tasks import Families

FAMILIES = Families()
family = FAMILIES.family


def guessed_address(person: Row) -> str:
    """Return the address that a name suggests; the true one also names the office."""
    return f"{person['name'].replace(' ', '.').lower()}@example.org"


def spoken(day: date) -> str:
    """Return a day as people say it: without the year."""
    return f"{day:%A}, {day.day} {day:%B}"


def find_person(person: Row) -> Move:
    """Return the look-up of a person's address."""
    return look(
        "directory_search",
        f"I need the address of {person['name']}.",
        {"query": person["name"]},
        [(person["email"], guessed_address(person))],
    )


def colleague(office: World, stream: random.Random, *others: Row) -> Row:
    """Return somebody who is neither the owner nor one of the others."""
    taken = (office.owner["id"], *(other["id"] for other in others))
    return stream.choice([row for row in office.rows("people") if row["id"] not in taken])


def days_ahead(office: World, reach: int = 20) -> list[date]:
    """Return the working days from tomorrow on."""
    return working_days(office.today + timedelta(days=1), office.today + timedelta(days=reach))


def free_slot(office: World, stream: random.Random) -> tuple[date, str]:
    """Return a day and an hour at which the owner has nothing on."""
    taken = {(row["date"], row["start"]) for row in office.rows("events")}
    slots = [(day, start) for day in days_ahead(office) for start in STARTS]
    return stream.choice([slot for slot in slots if (slot[0].isoformat(), slot[1]) not in taken])


def events_on(office: World, day: date) -> list[Row]:
    """Return the appointments of a day."""
    return [row for row in office.rows("events") if row["date"] == day.isoformat()]


def latest_mail(office: World, stream: random.Random) -> tuple[Row, list[Row]]:
    """Return a person who wrote, and what they wrote, newest first."""
    senders = {row["sender"] for row in office.rows("mail")}
    person = stream.choice([row for row in office.rows("people") if row["email"] in senders])
    mail = [row for row in office.rows("mail") if row["sender"] == person["email"]]
    return person, sorted(mail, key=lambda row: row["sent"], reverse=True)
