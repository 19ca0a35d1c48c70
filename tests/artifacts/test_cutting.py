import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.artifacts import cutting

_TEXTS = st.lists(st.sampled_from([b"\n", b"a", b"\r", b" ", b"{}", b"longer than a block"]), max_size=30).map(b"".join)


@given(text=_TEXTS, block=st.integers(1, 9), longest=st.integers(1, 30))
def test_lines_are_cut_alike_wherever_blocks_end(text: bytes, block: int, longest: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "_BLOCK", block)
        found = list(cutting.cut(io.BufferedReader(io.BytesIO(text)), longest))
    lines = io.BytesIO(text).readlines()
    assert [size for size, _ in found] == list(map(len, lines))
    assert [line for _, line in found] == [line if len(line.rstrip(b"\n")) <= longest else None for line in lines]


@given(text=_TEXTS.map(lambda text: text + b"\n"), at_start=st.booleans())
def test_a_trimmed_line_is_the_stripped_line_in_its_place(text: bytes, at_start: bool) -> None:
    start, trimmed = cutting.trimmed(memoryview(text), at_start=at_start)
    assert bytes(trimmed).rstrip(b"\n") == text.strip()
    assert not trimmed or text[start:].startswith(bytes(trimmed))
