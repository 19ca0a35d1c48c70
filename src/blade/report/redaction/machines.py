"""Machines of a team: where its models are served, and paths of the file systems of its clusters."""

import re
from collections.abc import Iterator
from typing import Final

from blade.report.redaction.passage import Passage
from blade.report.redaction.rule import ENDPOINT, PATH, Found, rule
from blade.report.redaction.secrecy import words

_ENDPOINT: Final = re.compile(
    r"(?i)https?://(?P<host>(?:[a-z0-9](?:[a-z0-9-]{0,62}+)\.){1,8}+[a-z]{2,24}+)(?::[0-9]{2,5}+)?/(?:[\w-]{1,40}+/){0,3}?"
    r"v[0-9](?:beta)?(?:/(?:chat/completions|completions|responses|embeddings|messages|models))?(?![\w/-])"
)
_PUBLIC: Final = words(
    """
    api.openai.com integrate.api.nvidia.com api.anthropic.com openrouter.ai api.mistral.ai api.together.xyz
    generativelanguage.googleapis.com api.groq.com api.x.ai api.deepseek.com api.cohere.com
    """
)
"""Where everybody's models are served: no secret of anybody."""

_NOBODYS: Final = (
    ".googleapis.com",
    ".example",
    ".test",
    ".invalid",
    "example.com",
    "example.org",
    "example.net",
    ".localhost",
)

_SHARED_DISK: Final = re.compile(
    r"(?<![\w./~-])/(?:lustre|gpfs|fsx|weka|beegfs|nfs|mnt/nfs|mnt/lustre|scratch)/(?:[\w.@+-]{1,100}+/?){1,20}+"
)


@rule(93, "/v")
def endpoints(passage: Passage) -> Iterator[Found]:
    """Addresses at which somebody serves models; those of public services and of examples are none."""
    for match in _ENDPOINT.finditer(passage.text):
        host = match["host"].lower()
        if host not in _PUBLIC and not host.endswith(_NOBODYS):
            yield Found(match.start(), match.end(), ENDPOINT)


@rule(96, "/lustre/", "/gpfs/", "/fsx/", "/weka/", "/beegfs/", "/nfs/", "/scratch/")
def shared_disks(passage: Passage) -> Iterator[Found]:
    """Paths on the file systems of clusters."""
    for match in _SHARED_DISK.finditer(passage.text):
        yield Found(match.start(), match.start() + len(match[0].rstrip(".")), PATH)
