"""What is private becomes a placeholder, always the same one; everything else stays as it is."""

import json
import random
import string
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blade.errors import InputError
from blade.ref import Ref
from blade.report.redact import PLACEHOLDER, Redactor
from blade.report.redaction.keys import SHAPES
from blade.report.redaction.rule import MEANING, all_rules
from tests.conftest import SHARED


def redacted(text: str, **options: Any) -> str:
    """A text redacted by a new redactor; redacting it again must change nothing."""
    redactor = Redactor(**options)
    found = redactor.text(text)
    assert redactor.text(found) == found
    assert Redactor(**options).text(found) == found
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("write to mia.holt@northwind.example, please", "write to <email-1>, please"),
        ("mailto:mia%40northwind.example", "mailto:<email-1>"),
        ("read /home/mholt/runs/a.jsonl", "read /home/<user-1>/runs/a.jsonl"),
        (r"C:\Users\Mia Holt\runs, C:\\Users\\Mia Holt\\x", r"C:\Users\<user-1>\runs, C:\\Users\\<user-1>\\x"),
        ("/Users/mholt/x; mholt and -home-mholt-x", "/Users/<user-1>/x; <user-1> and -home-<user-1>-x"),
        ("USER=mholt; chown mholt x", "USER=<user-1>; chown <user-1> x"),
        ("curl http://10.1.2.3:8000/v1", "curl http://<address-1>:8000/v1"),
        ("172.20.0.5, 192.168.7.1, fe80::1ff:fe23:4567:890a%eth0", "<address-1>, <address-2>, <address-3>"),
        ("db-3.prod.internal refused; so did printer.lan", "<host-1> refused; so did <host-2>"),
        ("http://gpu-node-17:8000/v1/chat", "http://<host-1>:8000/v1/chat"),
        ('{"user": "mia", "password": "tulip77"}', '{"user": "mia", "password": "<secret-1>"}'),
        (r'"{\"api_key\": \"q8Fz20LmW1xRt5\"}"', r'"{\"api_key\": \"<secret-1>\"}"'),
        ("postgres://app:s3cret@db.example.org/x", "postgres://<secret-1>@db.example.org/x"),
        ("the password is tulip77.", "the password is <secret-1>."),
        ("<password>tulip77</password>", "<password><secret-1></password>"),
        ("Authorization: Basic bWlhOnR1bGlwNzc=", "Authorization: Basic <token-1>"),
        ("curl -u mia:tulip77 https://example.org", "curl -u <secret-1> https://example.org"),
        ("deploy --token x7Gh2kPq --verbose", "deploy --token <secret-1> --verbose"),
        ("Cookie: theme=dark; sid=x7Gh2kPq9ZtR4mWv1BnD\nAccept: */*", "Cookie: <secret-1>\nAccept: */*"),
    ],
)
def test_what_is_private_becomes_a_placeholder(text: str, found: str) -> None:
    assert redacted(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "commit 5f3c2a9be81d4c7703c1f4b7a2d9e8f6a1b2c3d4",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "task 5f0c2a34-1111-2222-3333-444455556666 of run harbour-large-2024-06",
        '"key": "e3b0c44298fc1c149afbf4c8996fb924"',
        "https://docs.python.org/3.11/library/re.html#re.Match and http://localhost:8000, http://127.0.0.1/x",
        "version 10.0.0.1, numpy==10.2.3.4, v10.0.0.2, 10.0.19041.1, 999.10.1.2.3",
        "gpt-4o-mini-2024-07-18, llama-3.1-70b-instruct, Qwen2.5-7B-Instruct",
        "max_tokens=4096 total_tokens: 12033, token = tokens[i], sorted(x, key=lambda item: item[1])",
        'api_key = os.environ["API_KEY"]; password = getpass(); secret = None; token: str = ""',
        'password: <your password>, password=****, "password": "string", password: required',
        "the password is required, the token limit is 4096, the key is missing, the secret to success",
        "git clone git@github.com:org/repo.git; icon@2x.png; getty@tty1.service; x = w@y.shape",
        "threading.local(), self.local = 1, jdk.internal.misc, docker-compose.local, host.docker.internal",
        "/home/user/x /home/ubuntu/y /home/{name}/z https://example.org/home/news /Users/",
        "call_x7Gh2kPq9ZtR4mWv1BnD toolu_01x7Gh2kPq9ZtR4mWv1BnD resp_68ab34cd90ef12",
        "https://example.org/how-to-set-an-authorization-bearer-token-in-postman-0a0a2afef8",
        "sk-learn-estimator-of-everything-and-more, the risk-adjusted-return-of-the-portfolio",
        "Basic understanding of the bearer market, Bearer authentication is required",
    ],
)
def test_what_is_not_private_stays(text: str) -> None:
    assert redacted(text) == text


def test_the_same_thing_has_the_same_placeholder_in_all_texts() -> None:
    redactor = Redactor()
    texts = ["Mia@Holt.example", "bo@holt.example", "mia@holt.example", "password=tulip77&x", "pwd: tulip77"]
    assert [redactor.text(text) for text in texts] == [
        "<email-1>",
        "<email-2>",
        "<email-1>",
        "password=<secret-1>&x",
        "pwd: <secret-1>",
    ]
    assert redactor.counts == {"secret": 1, "email": 2}


def test_nothing_redacted_is_told_as_nothing() -> None:
    redactor = Redactor()
    assert redactor.text("all is well") == "all is well"
    assert redactor.counts == {}


def test_names_that_were_learned_are_redacted_in_texts_that_come_before_the_path() -> None:
    redactor = Redactor()
    redactor.learn(["/home/mholt/x", "/home/will/x"])
    assert redactor.text("mholt says he will") == "<user-1> says he will"
    assert redactor.text("/home/will/x") == "/home/<user-2>/x"


IDS = [
    "mia@holt.example",
    "/home/mholt/1",
    "tulip77",
    "10.0.0.3",
    "db.corp",
    "sk-" + "a1B2c3D4" * 5,
    "api_key=x8Gh2kPq9",
]


@pytest.mark.parametrize("task", IDS)
def test_ids_stay_as_they_are_wherever_they_stand(task: str) -> None:
    ref = str(Ref("run", task, "0", "3"))
    text = f"task {task} fails, see {ref}; password: {task}"
    assert redacted(text, keep={task}) == text
    assert redacted(ref, keep={ref, task}) == ref


def test_what_only_begins_like_an_id_is_redacted() -> None:
    assert redacted("mia@holt.examples wrote", keep={"mia@holt.example"}) == "<email-1> wrote"


def test_a_user_whose_name_is_the_name_of_a_run_stays() -> None:
    assert redacted("/home/steady/runs of steady", keep={"steady"}) == "/home/steady/runs of steady"


def test_an_id_that_holds_the_name_of_a_user_stays() -> None:
    ids = {"mholt-nightly", "book-1"}
    assert (
        redacted("/home/mholt/x of mholt-nightly:book-1/0#3", keep=ids)
        == "/home/<user-1>/x of mholt-nightly:book-1/0#3"
    )
    assert redacted("/home/mholt/x of mholt-nightly2", keep=ids) == "/home/<user-1>/x of <user-1>-nightly2"


@given(st.lists(st.sampled_from([*IDS, "book-017", "5f0c2a34-1111-2222-3333-444455556666", "7", "a\nb", "x y"])))
def test_no_id_is_ever_changed(ids: list[str]) -> None:
    redactor = Redactor(keep=frozenset(ids))
    assert [redactor.text(id_) for id_ in ids] == ids


_PARTS = st.one_of(
    st.sampled_from(
        [
            *(
                "password",
                "api_key",
                "token",
                "=",
                ": ",
                '"',
                "'",
                " is ",
                "Bearer ",
                "@",
                "://",
                "/home/",
                "C:\\Users\\",
            ),
            *("10.0.0.1", "fe80::1", ".internal", "mia", "tulip77", "holt.example", "-----BEGIN PRIVATE KEY-----"),
            *(
                "x8Gh2kPq9ZtR4mWv1BnD0cLe",
                "sk-",
                "<secret-1>",
                "<email-1>",
                "<user-1>",
                ">",
                "<",
                "\n",
                "%40",
                "\ud800",
            ),
        ]
    ),
    st.text(max_size=5),
)


@settings(max_examples=600, deadline=None)
@given(st.lists(_PARTS, max_size=14).map("".join))
def test_redacting_twice_changes_nothing(text: str) -> None:
    redacted(text)


LETTERS = string.ascii_letters + string.digits
SHARP = "harbour tulip copper window lantern meadow pebble winter".split()  # noqa: SIM905 - words to draw from


def _drawn(dice: random.Random, count: int, letters: str = LETTERS) -> str:
    return "".join(dice.choice(letters) for _ in range(count))


def _password(dice: random.Random) -> str:
    word = dice.choice(SHARP)
    return dice.choice(
        [f"{word}{dice.randrange(99)}", f"{word.title()}-{dice.randrange(2000, 2030)}!", _drawn(dice, 14), f"{word}#9K"]
    )


def _key(dice: random.Random) -> str:
    return dice.choice(
        [
            _drawn(dice, 32),
            _drawn(dice, 48),
            _drawn(dice, 40, "0123456789abcdef"),
            _drawn(dice, 26) + "-" + _drawn(dice, 9),
        ]
    )


PASSWORD_PLACES = [
    *("password: {}", "DB_PASSWORD={}", "export PGPASSWORD='{}'", '"passwd":"{}"', r"{{\"password\":\"{}\"}}"),
    *("db.password={}", "the password is {}", "<password>{}</password>", "?a=b&password={}&c", "--password {} -x"),
    *(
        "redis://:{}@cache.example.org:6379",
        'adminPassword := "{}"',
        'login("mia", password="{}")',
        "passphrase = '{}'",
    ),
]
KEY_PLACES = [
    *(
        "api_key={}",
        "X-Api-Key: {}",
        '"apiKey": "{}"',
        'client_secret = "{}"',
        "AWS_SECRET_ACCESS_KEY={}",
        "secret: {}",
    ),
    *("access_token={}&x=1", '"refreshToken":"{}"', "Authorization: Bearer {}", "AccountKey={};x", "the api key is {}"),
    *('os.environ["ACME_API_KEY"] = "{}"', "--api-key {}", "<apiKey>{}</apiKey>", "Your access token: {}"),
]


@pytest.mark.parametrize("places", [PASSWORD_PLACES, KEY_PLACES], ids=["passwords", "keys"])
def test_nearly_every_planted_secret_is_found(places: list[str]) -> None:
    dice = random.Random(11)
    missed = []
    draw = _password if places is PASSWORD_PLACES else _key
    for place in places:
        for _ in range(100):
            secret = draw(dice)
            found = Redactor().text(f"at first {place.format(secret)} and then")
            if secret[:6] in found:
                missed.append((place, secret))
    assert len(missed) <= 0.02 * 100 * len(places), missed[:5]


@pytest.mark.parametrize("beginning", sorted({shape.beginning for shape in SHAPES}))
def test_keys_in_the_shape_of_a_vendor_are_found(beginning: str) -> None:
    [shape] = [shape for shape in SHAPES if shape.beginning == beginning]
    dice = random.Random(beginning)
    key = next(
        beginning + rest
        for _ in range(10)
        for mark in ("", "pt.", "tkn_", "a1b2c3d4e5f6a7b8c9d0e1f2-", _drawn(dice, 22) + ".")
        for count in (16, 27, 32, 34, 35, 36, 40, 43, 55, 64)
        for letters in (LETTERS, "0123456789abcdef", string.ascii_uppercase + string.digits)
        if shape.rest.fullmatch(rest := f"{mark}{_drawn(dice, count - 1, letters)}7")
    )
    for text in (f"use {key} now", f"'{key}'", f"({key})", f"x={key}\n"):
        assert redacted(text) == text.replace(key, "<key-1>")


def test_a_block_of_a_private_key_goes_as_a_whole_even_without_its_end() -> None:
    body = "\n".join(_drawn(random.Random(1), 64) for _ in range(12))
    whole = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    assert redacted(f"a {whole} b") == "a <private-key-1> b"
    assert redacted(json.dumps({"key": whole})) == '{"key": "<private-key-1>"}'
    assert redacted(f"a -----BEGIN PRIVATE KEY-----\n{body}") == "a <private-key-1>"


def test_the_profiles_own_patterns_are_redacted_too() -> None:
    redactor = Redactor(patterns=[r"CASE-\d{4}", r"(?i)ward \w+"])
    assert redactor.text("CASE-1234 in Ward Seven, CASE-1234") == "<private-1> in <private-2>, <private-1>"
    assert redactor.text("\ufdd0CASE-9\ud800 CASE-5678") == "\ufdd0CASE-9\ud800 <private-3>"
    assert redactor.counts == {"private": 3}


@pytest.mark.parametrize("pattern", ["(", "a(?=b)", "x*", "a" * 2_000])
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str) -> None:
    with pytest.raises(InputError, match="pattern of the profile"):
        Redactor(patterns=[pattern])


def _hostile() -> Iterator[str]:
    size = 100_000
    yield from (one * size for one in "a1 @./\\-_:='\"<A%=\n\u00e9\u0130")
    cues = ("a@", "a.", "@a.", "://", "://a:", "://a:b@", "eyJ", "eyJa.", "-----BEGIN PRIVATE KEY-----", "sk-", "key-")
    words = (
        "password=",
        "password ",
        "token ",
        "key:",
        "Bearer ",
        "cookie:a",
        "--a-",
        " -u a:",
        "curl",
        "/home/",
        "USER=",
    )
    more = ("10.", "10.0.0.1 ", "fd00:", "a.internal.", "a.local", "AKIA", ":AA", "x8Gh2k", "home/a/", "c:\\users\\a")
    for cue in (*cues, *words, *more):
        yield cue * (size // len(cue))
        yield f"password token curl @ :// {cue}" + "a" * size
    yield "".join(f"/home/user{n}/x user{n} " for n in range(3_000))
    yield "".join(f"m{n}@holt.example " for n in range(3_000))


def test_time_grows_with_the_length_of_a_text_and_not_faster() -> None:
    for text in _hostile():
        begun = time.process_time()
        Redactor(patterns=[r"CASE-(\d+)+x"]).text(text)
        assert time.process_time() - begun < 4, f"far more than linear time needs: {text[:60]}"


def test_every_kind_of_placeholder_has_its_meaning_and_every_rule_its_place() -> None:
    assert all(PLACEHOLDER.fullmatch(f"<{kind}-12>") for kind in MEANING)
    assert len({rule.name for rule in all_rules()}) == len(all_rules()) > 12
    assert all(cue == cue.lower() for rule in all_rules() for cue in rule.cues)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def test_hardly_anything_but_addresses_of_people_is_redacted_in_real_rollouts(gym_data: Path) -> None:
    redactor = Redactor()
    for path in sorted(gym_data.glob("*/*.jsonl"))[::2]:
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue
            for text in _texts(row):
                redactor.text(text)
    assert SHARED.is_dir()
    counts = dict(redactor.counts)
    assert counts.pop("email", 0) > 10
    assert counts.pop("user", 0) <= 4
    assert counts.pop("path", 0) <= 4  # on the disks of clusters, with the names of those who ran them
    assert sum(counts.values()) <= 3, counts


def test_the_page_names_every_kind() -> None:
    page = (Path(__file__).parents[2] / "docs" / "what-is-redacted.md").read_text(encoding="utf-8")
    assert [kind for kind, meaning in MEANING.items() if f"| `<{kind}-1>` | {meaning} |" not in page] == []
