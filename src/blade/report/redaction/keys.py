"""Keys that are known by their shape: those of vendors, signed tokens, blocks of private keys."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from blade.report.redaction.passage import Passage
from blade.report.redaction.rule import KEY, PRIVATE_KEY, TOKEN, Found, rule
from blade.report.redaction.secrecy import is_name, is_random

_LONGEST_BLOCK: Final = 20_000

_BEGIN: Final = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_END: Final = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_BODY: Final = re.compile(
    r"(?:(?:\s|\\[nrt]){0,8}+[A-Za-z0-9+/=]{16,256}+){0,400}+(?:(?:\s|\\[nrt]){0,8}+[A-Za-z0-9+/]{1,60}={1,2})?"
)


class Shape(NamedTuple):
    """How keys of one kind begin, and what follows; the end of the pattern must be the end of a word."""

    beginning: str
    rest: re.Pattern[str]


def _shape(beginning: str, rest: str) -> Shape:
    return Shape(beginning, re.compile(rf"(?:{rest})(?![A-Za-z0-9])"))


SHAPES: Final = (
    _shape("sk-", r"[A-Za-z0-9_-]{20,200}"),
    _shape("sk_live_", r"[A-Za-z0-9]{10,200}"),
    _shape("sk_test_", r"[A-Za-z0-9]{10,200}"),
    _shape("rk_live_", r"[A-Za-z0-9]{10,200}"),
    _shape("rk_test_", r"[A-Za-z0-9]{10,200}"),
    _shape("whsec_", r"[A-Za-z0-9+/=]{20,80}"),
    *(_shape(f"gh{one}_", r"[A-Za-z0-9]{30,255}") for one in "oprsu"),
    _shape("github_pat_", r"[A-Za-z0-9_]{22,255}"),
    *(_shape(f"gl{kind}-", r"[A-Za-z0-9_.-]{20,80}") for kind in ("pat", "dt", "rt", "cbt", "ptt", "agent", "oas")),
    *(_shape(f"xox{one}-", r"[A-Za-z0-9-]{10,250}") for one in "abdeoprs"),
    _shape("xapp-", r"[A-Za-z0-9-]{20,250}"),
    *(_shape(kind, r"[A-Z0-9]{16}") for kind in ("AKIA", "ASIA", "ABIA", "ACCA")),
    _shape("AIza", r"[A-Za-z0-9_-]{35}"),
    _shape("ya29.", r"[A-Za-z0-9_.-]{20,300}"),
    _shape("GOCSPX-", r"[A-Za-z0-9_-]{20,60}"),
    _shape("hf_", r"[A-Za-z0-9]{30,60}"),
    _shape("nvapi-", r"[A-Za-z0-9_-]{20,120}"),
    _shape("gsk_", r"[A-Za-z0-9]{40,80}"),
    _shape("xai-", r"[A-Za-z0-9]{40,120}"),
    _shape("pplx-", r"[A-Za-z0-9]{32,80}"),
    _shape("tvly-", r"[A-Za-z0-9-]{20,80}"),
    _shape("r8_", r"[A-Za-z0-9]{30,60}"),
    _shape("npm_", r"[A-Za-z0-9]{36}"),
    _shape("pypi-", r"[A-Za-z0-9_-]{50,300}"),
    _shape("dckr_pat_", r"[A-Za-z0-9_-]{20,80}"),
    _shape("SG.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}"),
    _shape("SK", r"[0-9a-f]{32}"),
    *(_shape(f"do{one}_v1_", r"[0-9a-f]{64}") for one in "opr"),
    *(_shape(f"shp{kind}_", r"[0-9a-fA-F]{32}") for kind in ("at", "ca", "pa", "ss")),
    _shape("dapi", r"[0-9a-f]{32}(?:-[0-9])?"),
    _shape("dp.", r"(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{30,80}"),
    *(_shape(f"hv{one}.", r"[A-Za-z0-9_-]{24,200}") for one in "brs"),
    _shape("lin_api_", r"[A-Za-z0-9]{30,80}"),
    _shape("ntn_", r"[A-Za-z0-9]{40,60}"),
    _shape("ATATT3", r"[A-Za-z0-9_=-]{50,300}"),
    _shape("AGE-SECRET-KEY-1", r"[A-Z0-9]{50,70}"),
    _shape("pscale_", r"(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{30,80}"),
    _shape("glsa_", r"[A-Za-z0-9_]{30,80}"),
    _shape("glc_", r"[A-Za-z0-9+/=]{30,200}"),
    *(_shape(f"sntry{one}_", r"[A-Za-z0-9_=+/-]{40,300}") for one in "su"),
    _shape("NRAK-", r"[A-Z0-9]{27}"),
    _shape("figd_", r"[A-Za-z0-9_-]{30,80}"),
    _shape("PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    _shape("sbp_", r"[0-9a-f]{40}"),
    _shape("key-", r"[0-9a-f]{32}"),
    _shape("EAAG", r"[A-Za-z0-9]{40,250}"),
)
"""Keys by what their vendors let them begin with."""

_SHORTEST: Final = 16
"""No shape is shorter."""

_FEWEST_DIFFERENT: Final = 7
"""Different characters that a key has at least: `sk-111111111111111111111` is none."""

_MARKS: Final = ("key", "token", "secret", "pat", "api", "sk", "auth", "cred")
"""Parts of a mark that tell that what follows is secret, whoever made it: `acme_key_…`."""

_MARKED: Final = re.compile(
    r"[a-z0-9]{0,4}[-_](?:(?:live|test|prod|dev|api|v[0-9])[-_]){0,2}(?P<rest>[A-Za-z0-9]{24,200})(?![A-Za-z0-9])"
)
_BEFORE_MARK: Final = re.compile(r"(?<![A-Za-z0-9])(?:[a-z][a-z0-9]{0,11}[-_]){0,2}$")
_CHAT_BOT: Final = re.compile(r"(?<![0-9A-Za-z])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])")
_WEBHOOK: Final = re.compile(
    r"(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks)/(?P<secret>[A-Za-z0-9_/-]{20,200}+)"
)
_SIGNED: Final = re.compile(
    r"eyJ[A-Za-z0-9_-]{10,4000}+\.[A-Za-z0-9_-]{8,8000}+(?:\.[A-Za-z0-9_-]{0,2000}+)?",
)


@rule(10, "private key")
def private_keys(passage: Passage) -> Iterator[Found]:
    """Blocks of private keys to their end; where the end is missing, as far as the letters of a key go."""
    text = passage.text
    begins = list(_BEGIN.finditer(text))
    for nth, begin in enumerate(begins):
        following = begins[nth + 1].start() if nth + 1 < len(begins) else len(text)
        end = _END.search(text, begin.end(), min(following, begin.end() + _LONGEST_BLOCK))
        body = _BODY.match(text, begin.end(), following)
        yield Found(begin.start(), end.end() if end else body.end() if body else begin.end(), PRIVATE_KEY)


@rule(20)
def shapes(passage: Passage) -> Iterator[Found]:
    """Keys in the shapes that vendors give them."""
    text = passage.text
    for beginning, rest in SHAPES if passage.longest >= _SHORTEST else ():
        place = text.find(beginning)
        while place >= 0:
            match = rest.match(text, place + len(beginning)) if passage.begins_word(place) else None
            if match and _is_drawn(match[0]):
                yield Found(place, match.end(), KEY)
            place = text.find(beginning, place + len(beginning))


def _is_drawn(rest: str) -> bool:
    """Whether what follows the beginning can be a key: `sk-learn-estimator-of-everything` is a name."""
    return any(map(str.isdigit, rest)) and len(set(rest)) >= _FEWEST_DIFFERENT and not is_name(rest)


@rule(30, *(mark + dash for mark in _MARKS for dash in "-_"))
def marked(passage: Passage) -> Iterator[Found]:
    """Letters and digits at random behind a mark that tells what they are."""
    for mark in _MARKS:
        for place in passage.places(mark):
            match = _MARKED.match(passage.text, place + len(mark))
            before = match and _BEFORE_MARK.search(passage.text[max(0, place - 28) : place])
            if match and before and is_random(match["rest"]):
                yield Found(place - len(before[0]), match.end(), KEY)


@rule(20, ":aa")
def chat_bots(passage: Passage) -> Iterator[Found]:
    """Tokens of chat bots: a number, and letters behind a colon."""
    for match in _CHAT_BOT.finditer(passage.text):
        yield Found(match.start(), match.end(), KEY)


@rule(20, "hooks.slack.com/", "/api/webhooks/")
def webhooks(passage: Passage) -> Iterator[Found]:
    """The part of a webhook's address that lets everybody write to it."""
    for match in _WEBHOOK.finditer(passage.text):
        yield Found(match.start("secret"), match.end("secret"), KEY)


@rule(20, "eyj")
def signed_tokens(passage: Passage) -> Iterator[Found]:
    """JSON web tokens."""
    for match in _SIGNED.finditer(passage.text):
        if passage.begins_word(match.start()):
            yield Found(match.start(), match.end(), TOKEN)
