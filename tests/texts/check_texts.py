#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The language of the program: finds texts for people that use a rejected word (rejected.txt) or
have a sentence that begins with "Of". Reads help, README and the string literals of core, ui and
app; allowed.txt lists the exceptions. Exit code 1 if there is any.

    check_texts.py [ROOT]      the sources below ROOT
    check_texts.py --self-test that it finds what it should
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
LITERALS = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\\n])\'|(?:"(?:\\.|[^"\\\n])*"\s*)+', re.S)
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
BEGINS_WITH_OF = re.compile(r'(?:^\s*(?:[-*|]\s*)?|[.:;!?|] |\n\s*)Of (?!course)')


def lines_of(name):
    text = (HERE / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


REJECTED = [(re.compile(line.split("\t")[0]), line.split("\t")[1]) for line in lines_of("rejected.txt")]
ALLOWED = lines_of("allowed.txt")


def literals(source):
    """Adjacent literals are one text: (line, text). Keys and names without a space are no texts."""
    for match in LITERALS.finditer(source):
        if not match.group(0).startswith('"'):
            continue
        before = source[: match.start()].rsplit("\n", 1)[-1]
        text = "".join(LITERAL.findall(match.group(0)))
        if "#include" not in before and (" " in text or text[:1].isupper()):
            yield source.count("\n", 0, match.start()) + 1, text


def paragraphs(page):
    """(line, text) of each line outside code blocks; what is within backquotes is code."""
    fenced = False
    for number, line in enumerate(page.splitlines(), 1):
        fenced ^= line.startswith("```")
        if not fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)


def problems(text):
    for part in ALLOWED:
        text = text.replace(part, "")
    found = [f'"{m.group(0)}": {instead}' for pattern, instead in REJECTED for m in pattern.finditer(text)]
    if BEGINS_WITH_OF.search(text):
        found.append('a sentence begins with "Of"')
    return found


def check(root):
    texts = [(path, literals) for layer in ("core", "ui", "app") for kind in ("*.cpp", "*.h")
             for path in sorted((root / layer).rglob(kind))]
    texts += [(path, paragraphs) for path in [root / "README.md", *sorted((root / "resources/help").glob("*.md"))]]
    count = 0
    for path, parts in texts:
        for line, text in parts(path.read_text(encoding="utf-8")):
            for problem in problems(text):
                print(f"{path.relative_to(root)}:{line}: {problem}\n    {text[:160].strip()}")
                count += 1
    print(f"{len(texts)} files, {count} problems")
    return count


def self_test():
    assert problems("Open a picture") and problems("Of pictures") and problems("Masks. Of heads.")
    assert problems("- Of heads") and problems("| `a` | Of heads |")
    assert not problems("Open an image") and problems("grey") and not problems(ALLOWED[0])
    assert list(literals('f("Open a "\n  "picture"); // "no picture"\n#include "a picture.h"\n')) == [(1, "Open a picture")]
    assert not list(literals('g("picture")')), "a key is no text"
    assert problems(list(paragraphs("A `picture`\n\nGrey\n"))[2][1])
    assert not problems(list(paragraphs("A `picture`"))[0][1])


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(1 if check(pathlib.Path(sys.argv[1] if sys.argv[1:] else HERE.parents[1])) else 0)
