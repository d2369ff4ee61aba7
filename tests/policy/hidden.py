"""Random shell text that hides a command: each form wraps the text of another."""

from __future__ import annotations

import random

DEPTH = 6
DECOYS = (
    *("true", ":", "echo 'rm q'", 'echo "rm; q"', "false", "n=1", "echo a | cat", "cat </dev/null", "[ a = b ]"),
    *("[[ a == b ]]", "(( 1 ))", "echo $(echo z)", "# it's a comment\ntrue", "echo \\;", "case q in rm) ;; esac"),
    *("cat <<E >/dev/null\nrm q\nE\n:", "f0() { echo x; }", "for i in rm; do echo $i; done", "arr=(rm q)"),
    "echo ${#n}",
)
LISTS = (
    *("@D\n@S", "@S\n@D", "true && { @S\n}", "false || { @S\n}", "if true; then @S\nfi", "if @S\nthen :; fi"),
    *("if false; then :; else @S\nfi", "for i in 1; do @S\ndone", "while :; do @S\nbreak; done"),
    "until @S\ndo break; done",
    *("case a in a) @S\n;; esac", "case a in (b) ;; *) @S\nesac", "[[ a == a ]] && { @S\n}", "@D; @D\n@S"),
    "{ @D\n@S\n}",
)
GROUPS = (
    *("(@S\n)", "{ @S\n}", "echo $(@S\n)", 'echo "$(@S\n)"', "@N=$(@S\n)", "cat <(@S\n)", ": ${zz:-$(@S\n)}"),
    *("echo a > >(@S\n); wait; sleep 0.01", "{ @S\n} | cat", "true | { @S\n}", "(@S\n) >/dev/null 2>&1"),
    *("cat <<E\n$(@S\n)\nE\n", "{ @S\n} & wait", '[ -n "$(@S\n)" ]', "(( ${zz:-0} + $(@S\necho 1) ))", "trap @Q EXIT"),
    *("@N() { @S\n}; @N", "function @N { @S\n}\n@N", "@N() (@S\n); @N", "a[$(@S\n)]=1", "echo ${arr[$(@S\n)]}"),
    *("case $(@S\n) in *) ;; esac", "for i in $(@S\n); do :; done", "export @N=$(@S\n)", "cat <<< $(@S\n)"),
    "(@S\n) &\nwait",
)
HANDED = (
    *("sh -c @Q", "bash -c @Q", "eval @Q", "eval -- @Q", "bash -ec @Q _ q", "env bash -c @Q", '@N=@Q; eval "$@N"'),
    *('@N=@Q; bash -c "$@N"', "export @N=@Q; bash -c 'eval \"$@N\"'", "bash -c 'eval \"$1\"' _ @Q", "command eval @Q"),
    *("bash -c 'bash -c \"$0\"' @Q", 'set -- @Q; eval "$1"', '@N() { eval "$1"; }; @N @Q', "builtin eval @Q"),
    *('@N=(bash -c @Q); "${@N[@]}"', "xargs -0 bash -c @Q </dev/null", "find . -maxdepth 0 -exec bash -c @Q \\;"),
    *("bash +e -c @Q", "nice bash -c @Q", "timeout -k 1 5 bash -c @Q", "(exec bash -c @Q)", "coproc bash -c @Q; wait"),
    *("@N=@Q bash -c 'eval \"$@N\"'", 'local_() { local @N=@Q; eval "$@N"; }; local_', "x=-c; bash $x @Q"),
)
FED = (
    *("bash <<< @Q", "bash -s q <<< @Q", "printf '%s\\n' @Q | bash", "printf %s @Q | bash"),
    "printf %s @Q | cat | bash",
    *("printf %s @Q | tee o1 | bash", "printf %s @Q | env bash", "printf %s @Q | { bash; }"),
    "printf %s @Q | (true; bash)",
    *("{ printf %s @Q; } | bash", "(printf %s @Q) | bash -s", ". /dev/stdin <<< @Q", "source <(printf %s @Q)"),
    *("bash <(printf %s @Q)", "bash < <(printf %s @Q)", 'eval "$(printf %s @Q)"', 'bash -c "$(printf %s @Q)"'),
    *("printf %s @Q > @N; bash @N", "printf %s @Q > @N; . ./@N", "printf %s @Q > @N; bash < @N"),
    "{ printf %s @Q; } > @N; bash @N",
    *("bash <<'E@N'\n@S\nE@N\n", "cat <<'E@N' | bash\n@S\nE@N\n", "cat > @N <<'E@N'\n@S\nE@N\nbash @N"),
    *("@N=$(cat <<'E@N'\n@S\nE@N\n); eval \"$@N\"", "@N() { bash; }; printf %s @Q | @N"),
    "printf %s @Q | xargs -0 bash -c",
    *("read -r -d '' @N <<< @Q; eval \"$@N\"", 'mapfile @N <<< @Q; eval "${@N[*]}"'),
    "printf %s @Q | xargs -0 -I@ bash -c @",
    *("if true; then printf %s @Q; fi | bash", "for i in 1; do printf %s @Q; done | bash"),
    "case a in a) printf %s @Q;; esac | bash",
    *("printf %s @Q | if true; then bash; fi", "exec 3<<< @Q; bash <&3", "bash /dev/fd/3 3<<< @Q"),
    *("tee >(bash) <<< @Q; sleep 0.01", "@N() { printf %s @Q; }; @N | bash", '@N() { printf %s @Q; }; eval "$(@N)"'),
    "bash --rcfile <(printf %s @Q) -i -c :",
    *("BASH_ENV=<(printf %s @Q) bash -c :", "printf %s @Q > @N; cat @N | bash", 'printf %s @Q > @N; eval "$(<@N)"'),
)
CALLS = (
    *('@N() { "$@"; }; @N @W', "@N() { shift; $*; }; @N q @W", '@N() { local @M=$1; shift; $@M "$@"; }; @N @W'),
    *('@N() { @M "$@"; }; @M() { "$@"; }; @N @W', "@N() { $@M @R; }; @M=@F; @N", "@N() { echo @F; }; $(@N) @R"),
    *("shopt -s expand_aliases\nalias @N=@F\n@N @R", "shopt -s expand_aliases\nalias @N='@F q'\n@N"),
    *("for @N in true @F; do $@N @R; done", "for @N in {@F,true}; do $@N @R; done", "declare -n @N=@M; @M=@F; $@N @R"),
    *("@N=@M; @M=@F; ${!@N} @R", "IFS=,; @N=@F,@R; $@N", "declare -A @N=([k]=@F); ${@N[k]} @R"),
    *("@N=@1; @N+=@2; $@N @R", "echo @W | { read @N @M; $@N $@M; }", "while read @N @M; do $@N $@M; done <<< '@W'"),
    "printf '%s\\n' @W | xargs env",
    *("echo @R | xargs @F", ": @F; $_ @R", "{@F,@R}", "@1{@2,q} @R", 'hash -p "$STUBS/@F" @N; @N @R'),
    *('PROMPT_COMMAND=@P; eval "$PROMPT_COMMAND"', "mapfile -t @N < <(printf '%s\\n' @W); \"${@N[@]}\""),
    '"$STUBS"/@1? @R',
    *('@N=(@W); "${@N[@]}"', '@N=(q @W); "${@N[@]:1}"', 'set -- @W; "$@"', "set -- q @W; shift; $1 $2"),
    'set -- q @W; "${@:2}"',
    *("@N=@1; @M=@2; $@N$@M @R", "read -a @N <<< '@W'; \"${@N[@]}\"", "echo '@W' | while read -r @N; do $@N; done"),
    *("$zz @W", "@N() { @M=@F; }; @N; $@M @R", "for @N in @1 q; do for @M in @2 q; do $@N$@M @R; done; done"),
    "$(echo @1)$(echo @2) @R",
    *("case a in a) @N=@F;; esac; $@N @R", "@N=q; if true; then @N=@F; fi; $@N @R", "@N=@F; (@N=q); $@N @R"),
    "@N=@F; @N=q true; $@N @R",
    *("let @N=1; @W", "@N=@F @M=1; $@N @R", "find . -maxdepth 0 -exec @W \\;", 'env -i PATH="$PATH" LOG="$LOG" @W'),
    "env -S '@W'",
    *("nohup nice timeout 5 stdbuf -oL setsid -w @W", "xargs -a /dev/null @W", "command -- @W", "builtin command @W"),
    *("(exec @W)", "time @W", "! @W", "coproc @W; wait", "echo q | xargs @W", "A=1 >o @W", "2>&1 @W </dev/null"),
    *("trap @P DEBUG; :", "@W & wait"),
)
VALUES = (
    *(
        ("@F", "$@N"),
        ("@F", "${@N}"),
        ("@P", '"$@N"'),
        ("@Fzz", "${@N%zz}"),
        ("@F.a.b", "${@N%%.*}"),
        ("zz@F", "${@N#zz}"),
    ),
    *(
        ("a/b/@F", "${@N##*/}"),
        ("z@F", "${@N/z/}"),
        ("q@Fq", "${@N:1:@L}"),
        ("(q @F)", "${@N[1]}"),
        ("(@F q)", "${@N[0]}"),
    ),
    *(
        ("(@F)", "${@N[@]}"),
        ("$(echo @F)", "$@N"),
        ("`echo @F`", "$@N"),
        ("@U", "${@N,,}"),
        ("@F", "${@N:-q}"),
        ("@F", "${@N:+$@N}"),
    ),
    *(("q@F", "${@N:1}"), ("(q @F)", "${@N[-1]}"), ("@F", "${@N@Q}"), ("$(printf %s @F)", '"$@N"'), ("$'@F'", "$@N")),
)
SPELLED = (
    *("${zz:-@F}", "${zz-@F}", "${zz:=@F}", "${PATH:+@F}", "${zz}@F", "@F$zz", "$(echo @F)", "$(printf %s @F)"),
    "`echo @F`",
    *("$(printf '@F')", "$(echo -n @F | cat)", "$(cat <<< @F)", "$(if true; then echo @F; fi)", "$(true; echo @F)"),
    '${zz-"@F"}',
)


class Hider:
    """Makes texts that run `command` (a program and one word), mostly; the same number gives the same text."""

    def __init__(self, seed: int, command: tuple[str, str]) -> None:
        self.random = random.Random(seed)
        self.first, self.rest = command
        self.number = 0

    def text(self) -> str:
        """A whole text."""
        return self.statement(self.random.randint(0, DEPTH))

    def statement(self, depth: int) -> str:
        """A statement that runs the command, in `depth` forms."""
        if depth <= 0:
            return (
                self.filled(self.random.choice(CALLS), "", self.first) if self.random.random() < 0.5 else self.plain()
            )
        forms = self.random.choice((LISTS, GROUPS, HANDED, HANDED, FED, FED))
        return self.filled(self.random.choice(forms), self.statement(depth - 1), self.first)

    def filled(self, form: str, inner: str, word: str) -> str:
        """`form` with its marks replaced: @S the text, @Q it quoted, @N and @M new names, @D a decoy, else words."""
        self.number += 1
        words = {
            "@N": f"n{self.number}",
            "@M": f"m{self.number}",
            "@D": self.random.choice(DECOYS),
            "@F": word,
            "@U": word.upper(),
            "@R": self.rest,
            "@1": word[:1],
            "@2": word[1:],
            "@L": str(len(word)),
            "@W": f"{word} {self.rest}",
            "@P": self.quoted(word if form == "@P" else f"{word} {self.rest}"),
            "@Q": self.quoted(inner),
            "@S": inner,
        }
        out, at = [], 0
        while at < len(form):
            mark = form[at : at + 2]
            out.append(words.get(mark, mark[:1]))
            at += 2 if mark in words else 1
        return "".join(out)

    def plain(self) -> str:
        """The command, its words spelled one way or another."""
        before: list[str] = []
        words = [self.spelled(word, before) for word in (self.first, self.rest)]
        return self.random.choice(("; ", "\n")).join([*before, self.random.choice((" ", "  ", "\t")).join(words)])

    def spelled(self, word: str, before: list[str]) -> str:
        """An expression whose value is `word`; statements it needs go to `before`."""
        form = self.random.randint(0, 6)
        if form == 0 and len(word) > 1:
            cut = self.random.randint(1, len(word) - 1)
            return self.spelled(word[:cut], before) + self.spelled(word[cut:], before)
        if form == 1:
            return self.quoted(word)
        if form == 2:
            return "".join(
                self.random.choice((c, "\\" + c, f"'{c}'", f'"{c}"', c + "''", f"$'{c}'", c + "\\\n")) for c in word
            )
        if form == 3:
            made = [self.random.choice((f"\\x{ord(c):02x}", f"\\{ord(c):03o}", f"\\u{ord(c):04x}", c)) for c in word]
            return "$'" + "".join(made) + "'"
        if form == 4:
            return self.filled(self.random.choice(SPELLED), "", word)
        value, use = self.random.choice(VALUES)
        value = self.filled(value, "", word)
        before.append(f"v{self.number}={value}")
        return use.replace("@N", f"v{self.number}").replace("@L", str(len(word)))

    def quoted(self, text: str) -> str:
        """`text` as one word."""
        form = self.random.randint(0, 3)
        if form == 0:
            return '"' + "".join("\\" + c if c in '"$`\\' else c for c in text) + '"'
        if form == 1:
            return "$'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"
        if form == 2 and len(text) > len("abc"):
            cut = self.random.randint(1, len(text) - 1)
            return self.quoted(text[:cut]) + self.quoted(text[cut:])
        return "'" + text.replace("'", "'\\''") + "'"
