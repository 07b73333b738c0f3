#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The help of every option, as tr("…") lines for xgettext: the last text of each entry of the option
tables in core (core/config/Parameter.h). Help that is put together at run time is left out."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENTRY = re.compile(r"\.(?:boolean|integer|integers|number|numbers|text|spelled|choice|registered)\(&")
TEXT = re.compile(r'((?:"(?:\\.|[^"\\])*"\s*)+)\)\Z')


def arguments(source, start):
    """The argument list that begins behind `start`, up to its closing parenthesis."""
    depth, at = 1, start
    while depth:
        if source[at] == '"':
            at = re.compile(r'"(?:\\.|[^"\\])*"').match(source, at).end()
            continue
        depth += {"(": 1, ")": -1}.get(source[at], 0)
        at += 1
    return source[start:at]


for path in sorted([*(ROOT / "core").rglob("*.cpp"), *(ROOT / "core").rglob("*.h")]):
    source = path.read_text(encoding="utf-8")
    for entry in ENTRY.finditer(source):
        found = TEXT.search(arguments(source, entry.end()))
        if found:
            print(f"tr({found.group(1).strip()});")
