"""Docstrings for Python, made from the comments of the C++ header.

docstrings.py HEADER.hpp OUTPUT.inc      a line {"Certificate::mse", "Float64, all rows."}, per name

The comment above a declaration or behind it, on the same line, is what it says. Names are as C++
has them: Certificate::mse, lab::train.
"""

import json
import re
import sys

OPENING = re.compile(r"^(?:namespace (?P<space>\w+)|(?:struct|class|enum class) (?P<type>\w+)).*\{$")
FUNCTION = re.compile(r"(?P<name>\w+)\(")
TRAILING = re.compile(r"^(?P<code>.*[;,{(])\s*//\s*(?P<text>.*)$")


def sentence(lines):
    text = " ".join(lines).strip().rstrip(",:")
    if not text:
        return ""
    name = re.match(r"\w+[\[(=]", text)  # code starts as it is written
    return (text[0] if name else text[0].upper()) + text[1:] + ("" if text[-1] in ".…?!" else ".")


def fields(code):
    """The names that a declaration declares: 'double mse = 0, max = 0;' → mse, max."""
    without = re.sub(r"\{[^{}]*\}|\([^()]*\)", "", code.rstrip(";,"))
    while re.search(r"<[^<>]*>", without):
        without = re.sub(r"<[^<>]*>", "", without)
    return [re.search(r"(\w+)\s*(?:=.*)?$", part).group(1) for part in without.split(",")
            if re.search(r"(\w+)\s*(?:=.*)?$", part)]


class Header:
    def __init__(self):
        self.docs, self.scope, self.above, self.statement = {}, [], [], ""

    def add(self, name, lines):
        key = "::".join([*[part for part in self.scope if part not in ("", "humpty")], name])
        if text := sentence(lines):
            self.docs[key] = f"{self.docs[key]} {text}" if key in self.docs else text

    def declare(self, code, trailing):
        lines = [*self.above, *trailing]
        if "(" in re.sub(r"=.*", "", code) and (found := FUNCTION.search(code)):
            self.add(found["name"], lines)
        else:
            for name in fields(code):
                self.add(name, lines)
        self.above = []

    def line(self, line):
        text = line.strip()
        if not text or text.startswith("// ---"):
            self.above = []
        elif text.startswith("//"):
            self.above.append(text.lstrip("/ "))
        elif text.startswith("}") and not self.statement:
            self.scope.pop()
            self.above = []
        elif (opening := OPENING.match(TRAILING.sub(r"\g<code>", text))) and not self.statement:
            if opening["type"]:
                self.add(opening["type"], self.above)
            self.scope.append(opening["space"] or opening["type"])
            self.above = []
        else:
            self.part(text)

    def part(self, text):
        trailing = TRAILING.match(text)
        code, words = (trailing["code"], [trailing["text"]]) if trailing else (text, [])
        self.statement += " " + code
        depth = self.statement.count("{") - self.statement.count("}")
        if depth == 0 and code.rstrip()[-1:] in ";},":
            if not (code.endswith(",") and self.statement.count("(") > self.statement.count(")")):
                self.declare(self.statement, words)
                self.statement = ""


def main(header, output):
    parsed = Header()
    with open(header, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                parsed.line(line)
    with open(output, "w", encoding="utf-8") as file:
        for name, text in parsed.docs.items():
            file.write(f"{{{json.dumps(name)}, {json.dumps(text, ensure_ascii=False)}}},\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
