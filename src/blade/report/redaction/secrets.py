"""Secrets that are known by what stands beside them: a header, a name with a value, a word that tells."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from blade.report.redaction.passage import Passage
from blade.report.redaction.rule import SECRET, TOKEN, Found, rule
from blade.report.redaction.secrecy import has_letters_and_digits, is_hash, is_name, is_path, is_random, is_stand_in

_PUNCTUATION: Final = ".,:!?…*"

_HEADER: Final = re.compile(
    r"(?i)authorization[\"'\\]{0,4}\s{0,3}[:=]\s{0,3}[\"'\\]{0,4}"
    r"(?:(?:bearer|basic|token|digest|apikey|negotiate)\s{1,3})?(?P<value>[A-Za-z0-9._~+/=:-]{8,4000}+)"
)
_BEARER: Final = re.compile(r"(?i)(?:bearer|basic)\s{1,3}(?P<value>[A-Za-z0-9._~+/=-]{12,4000}+)")
_COOKIE: Final = re.compile(
    r"(?i)cookie[\"'\\]{0,4}\s{0,3}:\s{0,3}[\"'\\]{0,4}(?P<value>[^\s\"'\\][^\n\"'\\]{7,2000}+)"
)
_IN_URL: Final = re.compile(r"://(?P<value>[^\s/:@\"'<>]{0,100}+:[^\s/@\"'<>]{1,200}+)@")
_OPTION: Final = re.compile(
    r"(?i)(?<![\w-])--?(?:[a-z0-9]{1,16}-){0,3}?(?:password|passwd|passphrase|pwd|token|secret|api-?key|access-?key)"
    r"(?:=|[ \t]{1,3})[\"']?(?P<value>[^\s\"'`,;&|<>()\[\]{}\\]{4,300}+)"
)
_LOGIN: Final = re.compile(r"\s(?:-u|--user)[ =]{0,2}[\"']?(?P<value>[^\s:\"'/\\]{1,64}+:[^\s\"'\\]{3,128}+)")

Accepts = Callable[[str], bool]


def _matches(pattern: re.Pattern[str], passage: Passage, accepts: Accepts, kind: str) -> Iterator[Found]:
    for match in pattern.finditer(passage.text):
        value = match["value"].rstrip(_PUNCTUATION)
        if accepts(value):
            yield Found(match.start("value"), match.start("value") + len(value), kind)


@rule(40, "authorization")
def headers(passage: Passage) -> Iterator[Found]:
    """What an authorization header holds."""
    return _matches(_HEADER, passage, _is_given, TOKEN)


@rule(41, "bearer", "basic")
def bearers(passage: Passage) -> Iterator[Found]:
    """A bearer's or basic credentials outside of their header."""
    return _matches(_BEARER, passage, lambda value: is_random(value) or value.endswith("="), TOKEN)


@rule(42, "cookie")
def cookies(passage: Passage) -> Iterator[Found]:
    """Cookies that hold something drawn at random."""
    return _matches(_COOKIE, passage, lambda value: any(map(is_random, re.split(r"[=;\s]+", value))), SECRET)


@rule(43, "://")
def credentials_in_urls(passage: Passage) -> Iterator[Found]:
    """User and password in a URL."""
    return _matches(_IN_URL, passage, lambda value: not is_stand_in(value.partition(":")[2]), SECRET)


@rule(44, "--", " -")
def options(passage: Passage) -> Iterator[Found]:
    """Passwords and tokens that are given to a command."""
    if _PASSWORDS.search(passage.lowered) or _SECRETS.search(passage.lowered):
        yield from _matches(_OPTION, passage, _is_given, SECRET)


@rule(45, "curl", "wget")
def logins(passage: Passage) -> Iterator[Found]:
    """User and password that are given to a command."""
    return _matches(_LOGIN, passage, lambda value: not is_stand_in(value.partition(":")[2]), SECRET)


def _is_given(value: str) -> bool:
    """Whether a value stands where a secret stands, and can be one."""
    return (
        not is_stand_in(value)
        and not is_path(value)
        and not value.startswith("-")
        and (has_letters_and_digits(value) or is_random(value, fewest=10))
    )


_PASSWORDS: Final = re.compile(r"pass(?:word|wd|phrase|code)|pwd|_pass(?![a-z])")
_SECRETS: Final = re.compile(r"secret|credential|key|token|signature|sig(?![a-z])|auth(?![a-z])")
"""Words that tell of a secret, in small letters."""

_TELLING: Final = re.compile(
    r"(?:api|access|secret|client|auth|refresh|bearer|session|security|webhook|bot|deploy|oauth|private|account|shared"
    r"|signing|encryption|subscription)[-_ ]?$"
)
"""What makes a key or a token before which it stands a secret for sure."""

_SIGNED_URL: Final = re.compile(r"x-(?:amz|goog)-$")

PASSWORD: Final = "password"  # noqa: S105 - the name of a strength
SURE: Final = "sure"
WEAK: Final = "weak"
"""How much a name tells: of a password, of a secret drawn at random, or of much else besides."""


def _names(passage: Passage) -> Iterator[tuple[int, str]]:
    """Where names that tell of secrets end, and how much each tells."""
    text, lowered = passage.text, passage.lowered
    for match in _PASSWORDS.finditer(lowered):
        if match[0] not in ("pwd", "_pass") or text[match.start() - 1 : match.start()].isalnum() == (
            match[0] == "_pass"
        ):
            yield match.end(), PASSWORD
    for match in _SECRETS.finditer(lowered):
        start, before = match.start(), lowered[max(0, match.start() - 14) : match.start()]
        if match[0] in ("secret", "credential") or _TELLING.search(before):
            yield match.end(), SURE
        elif (not before[-1:].isalnum() and before[-1:] not in ("+", "/")) or _begins_part(text, start):
            yield match.end(), SURE if _SIGNED_URL.search(before) else WEAK


def _begins_part(text: str, start: int) -> bool:
    """Whether a capital begins a part of a name there: `dbToken`."""
    return text[start].isupper() and text[start - 1 : start].islower()


_BETWEEN: Final = re.compile(
    r"(?i)(?:s(?![a-z]))?(?:[-_]?(?:id|value|prod|dev|test|staging|[0-9]{1,2}))?(?P<between>[\"'\\\]`*]{0,5}\s{0,3}(?::=|=>|==?|:)\s{0,3})"
)
_QUOTED: Final = re.compile(r"\\{0,3}[\"'`](?P<value>[^\"'`\n\\]{3,400}+)(?=[\"'`\\])")
_BARE: Final = re.compile(r"\\{0,3}[\"'`]?(?P<value>[^\s\"'`,;&|<>(){}\[\]\\]{3,400}+)")
_TAGGED: Final = re.compile(r">(?P<value>[^<>\s]{4,400}+)</")
_FILLED: Final = re.compile(
    r"(?i)(?P<filler>(?:[ \t]{1,2}[a-z]{1,12}+){0,4}?)(?:[ \t]{0,2}[:=][ \t\n]{0,2}|[ \t]{1,2})[\"'`*]{0,3}"
    r"(?P<value>[^\s\"'`,;<>()*\[\]{}\\]{6,300}+)"
)
_TELLS: Final = re.compile(r"(?i)[ \t](?:is|was|be|to|are|as)$")

_ENDS_A_SETTING: Final = ("", "\n", "\r", "&", ";", '"', "'")


@rule(50, "pass", "pwd", "secret", "key", "token", "credential", "sig", "auth")
def told(passage: Passage) -> Iterator[Found]:
    """The value behind a name that tells of a secret: `api_key=…`, `"password": "…"`, `the password is …`."""
    for place, strength in _names(passage):
        between = _BETWEEN.match(passage.text, place)
        found = _assigned(passage.text, strength, between) if between else _tagged(passage.text, strength, place)
        found = found or _said(passage.text, strength, place)
        if found:
            yield found


def _assigned(text: str, strength: str, between: re.Match[str]) -> Found | None:
    """A value behind `=` or `:`."""
    quoted = _QUOTED.match(text, between.end())
    match = quoted or _BARE.match(text, between.end())
    if not match:
        return None
    value = match["value"] if quoted else match["value"].rstrip(_PUNCTUATION)
    if is_stand_in(value) or is_path(value) or " " in value:
        return None
    following = text[match.end() : match.end() + 1]
    if strength == PASSWORD:
        private = len(value) >= 4 if quoted else _is_password(value, between["between"], following)
    elif strength == SURE:
        private = _is_secret(value) and (bool(quoted) or following not in ("(", "["))
    else:
        private = is_random(value) and not is_hash(value)
    return Found(match.start("value"), match.start("value") + len(value), SECRET) if private else None


def _tagged(text: str, strength: str, place: int) -> Found | None:
    """A value between tags: `<password>…</password>`."""
    match = _TAGGED.match(text, place)
    if not match or is_stand_in(match["value"]) or is_path(match["value"]):
        return None
    private = strength == PASSWORD or (strength == SURE and _is_secret(match["value"]))
    return Found(match.start("value"), match.end("value"), SECRET) if private else None


def _is_password(value: str, between: str, following: str) -> bool:
    """Whether a value without quotes is a password rather than a variable or a word of a sentence."""
    if following in ("(", "[", "{"):
        return False
    if is_random(value, fewest=10):
        return True
    if has_letters_and_digits(value):
        return between.strip() != "=" or between == "=" or not is_name(value)
    plain = len(value) >= 4 and value.islower() and value.isalpha()
    return plain and _is_setting(between, following)


def _is_setting(between: str, following: str) -> bool:
    """Whether it stands as a setting: `password=…` in a query or a line, or `password: …` to the line's end."""
    if following not in _ENDS_A_SETTING:
        return False
    return between == "=" or (between.strip() == ":" and following in ("", "\n", "\r"))


def _is_secret(value: str) -> bool:
    if is_random(value, fewest=12) or (is_hash(value) and len(value) >= 16):
        return True
    mixed = has_letters_and_digits(value) and any(map(str.isdigit, value))
    return len(value) >= 8 and mixed and not is_name(value) and "." not in value


def _said(text: str, strength: str, place: int) -> Found | None:
    """A value that a sentence tells."""
    match = _FILLED.match(text, place)
    if not match:
        return None
    value = match["value"].rstrip(_PUNCTUATION)
    if is_stand_in(value) or is_path(value) or "://" in value:
        return None
    tells = bool(_TELLS.search(match["filler"]))
    if strength == PASSWORD:
        private = is_random(value, fewest=10) or (tells and has_letters_and_digits(value))
    elif strength == SURE:
        private = is_random(value, fewest=12) or (tells and is_hash(value) and len(value) >= 32)
    else:
        private = (tells or not match["filler"]) and is_random(value) and not is_hash(value)
    return Found(match.start("value"), match.start("value") + len(value), SECRET) if private else None
