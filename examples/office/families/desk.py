"""Tasks of the desk: mail, expenses and boards."""

import random
from datetime import timedelta

from examples.office.families.drafting import (
    colleague,
    days_ahead,
    family,
    find_person,
    latest_mail,
    spoken,
)
from examples.office.seeding import BOARDS, CATEGORIES, CURRENCIES, TOPICS
from examples.office.world import World
from examples.theatre.script import Script, act, look
from examples.theatre.tasks import Draft


@family("mail", "medium")
def forward_mail(office: World, stream: random.Random) -> Draft:
    sender, mail = latest_mail(office, stream)
    receiver = colleague(office, stream, sender)
    search = look(
        "mail_search",
        "Now the mail itself; the newest comes first.",
        {"sender": sender["email"]},
        [(mail[0]["id"], "msg-1001")],
    )
    forward = {"mail_id": mail[0]["id"], "to": receiver["email"]}
    thought = f"The newest is '{mail[0]['subject']}'."
    moves = (
        find_person(sender),
        search,
        find_person(receiver),
        act("mail_forward", thought, forward),
    )
    details = {"sender": sender["name"], "receiver": receiver["name"]}
    return Draft(details, Script(moves, f"The mail is on its way to {receiver['name']}."))


@family("expenses", "hard")
def claim_expenses(office: World, stream: random.Random) -> Draft:
    category, currency = stream.choice(CATEGORIES), stream.choice(CURRENCIES)
    end = office.today - timedelta(days=stream.randint(1, 20))
    start = end - timedelta(days=stream.randint(20, 35))
    first, last = start.isoformat(), end.isoformat()
    amounts = [
        row["amount"]
        for row in office.rows("expenses")
        if (row["category"], row["currency"]) == (category, currency) and first <= row["date"] <= last
    ]
    if not amounts:
        return claim_expenses(office, stream)
    title, total = f"{category.capitalize()} claim", round(sum(amounts), 2)
    window = {"date_from": first, "date_to": last, "category": category}
    claim = {"title": title, "amount": total, "currency": currency}
    moves = (
        look("expense_list", f"First the list of {category} expenses.", window),
        act("expense_submit", f"Those in {currency} come to {total:.2f}.", claim),
    )
    details = {
        "category": category,
        "currency": currency,
        "first": spoken(start),
        "last": spoken(end),
        "title": title,
    }
    return Draft(details, Script(moves, f"'{title}' is submitted."))


@family("board", "easy")
def create_task(office: World, stream: random.Random) -> Draft:
    person, board = colleague(office, stream), stream.choice(BOARDS)
    title, day = f"Review {stream.choice(TOPICS)} draft", stream.choice(days_ahead(office))
    arguments = {
        "title": title,
        "board": board,
        "assignee": person["email"],
        "due": day.isoformat(),
    }
    moves = (find_person(person), act("task_create", "Now the task.", arguments))
    details = {"title": title, "board": board, "person": person["name"], "day": spoken(day)}
    return Draft(details, Script(moves, f"The task is on the {board} board."))


@family("board", "medium")
def close_task(office: World, stream: random.Random) -> Draft:
    task, person = stream.choice(list(office.rows("board"))), colleague(office, stream)
    search = look(
        "task_search",
        "I need the id of the task.",
        {"text": task["title"]},
        [(task["id"], "tsk-1001")],
    )
    mail = {
        "to": [person["email"]],
        "subject": f"{task['title']}: done",
        "body": "This is finished. Thank you for waiting.",
    }
    moves = (
        search,
        act("task_update", "I set its status.", {"task_id": task["id"], "status": "done"}),
        find_person(person),
        act("mail_send", f"Now I tell {person['name']}.", mail),
    )
    details = {
        "title": task["title"],
        "person": person["name"],
        "subject": mail["subject"],
        "body": mail["body"],
    }
    return Draft(details, Script(moves, f"The task is done and {person['name']} knows."))
