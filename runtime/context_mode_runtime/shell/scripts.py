"""The shell commands in scripts of sed, awk, make and cron."""

from __future__ import annotations


def sed_runs(script: str) -> list[str]:
    """What `e` and the flag `e` of `s` run; an empty text where it is the lines themselves."""
    found: list[str] = []
    at = 0
    while at < len(script):
        at = _behind_address(script, at)
        letter = script[at : at + 1]
        end = script.find("\n", at)
        end = len(script) if end < 0 else end
        if letter == "e":
            found.append(script[at + 1 : end].strip())
        elif letter in ("s", "y"):
            pieces, end = _delimited(script, at + 1)
            if letter == "s" and "e" in _flags(script, end):
                found.append(pieces[1])
            end += len(_flags(script, end))
        elif letter not in ("a", "i", "c", "r", "w", "R", "W", "#", ":", "b", "t", "T"):
            stop = script.find(";", at)
            end = min(end, stop if stop >= 0 else end)
            end = at + 1 if letter == "{" else end
        at = end + 1 if script[end : end + 1] in (";", "\n", "}") else max(end, at + 1)
    return found


def sed_commands(script: str) -> list[str]:
    """What the commands `e` and the flag `e` of `s` run."""
    return [text for text in sed_runs(script) if text]


def _flags(script: str, at: int) -> str:
    end = at
    while end < len(script) and script[end] in "gpieImM0123456789":
        end += 1
    return script[at:end]


def _delimited(script: str, at: int) -> tuple[list[str], int]:
    """The two parts between the delimiters of `s` and the index behind the last."""
    sign = script[at : at + 1]
    pieces = ["", ""]
    number, at = 0, at + 1
    while at < len(script) and number < len(pieces):
        if script[at] == "\\" and at + 1 < len(script):
            pieces[number] += script[at : at + 2]
            at += 2
        elif script[at] == sign:
            number += 1
            at += 1
        else:
            pieces[number] += script[at]
            at += 1
    return pieces, at


def _behind_address(script: str, at: int) -> int:
    while at < len(script):
        c = script[at]
        if c in "/\\" and c == "/":
            at += 1
            while at < len(script) and script[at] != "/":
                at += 2 if script[at] == "\\" else 1
            at += 1
        elif c.isdigit() or c in " \t\n;,$!+~{}" or (c == "I" and at and script[at - 1] == "/"):
            at += 1
        else:
            break
    return at


def awk_commands(program: str) -> list[str]:
    """The literals that stand at a pipe or in `system(...)`, neighbours joined."""
    found: list[str] = []
    at = program.find('"')
    while at >= 0:
        before = program[:at].rstrip()
        text, at = _joined(program, at)
        after = program[at:].lstrip()
        piped = before.endswith(("|", "|&")) and not before.endswith("||")
        if piped or before.endswith("system(") or (after.startswith("|") and not after.startswith("||")):
            found.append(text)
        at = program.find('"', at)
    return found


def _joined(program: str, at: int) -> tuple[str, int]:
    """The literal at `at` with those right behind it, and the index behind them."""
    out: list[str] = []
    while program[at : at + 1] == '"':
        at += 1
        while at < len(program) and program[at] != '"':
            step = 2 if program[at] == "\\" else 1
            out.append(program[at + step - 1 : at + step])
            at += step
        at += 1
        rest = at
        while program[rest : rest + 1] in (" ", "\t"):
            rest += 1
        at = rest if program[rest : rest + 1] == '"' else at
    return "".join(out), at


def recipes(text: str) -> list[str]:
    """The shell lines of a makefile."""
    found: list[str] = []
    for line in text.split("\n"):
        head, cut, rest = line.partition(";")
        if line[:1] == "\t":
            found.append(line.strip().lstrip("@-+ "))
        elif cut and ":" in head:
            found.append(rest.strip().lstrip("@-+ "))
        _, cut, rest = line.partition("$(shell ")
        if cut:
            found.append(rest.rpartition(")")[0])
    return found


def of_ssh(text: str) -> list[str]:
    """The commands in a configuration of ssh."""
    found: list[str] = []
    for line in text.split("\n"):
        key, _, value = line.strip().replace("=", " ", 1).partition(" ")
        if key.lower() in ("proxycommand", "localcommand", "knownhostscommand"):
            found.append(value.strip(' ="'))
        elif key.lower() == "match":
            found.append(value.partition("exec ")[2].strip().strip('"'))
    return found


def of_lua(text: str) -> list[str]:
    """The commands that a script in Lua starts by a literal."""
    pieces = [piece for call in ("os.execute", "io.popen") for piece in text.split(call)[1:]]
    return [piece.lstrip(" (")[1:].partition(piece.lstrip(" (")[:1])[0] for piece in pieces if piece.lstrip(" (")]


def of_crontab(line: str) -> str:
    """The command of a line of a crontab."""
    fields = line.split(None, 1 if line.startswith("@") else 5)
    return fields[-1] if len(fields) in (2, 6) else ""
