"""The tools of the office: what each takes, and what it does to the databases."""

from typing import Any

from examples.office.world import Row, World
from examples.theatre.schema import Schema
from examples.theatre.tools import Toolbox, ToolError, described
from examples.theatre.vocabulary import Arguments

DATE: Schema = {
    "type": "string",
    "pattern": r"\d{4}-\d{2}-\d{2}",
    "description": "a date YYYY-MM-DD",
}
TIME: Schema = {"type": "string", "pattern": r"\d{2}:\d{2}", "description": "a time HH:MM"}
EMAIL: Schema = {
    "type": "string",
    "pattern": r"[^@\s]+@[^@\s]+",
    "description": "an e-mail address",
}
STATUSES = ("open", "in progress", "done")


TOOLBOX = Toolbox()


def _existing(world: World, table: str, row_id: str) -> Row:
    row = world.find(table, row_id)
    if row is None:
        raise ToolError("not_found", id=row_id)
    return row


def _in_window(row: Row, arguments: Arguments) -> bool:
    first, last = arguments.get("date_from", "0000"), arguments.get("date_to", "9999")
    return bool(first <= row["date"] <= last)


@TOOLBOX.tool(
    "Find people by a part of their name or team. Returns names, e-mail addresses and teams.",
    required=("query",),
    query=described("a part of a name or a team"),
)
def directory_search(world: World, arguments: Arguments) -> dict[str, Any]:
    wanted = arguments["query"].casefold()
    people = [
        row for row in world.rows("people") if wanted in row["name"].casefold() or wanted == row["team"].casefold()
    ]
    return {"people": people}


@TOOLBOX.tool(
    "List appointments of the calendar, in order, within dates and by words of the title.",
    date_from=DATE,
    date_to=DATE,
    text=described("words of the title"),
)
def calendar_search(world: World, arguments: Arguments) -> dict[str, Any]:
    wanted = arguments.get("text", "").casefold()
    events = [row for row in world.rows("events") if _in_window(row, arguments) and wanted in row["title"].casefold()]
    return {"events": sorted(events, key=lambda row: (row["date"], row["start"]))}


def _refuse_conflict(world: World, day: str, start: str, but: str = "") -> None:
    for row in world.rows("events"):
        if (row["date"], row["start"]) == (day, start) and row["id"] != but:
            raise ToolError("conflict", day=day, start=start, title=row["title"])


@TOOLBOX.tool(
    "Put an appointment into the calendar and invite people by e-mail address.",
    required=("title", "date", "start", "minutes", "attendees"),
    title=described("the title"),
    date=DATE,
    start=TIME,
    minutes={"type": "integer", "minimum": 5, "description": "length in minutes"},
    attendees={"type": "array", "items": EMAIL, "minItems": 1, "description": "who is invited"},
)
def calendar_create(world: World, arguments: Arguments) -> dict[str, Any]:
    _refuse_conflict(world, arguments["date"], arguments["start"])
    row = {**arguments, "attendees": sorted(arguments["attendees"]), "kind": "meeting"}
    return {"created": world.add("events", row)}


@TOOLBOX.tool(
    "Move an appointment to another date and time.",
    required=("event_id", "date", "start"),
    event_id=described("the id of the appointment"),
    date=DATE,
    start=TIME,
)
def calendar_move(world: World, arguments: Arguments) -> dict[str, Any]:
    row = _existing(world, "events", arguments["event_id"])
    day, start = arguments["date"], arguments["start"]
    _refuse_conflict(world, day, start, but=row["id"])
    return {"moved": world.change("events", row["id"], date=day, start=start)}


@TOOLBOX.tool(
    "Cancel an appointment.",
    required=("event_id",),
    event_id=described("the id of the appointment"),
)
def calendar_cancel(world: World, arguments: Arguments) -> dict[str, Any]:
    row = _existing(world, "events", arguments["event_id"])
    world.remove("events", row["id"])
    return {"cancelled": {"id": row["id"], "title": row["title"]}}


@TOOLBOX.tool(
    "Find received mail by the sender's address and words of the subject, newest first.",
    sender=EMAIL,
    text=described("words of the subject"),
)
def mail_search(world: World, arguments: Arguments) -> dict[str, Any]:
    wanted = arguments.get("text", "").casefold()
    mail = [
        row
        for row in world.rows("mail")
        if arguments.get("sender", row["sender"]) == row["sender"] and wanted in row["subject"].casefold()
    ]
    return {"mail": sorted(mail, key=lambda row: row["sent"], reverse=True)[:10]}


@TOOLBOX.tool(
    "Send a mail.",
    required=("to", "subject", "body"),
    to={"type": "array", "items": EMAIL, "minItems": 1, "description": "who gets it"},
    subject=described("the subject"),
    body=described("the text"),
)
def mail_send(world: World, arguments: Arguments) -> dict[str, Any]:
    row = {**arguments, "sender": world.owner["email"], "sent": f"{world.today}T09:00"}
    return {"sent": world.add("mail", row)}


@TOOLBOX.tool(
    "Forward a mail to another address.",
    required=("mail_id", "to"),
    mail_id=described("the id of the mail"),
    to=EMAIL,
)
def mail_forward(world: World, arguments: Arguments) -> dict[str, Any]:
    mail = _existing(world, "mail", arguments["mail_id"])
    row = {
        "sender": world.owner["email"],
        "to": [arguments["to"]],
        "subject": f"Fwd: {mail['subject']}",
        "body": mail["body"],
        "sent": f"{world.today}T09:00",
    }
    return {"sent": world.add("mail", row)}


@TOOLBOX.tool(
    "Find tasks of the boards by words of the title.",
    required=("text",),
    text=described("words of the title"),
)
def task_search(world: World, arguments: Arguments) -> dict[str, Any]:
    wanted = arguments["text"].casefold()
    return {"tasks": [row for row in world.rows("board") if wanted in row["title"].casefold()]}


@TOOLBOX.tool(
    "Put a task on a board.",
    required=("title", "board", "assignee", "due"),
    title=described("the title"),
    board=described("the board's name"),
    assignee=EMAIL,
    due=DATE,
)
def task_create(world: World, arguments: Arguments) -> dict[str, Any]:
    return {"created": world.add("board", {**arguments, "status": "open"})}


@TOOLBOX.tool(
    "Change a task's status or due date.",
    required=("task_id",),
    task_id=described("the id of the task"),
    status={"type": "string", "enum": list(STATUSES), "description": "the new status"},
    due=DATE,
)
def task_update(world: World, arguments: Arguments) -> dict[str, Any]:
    row = _existing(world, "board", arguments["task_id"])
    changes = {key: arguments[key] for key in ("status", "due") if key in arguments}
    return {"updated": world.change("board", row["id"], **changes)}


@TOOLBOX.tool(
    "List expenses within dates and of a category.",
    date_from=DATE,
    date_to=DATE,
    category=described("travel, meals, lodging or equipment"),
)
def expense_list(world: World, arguments: Arguments) -> dict[str, Any]:
    expenses = [
        row
        for row in world.rows("expenses")
        if _in_window(row, arguments) and arguments.get("category", row["category"]) == row["category"]
    ]
    return {"expenses": expenses}


@TOOLBOX.tool(
    "Submit a claim for an amount of money. The amount is in the currency's main unit.",
    required=("title", "amount", "currency"),
    title=described("what the claim is for"),
    amount={"type": "number", "minimum": 0.01, "description": "the amount"},
    currency={"type": "string", "enum": ["EUR", "USD", "GBP"], "description": "the currency"},
)
def expense_submit(world: World, arguments: Arguments) -> dict[str, Any]:
    return {"submitted": world.add("claims", dict(arguments))}


TOOLS = TOOLBOX.tools
