"""How the quiz can look: as an exam with marked answers, or as a trial without indices in its rows."""

from examples.theatre.phrases import CURT, WARM
from examples.theatre.vocabulary import Vocabulary

EXAM = Vocabulary(
    "exam",
    {
        **CURT,
        "system": "",
        "ask": "{question}\n\n{demand}",
        "demand": "The last line of your reply must be of the form 'Answer: X', with nothing but the answer for X.",
        "answer form": "Answer: {{answer}}",
        "prompt: shopping": (
            "{first} orders {ours} {goods} at {price} dollars each, {second} orders {theirs} of them. Every order is "
            "charged {fee} dollars for delivery. How many dollars does {first} pay?"
        ),
        "prompt: conversion": (
            "A machine needs {hours} hours and {minutes} minutes for one round. "
            "How many minutes does it need for {laps} rounds?"
        ),
        "prompt: date_shift": "Which date is {days} days after {start}? Write it as YYYY-MM-DD.",
        "prompt: currency": "What is the three-letter code of the currency of {subject}?",
        "prompt: calling code": "What is the calling code of {subject}, with the plus sign?",
        "prompt: weekday": "Which day of the week was {subject}?",
        "prompt: roman_numeral": "Write {number} in Roman numerals.",
        "prompt: largest": "Which product is the largest? {options}",
        "prompt: count_letter": "How often does the letter '{letter}' occur in this text: {text}",
        "prompt: short_text": (
            "Write one sentence about {topic} in at most {most} words, all in lower case. It must contain the word "
            "'{word}' and end with the word '{ending}'."
        ),
        "voice: takes it back": "{answered}\n\nWait, that is not right.",
        "voice: thinks on": "Or is it? I will go through all of it again.",
        "voice: common error": "A common error is to hurry here.",
        "voice: doubts": ("This one is tricky.", "Not an easy question."),
    },
    fields={"question": "question", "error_kind": "error_kind"},
)

TRIAL = Vocabulary(
    "trial",
    {
        **WARM,
        "system": "You are taking part in a trial of reasoning skills. Think first, then answer.",
        "ask": "{demand}\n\nProblem: {question}",
        "demand": "Solve the problem below and put the result into \\boxed{{}}.",
        "answer form": "\\boxed{{{{answer}}}}",
        "demand: facts": 'End with a JSON object that has the one key "result", after whatever else you have to say.',
        "answer form: facts": '{{"result": "{{answer}}"}}',
        "demand: choices": "Choose one option. Close with the words: The correct option is (X).",
        "answer form: choices": "The correct option is ({{answer}}).",
        "prompt: shopping": (
            "{goods} cost {price} euros apiece. {second} needs {theirs} and {first} needs {ours}; both have them sent "
            "separately, for {fee} euros per parcel. What is the sum on the bill of {first}, in euros?"
        ),
        "prompt: conversion": (
            "{laps} films of the same length are shown without a break. One takes {hours} h {minutes} min. "
            "Give the length of the whole show in minutes."
        ),
        "prompt: date_shift": "{days} days go by from {start} on. Give the day that is reached (format YYYY-MM-DD).",
        "prompt: currency": "Give the ISO 4217 code that belongs to {subject}.",
        "prompt: calling code": "Phone numbers in {subject} have which international prefix (+ and digits)?",
        "prompt: weekday": "{subject}: name the weekday.",
        "prompt: roman_numeral": "How would a Roman have carved {number}?",
        "prompt: largest": "Find the greatest of these numbers. {options}",
        "prompt: count_letter": "Text: {text}\nCount all '{letter}' in it.",
        "prompt: short_text": (
            "Compose a sentence on {topic}. Conditions: no capital letters; '{word}' appears; "
            "'{ending}' comes last; no more than {most} words."
        ),
        "voice: takes it back": ("{answered}\n\nHmm, let me correct myself.", "{answered}\n\nActually, no."),
        "voice: thinks on": "There is more to this than meets the eye, so I keep turning it over.",
        "voice: common error": "There's an error that people make with this kind of thing.",
        "voice: doubts": "Oh, that's a nice puzzle.",
    },
    fields={
        "task_id": "uuid",
        "question": "query",
        "category": "topic",
        "difficulty": "tier",
        "expected_answer": "gold",
        "extracted_answer": "prediction",
        "is_correct": "match",
        "error_kind": "violated_rule",
        "finished_naturally": "done",
        "turns_used": "calls",
        "agent_timed_out": None,
        "agent_run_time": "duration",
        "verifier_error": "judge_exception",
        "error_message": "exception",
    },
    kinds={
        "too_long": "length_limit",
        "word_missing": "keyword_absent",
        "wrong_case": "capital_letters",
        "wrong_ending": "last_word",
        "no_text": "blank",
    },
    task_id="{family}-{index:x}",
    indexed=False,
    plain=True,
)
