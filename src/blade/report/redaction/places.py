"""Places: addresses of private networks and names of private hosts. `localhost` is nobody's secret."""

import ipaddress
import re
from collections.abc import Iterator
from typing import Final

from blade.report.redaction.passage import Passage
from blade.report.redaction.rule import ADDRESS, HOST, Found, rule
from blade.report.redaction.secrecy import words

_FOUR: Final = re.compile(r"1(?<![\w.]1)(?:0|72|92|69)(?:\.[0-9]{1,3}){3}(?![\w]|\.[0-9])")
_SIX: Final = re.compile(
    r"[fF](?<![\w:.].)(?i:e[89ab][0-9a-f]|[cd][0-9a-f]{2}):[0-9A-Fa-f:]{2,38}(?:%[A-Za-z0-9]{1,16})?(?![\w:])"
)
_VERSION: Final = re.compile(r"(?i)(?:version|release|build|ver|rev|[=<>~!]=|\^)[\s:\"'=]{0,4}$")
_PRIVATE: Final = tuple(
    map(
        ipaddress.ip_network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fe80::/10", "fc00::/7"),
    )
)


@rule(90, "10.", "172.", "192.168.", "169.254.", "fe8", "fe9", "fea", "feb", "fc", "fd")
def addresses(passage: Passage) -> Iterator[Found]:
    """Addresses that only a private network knows; a version that looks like one is none."""
    text = passage.text
    for match in _FOUR.finditer(text):
        if _is_private(match[0]) and not _VERSION.search(text[max(0, match.start() - 16) : match.start()]):
            yield Found(match.start(), match.end(), ADDRESS)
    for match in _SIX.finditer(text):
        if _is_private(match[0].partition("%")[0]):
            yield Found(match.start(), match.end(), ADDRESS)


def _is_private(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return any(address.version == network.version and address in network for network in _PRIVATE)


_NAMED: Final = re.compile(
    r"(?i)(?<![\w.$-])(?P<host>(?:[a-z0-9](?:[a-z0-9_-]{0,62}+)\.){1,6}(?:internal|local|localdomain|corp|lan|intranet|intra|home\.arpa))"
    r"(?![\w-]|\.\w|\s{0,2}[=(\[])"
)
_IN_URL: Final = re.compile(
    r"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,15}+://(?:[^\s/@\"'<>]{1,200}+@)?(?P<host>[a-z0-9][a-z0-9_-]{0,62}+)(?=[:/?#\s\"'`)>\]]|$)"
)
_NOT_A_HOST: Final = words(
    """
    self this cls os path env config configs settings threading thread gevent werkzeug docker-compose compose
    package gitignore options args params application appsettings secrets credentials gradle claude agents cfg conf
    context storage state
    """
)
"""What stands before `.local` and `.internal` in programs and names of files."""

_WELL_KNOWN: Final = frozenset({"metadata.google.internal", "host.docker.internal", "gateway.docker.internal"})
"""Names that are the same everywhere."""

_PROGRAM: Final = re.compile(
    r"(?:(?:^|\s)(?:import|from|package|using|require|if|elif|not|and|or|assert|return|in|for|while|del)\s{1,3}|[=+]\s)$"
)
"""What stands before an attribute of a program, and not before a host."""


@rule(95, ".internal", ".local", ".corp", ".lan", ".intra", ".home.arpa", "://")
def hosts(passage: Passage) -> Iterator[Found]:
    """Names under the endings that only private networks have, and hosts of URLs that are no names of the internet."""
    text = passage.text
    for match in _NAMED.finditer(text):
        first = match["host"].partition(".")[0].lower()
        program = _PROGRAM.search(text[max(0, match.start() - 12) : match.start()])
        if first not in _NOT_A_HOST and match["host"].lower() not in _WELL_KNOWN and not program:
            yield Found(match.start(), match.end(), HOST)
    for match in _IN_URL.finditer(text):
        if _names_a_machine(match["host"]):
            yield Found(match.start("host"), match.end("host"), HOST)


def _names_a_machine(host: str) -> bool:
    """Whether a name without a dot is that of one machine: it has a number; `api`, the name of a role, has none."""
    return any(map(str.isdigit, host)) and any(map(str.isalpha, host)) and "-" in host
