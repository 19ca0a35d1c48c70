"""Chance that is the same on every machine: each draw has a name, and the name decides it.

A draw depends on its own keys only, so that adding a fault, an agent or a repeat leaves every
other draw as it was.
"""

import hashlib
import random

_SPAN = 1 << 64


def _number(keys: tuple[object, ...]) -> int:
    text = "\x1f".join(str(key) for key in keys)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def dice(*keys: object) -> random.Random:
    """Return a random stream that belongs to these keys."""
    return random.Random(_number(keys))


def chance(*keys: object) -> float:
    """Return one number in [0, 1) that belongs to these keys."""
    return _number(keys) / _SPAN


def token(*keys: object, length: int = 24) -> str:
    """Return hexadecimal letters that belong to these keys: an id without a clock."""
    text = "\x1f".join(str(key) for key in keys)
    return hashlib.sha256(text.encode()).hexdigest()[:length]
