"""Tasks of the calendar: book, move, cancel, and a workshop with all that belongs to it."""

import random
from collections.abc import Iterable
from datetime import date, timedelta

from examples.office.families.drafting import (
    colleague,
    days_ahead,
    events_on,
    family,
    find_person,
    free_slot,
    spoken,
)
from examples.office.seeding import TOPICS
from examples.office.world import Row, World
from examples.theatre.script import Move, Script, act, look
from examples.theatre.tasks import Draft


def _look_at_day(day: date, ids: Iterable[str] = ()) -> Move:
    guesses = [(event_id, f"evt-{1001 + place}") for place, event_id in enumerate(ids)]
    window = {"date_from": day.isoformat(), "date_to": day.isoformat()}
    return look("calendar_search", f"Let me see what is on {spoken(day)}.", window, guesses)


@family("calendar", "easy")
def schedule_meeting(office: World, stream: random.Random) -> Draft:
    person = colleague(office, stream)
    day, start = free_slot(office, stream)
    minutes, title = stream.choice((30, 45, 60)), f"{stream.choice(TOPICS).capitalize()} talk"
    booking = {
        "title": title,
        "date": day.isoformat(),
        "start": start,
        "minutes": minutes,
        "attendees": [person["email"]],
    }
    moves = (find_person(person), act("calendar_create", "Now I can book it.", booking))
    details = {"minutes": minutes, "person": person["name"], "day": spoken(day), "start": start, "title": title}
    return Draft(details, Script(moves, f"'{title}' is booked and the invitation is out."))


def _movable(office: World) -> list[tuple[Row, int]]:
    """Return appointments and by how many days they can move to a free working day."""
    taken = {(row["date"], row["start"]) for row in office.rows("events")}
    days = {day.isoformat() for day in days_ahead(office)}
    choices = []
    for row in office.rows("events"):
        for shift in (1, 2, 7):
            target = (date.fromisoformat(row["date"]) + timedelta(days=shift)).isoformat()
            if row["date"] in days and target in days and (target, row["start"]) not in taken:
                choices.append((row, shift))
    return choices


@family("calendar", "medium")
def move_meeting(office: World, stream: random.Random) -> Draft:
    event, shift = stream.choice(_movable(office))
    day = date.fromisoformat(event["date"])
    later = {1: "one day", 2: "two days", 7: "one week"}[shift]
    target = day + timedelta(days=shift)
    arguments = {
        "event_id": event["id"],
        "date": target.isoformat(),
        "start": event["start"],
    }
    thought = f"It goes to {spoken(target)}, at the same time."
    moves = (_look_at_day(day, [event["id"]]), act("calendar_move", thought, arguments))
    details = {"title": event["title"], "day": spoken(day), "later": later}
    return Draft(details, Script(moves, f"'{event['title']}' is moved."))


@family("calendar", "hard")
def cancel_meetings(office: World, stream: random.Random) -> Draft:
    groups: dict[tuple[date, str], list[Row]] = {}
    for day in days_ahead(office):
        for row in events_on(office, day):
            groups.setdefault((day, row["kind"]), []).append(row)
    day, kind = stream.choice([group for group, rows in groups.items() if len(rows) > 1])
    events = sorted(groups[day, kind], key=lambda row: row["start"])
    acts = [act("calendar_cancel", f"'{row['title']}' is one of them.", {"event_id": row["id"]}) for row in events]
    moves = (_look_at_day(day, [row["id"] for row in events]), *acts)
    details = {"day": spoken(day), "kind": kind}
    return Draft(details, Script(moves, f"Each {kind} on {spoken(day)} is cancelled."))


@family("combined", "hard")
def prepare_workshop(office: World, stream: random.Random) -> Draft:
    person, topic = colleague(office, stream), stream.choice(TOPICS)
    day, start = free_slot(office, stream)
    title, chore = f"{topic.capitalize()} workshop", f"Collect {topic} questions"
    due = office.today + timedelta(days=1)
    who = person["email"]
    booking = {
        "title": title,
        "date": day.isoformat(),
        "start": start,
        "minutes": 60,
        "attendees": [who],
    }
    task = {"title": chore, "board": "Operations", "assignee": who, "due": due.isoformat()}
    mail = {"to": [who], "subject": title, "body": "Please send me your questions."}
    moves = (
        find_person(person),
        act("calendar_create", "The appointment comes first.", booking),
        act("task_create", "Then the task.", task),
        act("mail_send", "Then the mail.", mail),
    )
    details = {
        "title": title,
        "person": person["name"],
        "day": spoken(day),
        "start": start,
        "chore": chore,
        "body": mail["body"],
    }
    return Draft(details, Script(moves, "The appointment, the task and the mail are done."))
