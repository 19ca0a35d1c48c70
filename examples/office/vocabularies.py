"""How the office can look: its usual names and words, and those of another house."""

import json
from typing import Any

from examples.theatre.phrases import CURT, PLAIN
from examples.theatre.vocabulary import Vocabulary

OFFICE = Vocabulary(
    "office",
    {
        **PLAIN,
        "system": (
            "You are the office assistant of {owner} ({email}). "
            "Today is {weekday}, {today}, and it is 09:00. "
            "You work with the tools alone. Look people up in the directory before you write to "
            "them, and look entries up before you change them. Dates are written YYYY-MM-DD; "
            "amounts are in the main unit of their currency, never in cents. Do everything that "
            "is asked and nothing else, then close with a short message. When you are asked a "
            "question, the message ends with a line 'Answer: ' and the bare answer."
        ),
        "answer form": "Answer: {{answer}}",
        "prompt: schedule_meeting": (
            "Please book {minutes} minutes with {person} on {day} at {start}. Call it '{title}'."
        ),
        "prompt: move_meeting": "Move my '{title}' on {day} to the same time {later} later.",
        "prompt: cancel_meetings": "I will be away on {day}. Cancel every {kind} that I have on that day.",
        "prompt: prepare_workshop": (
            "Prepare the '{title}' with {person}: book 60 minutes on {day} at {start}, put a task '{chore}' on the "
            "Operations board for {person} due tomorrow, and send a mail with the subject '{title}' and the text "
            "'{body}'"
        ),
        "prompt: forward_mail": "Forward the latest mail from {sender} to {receiver}.",
        "prompt: claim_expenses": (
            "Add up my {category} expenses in {currency} from {first} to {last}, "
            "both days included, and submit the total in {currency} as '{title}'."
        ),
        "prompt: create_task": "Put a task '{title}' on the {board} board for {person}, due on {day}.",
        "prompt: close_task": (
            "Set the task '{title}' to done and tell {person} by mail. Subject: '{subject}'. Text: '{body}'"
        ),
        "prompt: count_minutes": (
            "How many minutes of appointments do I have from {first} to {last}, both days included?"
        ),
        "prompt: latest_subject": "What is the subject of the latest mail from {person}?",
        "prompt: currency": "A claim from {subject} has come in. What is the three-letter code of that currency?",
        "prompt: calling code": (
            "I have to ring somebody in {subject}. What is the country's calling code, with the plus sign?"
        ),
        "prompt: weekday": "A letter in our archive is dated {subject}. Which day of the week was that?",
        "tool: not_found": "no entry with id '{id}'",
        "tool: conflict": "{day} {start} is taken by '{title}'",
        "verifier: state": "the end state differs: {difference}{more}",
    },
)


def _lines(value: Any) -> str:
    """Write a tool's answer as indented lines, the way a command-line tool does."""
    return "\n".join(_line(value, 0)) or "(none)"


def _line(value: Any, depth: int) -> list[str]:
    margin = "  " * depth
    if isinstance(value, dict):
        return [line for key, member in value.items() for line in _member(key, member, depth)]
    if isinstance(value, list):
        return [line for member in value for line in (f"{margin}-", *_line(member, depth + 1))]
    return [f"{margin}{value}"]


def _member(key: str, member: Any, depth: int) -> list[str]:
    margin = "  " * depth
    if isinstance(member, dict | list) and member and not all(isinstance(one, str) for one in member):
        return [f"{margin}{key}:", *_line(member, depth + 1)]
    return [f"{margin}{key}: {json.dumps(member) if isinstance(member, dict | list) else member}"]


BUREAU = Vocabulary(
    "bureau",
    {
        **CURT,
        "system": (
            "Act as {owner}'s secretary (their address: {email}). It is the morning of {today}, a {weekday}. "
            "Use the functions you were given. Never guess an address or an identifier: find it first. Write days as "
            "YYYY-MM-DD, money in whole units with two decimals. Carry out exactly what you are told. "
            "Questions are to be answered with <answer>…</answer> around nothing but the answer itself."
        ),
        "answer form": "<answer>{{answer}}</answer>",
        "prompt: schedule_meeting": "{day}, {start}: I want to meet {person} for {minutes} minutes. Title: {title}",
        "prompt: move_meeting": "The entry {title} on {day} has to happen {later} later, same hour. Change it, please.",
        "prompt: cancel_meetings": "Drop each {kind} of mine on {day}; I'm not in.",
        "prompt: prepare_workshop": (
            "{title}: I need one hour with {person} on {day}, {start}. Open a ticket {chore} for {person} in "
            "Operations (deadline tomorrow). Also write to {person}, subject {title}, saying: {body}"
        ),
        "prompt: forward_mail": "{receiver} should get the most recent message that {sender} wrote to me.",
        "prompt: claim_expenses": (
            "Sum of everything I spent on {category} in {currency} between {first} and {last} (inclusive): "
            "hand it in as {title}, in {currency}."
        ),
        "prompt: create_task": "{person} gets a new ticket in {board}: {title}. Deadline {day}.",
        "prompt: close_task": "{title} is finished: mark it done, and write to {person} (subject {subject}): {body}",
        "prompt: count_minutes": "From {first} through {last}, how long are all my entries together, in minutes?",
        "prompt: latest_subject": "Look for the newest message by {person}. Which subject does it have?",
        "prompt: currency": "Which ISO code does the money of {subject} have?",
        "prompt: calling code": "With which international prefix (+…) do phone numbers in {subject} begin?",
        "prompt: weekday": "Name the weekday of {subject}.",
        "tool: not_found": "404: nothing is stored under {id}",
        "tool: conflict": "slot {day} {start} is not free ({title})",
        "verifier: state": "mismatch in the records: {difference}{more}",
    },
    tools={
        "directory_search": "find_contact",
        "calendar_search": "list_entries",
        "calendar_create": "add_entry",
        "calendar_move": "reschedule_entry",
        "calendar_cancel": "drop_entry",
        "mail_search": "query_inbox",
        "mail_send": "write_message",
        "mail_forward": "relay_message",
        "task_search": "find_ticket",
        "task_create": "open_ticket",
        "task_update": "edit_ticket",
        "expense_list": "spending_report",
        "expense_submit": "hand_in_claim",
    },
    keys={
        "query": "who",
        "date_from": "since",
        "date_to": "until",
        "text": "words",
        "title": "label",
        "date": "on",
        "start": "at",
        "minutes": "length",
        "attendees": "guests",
        "event_id": "entry",
        "sender": "author",
        "to": "receivers",
        "subject": "headline",
        "body": "content",
        "mail_id": "message",
        "board": "queue",
        "assignee": "handler",
        "due": "deadline",
        "task_id": "ticket",
        "status": "state",
        "category": "sort",
        "amount": "sum",
        "currency": "money",
        "id": "key",
        "email": "address",
        "people": "contacts",
        "events": "entries",
        "mail": "messages",
        "tasks": "tickets",
        "expenses": "items",
        "created": "added",
    },
    fields={
        "task_id": "problem_id",
        "category": "domain",
        "difficulty": "level",
        "expected_actions": "gold_calls",
        "expected_answer": "reference",
        "verifier_metadata": "meta",
        "state_match": "records_equal",
        "answer_match": "reply_equal",
        "state_diff": "record_mismatches",
        "extracted_answer": "parsed_reply",
        "end_state_hash": "final_digest",
        "failure_reason": None,
        "miss": "error_kind",
        "finished_naturally": None,
        "turns_used": "n_rounds",
        "agent_timed_out": None,
        "agent_run_time": "wall_seconds",
        "verifier_error": "grader_exception",
        "error_message": "abort_detail",
    },
    answer=_lines,
    error=lambda kind, message: f"Error: {message}",
    task_id="{index:05d}-{family}",
    ending_field="exit_reason",
    ending_words={
        "finished": "done",
        "turn limit": "max_rounds_reached",
        "token limit": "length",
        "time limit": "deadline_exceeded",
        "context limit": "prompt_too_long",
        "broken off": "aborted",
    },
    plain=True,
)
