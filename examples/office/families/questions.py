"""Tasks that ask for an answer: from the databases, or from what the model knows."""

import random

from examples.office.families.drafting import (
    days_ahead,
    events_on,
    family,
    find_person,
    latest_mail,
    spoken,
)
from examples.office.seeding import working_days
from examples.office.world import World
from examples.theatre import general_knowledge
from examples.theatre.script import Script, look
from examples.theatre.tasks import Draft


@family("questions", "medium")
def count_minutes(office: World, stream: random.Random) -> Draft:
    first, last = sorted(stream.sample(days_ahead(office), 2))
    lengths = [row["minutes"] for day in working_days(first, last) for row in events_on(office, day)]
    total = sum(lengths)
    wrong = {str(total + slip) for slip in (-lengths[0], -15, 15, 30, lengths[-1])}
    window = {"date_from": first.isoformat(), "date_to": last.isoformat()}
    search = look("calendar_search", "Let me see what there is.", window)
    details = {"first": spoken(first), "last": spoken(last)}
    solution = Script((search,), "I added up the appointments.", str(total))
    return Draft(details, solution, tuple(sorted(wrong)))


@family("questions", "easy")
def latest_subject(office: World, stream: random.Random) -> Draft:
    person, mail = latest_mail(office, stream)
    search = look("mail_search", "The newest comes first.", {"sender": person["email"]})
    solution = Script((find_person(person), search), "I found it.", mail[0]["subject"])
    others = {row["subject"] for row in office.rows("mail")} - {mail[0]["subject"]}
    wrong = {row["subject"] for row in mail[1:]} | set(stream.sample(sorted(others), 3))
    return Draft({"person": person["name"]}, solution, tuple(sorted(wrong - {mail[0]["subject"]})))


@family("knowledge", "medium")
def general_question(office: World, stream: random.Random) -> Draft:
    question = general_knowledge.draw(stream)
    solution = Script((), "I know this without a look at the databases.", question.answer)
    return Draft({"subject": question.subject}, solution, question.wrong_answers, asks=question.kind)
