"""Structs of Thrift's compact protocol: values, and damage that is told instead of followed."""

import pytest

from sentflow.files.thrift import read_struct

# Field 1 = true (type 1), field 2 = false, field 3 = i32 -2 (zigzag 3), field 4 = text "ab", field 5 = list of two i64,
# field 6 = list of two truths (a byte each), field 7 = struct with field 1 = i16 300 (zigzag 600 = 0xD8 0x04), end.
WHOLE = bytes(
    [0x11, 0x12, 0x15, 3, 0x18, 2, *b"ab", 0x19, 0x26, 2, 4, 0x19, 0x21, 1, 0, 0x1C, 0x14, 0xD8, 4, 0, 0]
)


def test_values_of_every_type():
    fields, end = read_struct(b"?" + WHOLE, 1)
    assert fields == {1: 1, 2: 0, 3: -2, 4: b"ab", 5: [1, 2], 6: [1, 0], 7: {1: 300}}
    assert end == 1 + len(WHOLE)


def test_a_field_may_name_its_number_in_full():
    # Type 5 with step 0: the number follows, zigzag 40 = 20; the next field counts on from it.
    assert read_struct(bytes([0x05, 40, 6, 0x15, 8, 0]), 0)[0] == {20: 3, 21: 4}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        WHOLE[:-1],
        bytes([0x18, 9, *b"ab", 0]),  # a text beyond the file
        bytes([0x19, 0xF5, 0xFF, 0xFF, 0x7F, 0]),  # two million items in no bytes
        bytes([0x1B, 0]),  # a map
        bytes([0x15, *[0xFF] * 12, 0]),  # a number of twelve bytes
        bytes([0x1C] * 40),  # structs in structs
        bytes([0x19, *[0x19] * 40]),  # lists in lists
    ],
)
def test_damage_is_told(content):
    with pytest.raises((IndexError, ValueError)):
        read_struct(content, 0)
