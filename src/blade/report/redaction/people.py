"""People: e-mail addresses, and the names of users in the paths of their home directories."""

import re
from collections.abc import Iterator
from typing import Final

from blade.report.redaction.passage import Passage
from blade.report.redaction.rule import EMAIL, USER, Found, rule
from blade.report.redaction.secrecy import words

_EMAIL: Final = re.compile(
    r"(?<![\w.+%'-])(?P<local>[\w.+'-]{1,64}+)(?:@|%40|&#64;)(?P<domain>(?:[^\W_](?:[\w-]{0,62}[^\W_])?\.){1,8}(?P<top>[^\W\d_]{2,24}|xn--[a-z0-9-]{2,40}))"
    r"(?![\w(\[=-]|\.[\w])"
)
_NO_TOP_LEVEL: Final = words(
    """
    png jpg jpeg gif svg webp ico bmp css js jsx tsx ts mjs html htm json jsonl xml yaml yml txt csv pdf mp4 mp3
    wav zip gz tar service socket timer target mount slice device scope shape size dtype mean sum item data
    values numpy reshape transpose
    """
)
"""Endings that make `name@2x.png`, `unit@tty1.service` and `a@b.shape`, which nobody writes to."""

_NO_PERSON: Final = frozenset({"git", "hg", "svn"})
"""Accounts of servers that addresses of repositories begin with."""


@rule(70, "@", "%40", "&#64;")
def emails(passage: Passage) -> Iterator[Found]:
    """E-mail addresses, those of examples too."""
    text = passage.text
    for match in _EMAIL.finditer(text):
        start = match.start() + len(match["local"]) - len(match["local"].lstrip(".'-+"))
        local = text[start : match.end("local")]
        server = local in _NO_PERSON and text[match.end() : match.end() + 1] in (":", "/")
        if local and match["top"].lower() not in _NO_TOP_LEVEL and not server:
            yield Found(start, match.end(), EMAIL)


_SLASH: Final = r"(?:\\?/|%2[Ff])"
_HOME: Final = re.compile(
    rf"(?<![\w.~-])(?:file:{_SLASH}{{2}})?(?:{_SLASH}(?:mnt|export|usr|var|data|nfs|net|srv|cygdrive|[a-z]){{1}}){{0,2}}?"
    rf"{_SLASH}(?:home|Users){_SLASH}(?P<user>[\w][\w.@+-]{{0,63}}+)(?P<more>{_SLASH})?"
)
_WINDOWS: Final = re.compile(
    r"(?i)(?<![a-z0-9])[a-z]:(?:\\{1,4}|/)users(?:\\{1,4}|/)(?P<user>[^\\/:*?\"<>|\r\n\t]{1,64}+)(?P<more>[\\/])?"
)
_VARIABLE: Final = re.compile(
    r"(?<![A-Za-z0-9_])(?:USER|LOGNAME|USERNAME|SUDO_USER)=[\"']?(?P<user>[\w][\w.-]{0,63}+)(?P<more>)"
)

SHARED_ACCOUNTS: Final = words(
    """
    user users username ubuntu debian centos fedora ec2-user admin administrator root runner node app docker
    vscode codespace gitpod vagrant jovyan sandbox agent worker guest nobody default public shared linuxbrew
    coder dev developer work workspace project projects code src data model models test tests build ci home me
    you name yourname your_name your-name yourusername your_username your-username someone somebody all_users
    appuser service system env envs venv conda miniconda3 anaconda3 lib bin opt share cache software apps media www
    web site html backup ftp repo repos scratch tools tmp storage hadoop spark postgres mysql oracle pi deck
    """
)
"""Accounts that are nobody's: those of images, services and examples."""

_WORDS: Final = words(
    """
    will mark grant may art bill rose frank grace hope joy drew pat rob sue chase max dean jack rich ray carol
    dawn faith ivy lily ruby penny pearl amber summer april june august christian dale forest glen heath hunter
    iris jasmine jewel joker melody mercy miles misty olive page paige paris patience porter prince reed robin
    sandy scarlet sky skip storm terry trinity violet wade ward young king queen long short brown black white
    green gray small strong wise best love price cook baker mason taylor carter cooper turner parker walker
    fisher gardener guy van don dan ken tom sam ben tim jan ana ian lee ali eva ada main file path line list
    text time date type term base core demo temp index page docs the and for not you are was but all any can had
    her his one our out day get has him how man new now old see two way who boy did its let put say she too use
    """
)
"""Names that are words too: away from a path they are taken for words."""

_FEWEST: Final = 3


class Home:
    """A user's name as a path tells it."""

    def __init__(self, match: re.Match[str]) -> None:
        name = match["user"].rstrip(" .")
        self.start, self.end, self.name = match.start("user"), match.start("user") + len(name), name
        self._is_unix = match.re is _HOME
        self.is_directory = bool(match["more"]) or match.re is _VARIABLE

    @property
    def is_private(self) -> bool:
        """Whether it names a person: neither an account of an image nor a page of a site."""
        return bool(self.name) and self.name.lower() not in SHARED_ACCOUNTS and not self._is_file

    @property
    def is_telling(self) -> bool:
        """Whether the name may be looked for elsewhere."""
        word = self.name.lower() in _WORDS or self.name.isdigit()
        account = self.name.islower() or not self._is_unix
        return self.is_private and self.is_directory and account and len(self.name) >= _FEWEST and not word

    @property
    def _is_file(self) -> bool:
        return not self.is_directory and "." in self.name


_CUES: Final = {_HOME: ("home", "users"), _WINDOWS: (":\\", ":/"), _VARIABLE: ("user=", "name=")}


def homes(passage: Passage) -> Iterator[Home]:
    """The users whose home directories a text names."""
    for pattern, cues in _CUES.items():
        if any(cue in passage.lowered for cue in cues):
            yield from map(Home, pattern.finditer(passage.text))


def mentions(text: str, names: list[str]) -> Iterator[Found]:
    """Where names of users stand away from any path."""
    for name in names:
        start = text.find(name)
        while start >= 0:
            end = start + len(name)
            if not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum():
                yield Found(start, end, USER)
            start = text.find(name, end)
