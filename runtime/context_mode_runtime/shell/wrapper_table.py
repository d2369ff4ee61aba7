"""Programs that run another program, as data: options that take a value, own words, options with shell text."""

from __future__ import annotations

SHELLS = {
    **dict.fromkeys(("sh", "dash", "ash", "busybox-sh"), "sh"),
    **dict.fromkeys(("bash", "rbash"), "bash"),
    **dict.fromkeys(("ksh", "ksh93", "mksh", "pdksh", "oksh"), "ksh"),
    "zsh": "zsh",
    "fish": "fish",
    **dict.fromkeys(("pwsh", "powershell"), "powershell"),
    "cmd": "cmd",
}
"""Program name to dialect."""

WRAPPERS: dict[str, tuple[str, int]] = {
    "env": ("-u --unset -C --chdir -P -L -U -a --argv0", 0),
    "sudo": ("-u -g -U -p -C -D -R -T -r -t -h -c -a --user --group --prompt --chdir --chroot --host --role --type", 0),
    "doas": ("-u -C -a", 0),
    "pkexec": ("--user -u", 0),
    "run0": ("-u --user -g --group -D --chdir --unit --property --setenv --slice --nice", 0),
    "nohup": ("", 0),
    **dict.fromkeys(("timeout", "gtimeout"), ("-s --signal -k --kill-after", 1)),
    **dict.fromkeys(("time", "gtime"), ("-f --format -o --output", 0)),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c --class -n --classdata -p -P -u", 0),
    "chrt": ("-T --sched-runtime -P --sched-period -D --sched-deadline", 1),
    "taskset": ("", 1),
    "numactl": ("-i -p -P -w -m -N -C --interleave --preferred --membind --cpunodebind --physcpubind", 0),
    "stdbuf": ("-i -o -e --input --output --error", 0),
    "setsid": ("", 0),
    **dict.fromkeys(("flatpak-spawn", "distrobox-host-exec"), ("", 0)),
    **dict.fromkeys(("setarch", "x86_64", "i386", "aarch64", "linux32", "linux64"), ("", 0)),
    "arch": ("-e -d", 0),
    "caffeinate": ("-t -w", 0),
    "chroot": ("--userspec --groups", 1),
    "command": ("", 0),
    "builtin": ("", 0),
    "exec": ("-a", 0),
    **dict.fromkeys(("noglob", "nocorrect"), ("", 0)),
    "-": ("", 0),
    "repeat": ("", 1),
    "coproc": ("", 0),
    **dict.fromkeys(
        ("xargs", "gxargs"),
        (
            (
                "-a --arg-file -d --delimiter -E -I -J -L -l -n --max-args -P --max-procs -R -S -s --max-chars "
                "--max-lines --replace --process-slot-var"
            ),
            0,
        ),
    ),
    "flock": ("-w --wait --timeout -E --conflict-exit-code", 1),
    "unshare": ("-S --setuid -G --setgid -R --root -w --wd --map-user --map-group --propagation --setgroups", 0),
    "nsenter": ("-t --target -S --setuid -G --setgid -N --net-socket", 0),
    "systemd-run": (
        (
            "-p --property -u --unit --slice --description --uid --gid --nice -E --setenv --working-directory -M "
            "--machine -H --host --on-active --on-boot --on-calendar --on-unit-active --timer-property --service-type"
        ),
        0,
    ),
    "systemd-inhibit": ("--what --who --why --mode", 0),
    "strace": ("-e -o -p -s -S -u -E -a -b -I -O -P -X --trace --output --attach --string-limit --user --env", 0),
    "ltrace": ("-e -o -p -s -S -u -a -n -A -D -F -l -x -w --output", 0),
    "valgrind": ("", 0),
    "fakeroot": ("-l --lib -s -i -b", 0),
    "proot": ("-r -b -w -q -k --rootfs --bind --cwd", 0),
    "firejail": ("", 0),
    "setpriv": ("--ruid --euid --rgid --egid --reuid --regid --groups --inh-caps --bounding-set --securebits", 0),
    "prlimit": ("-p --pid -o --output", 0),
    "cgexec": ("-g", 0),
    "chpst": ("-u -U -b -e -/ -n -l -L -m -d -o -p -f -c -r -t", 0),
    "softlimit": ("-a -c -d -f -l -m -o -p -r -s -t", 0),
    "setlock": ("", 1),
    "dbus-run-session": ("--config-file", 0),
    "dbus-launch": ("", 0),
    "xvfb-run": ("-e -f -n -p -s -w --error-file --auth-file --server-num --server-args --xauth-protocol --wait", 0),
    "unbuffer": ("", 0),
    "ssh-agent": ("-a -t -P -E", 0),
    "aws-vault": ("", 2),
    "watch": ("-n --interval -q --equexit", 0),
    "viddy": ("-n --interval", 0),
    "entr": ("", 0),
    "reflex": ("-r -g -R -G", 0),
    "parallel": (
        "-j --jobs -a --arg-file -I -N -n -L -S --sshlogin --colsep -C -d --delay --timeout --joblog --tagstring",
        0,
    ),
    "hyperfine": (
        (
            "-w --warmup -m --min-runs -M --max-runs -r --runs -p --prepare -c --cleanup -s --setup -L -P -S --shell "
            "-n --command-name --export-json --export-markdown --export-csv"
        ),
        0,
    ),
    "busybox": ("", 0),
    "toybox": ("", 0),
    "cpulimit": ("-l --limit -p --pid -e --exe", 0),
    "setuidgid": ("", 1),
    "faketime": ("-f -p", 1),
    **dict.fromkeys(("eatmydata", "chronic", "ifne", "catchsegv", "run-one", "zargs", "disown"), ("", 0)),
    "rlwrap": ("-b -c -C -D -f -F -g -H -l -N -p -P -q -S -s -t -w -z", 0),
    "logsave": ("", 1),
    **dict.fromkeys(
        ("ld.so", "ld-linux-x86-64.so.2", "ld-linux.so.2", "ld-linux-aarch64.so.1", "ld-musl-x86_64.so.1"),
        ("--library-path --preload --audit --argv0 --inhibit-rpath", 0),
    ),
    "retry": ("-t --times -d --delay -n -s", 0),
    "cross-env": ("", 0),
    "sem": ("-j --jobs --id", 0),
    "jobs": ("", 0),
    "sandbox-exec": ("-p -f -n -D", 0),
    "capsh": ("", 0),
    "call": ("", 0),
    "runas": ("", 0),
    "direnv": ("", 2),
    "dotenv": ("-f -e -v", 0),
    "npx": ("-p --package", 0),
    "bunx": ("", 0),
    "uvx": ("--from --with -p --python", 0),
    "rtk": ("", 0),
    "wsl": ("-d --distribution -u --user --cd", 0),
    "winpty": ("", 0),
    "gosu": ("", 1),
    "su-exec": ("", 1),
    "tini": ("", 0),
    "dumb-init": ("", 0),
    "with-contenv": ("", 0),
    "and": ("", 0),
    "or": ("", 0),
    "not": ("", 0),
}
"""Program to (options that take the next word, words of its own before the inner command)."""

TWO_WORDS = {
    ("uv", "run"): "--with --python -p --env-file --extra --group --package --project --directory --index",
    ("poetry", "run"): "",
    ("pipenv", "run"): "",
    ("pdm", "run"): "",
    ("hatch", "run"): "",
    ("rye", "run"): "",
    ("pixi", "run"): "-e --environment --manifest-path",
    ("conda", "run"): "-n --name -p --prefix --cwd",
    ("mamba", "run"): "-n --name -p --prefix --cwd",
    ("bundle", "exec"): "",
    ("mise", "exec"): "-C --cd",
    ("mise", "x"): "-C --cd",
    ("asdf", "exec"): "",
    ("rbenv", "exec"): "",
    ("pyenv", "exec"): "",
    ("npm", "exec"): "-p --package",
    ("pnpm", "exec"): "",
    ("yarn", "exec"): "",
    ("op", "run"): "--env-file --account",
    ("doppler", "run"): "-p -c --project --config",
    ("heroku", "local:run"): "",
    **dict.fromkeys(
        (("perf", "stat"), ("perf", "record"), ("perf", "trace"), ("perf", "mem")),
        "-e -o -p -t -C -F -r -I -x -c -m --event --output --repeat",
    ),
    ("pnpm", "dlx"): "",
    ("yarn", "dlx"): "-p",
    ("cmake", "-E"): "",
    ("mix", "cmd"): "",
}
"""Program and sub-command in front of another program, with the options that take the next word."""

BEHIND: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("fd", "fdfind"), ("-x", "--exec", "-X", "--exec-batch")),
    **dict.fromkeys(
        ("xterm", "konsole", "alacritty", "urxvt", "st", "terminator", "kitty", "foot"), ("-e", "-x", "--")
    ),
    **dict.fromkeys(("gnome-terminal", "xfce4-terminal", "mate-terminal", "tilix"), ("--", "-x", "-e")),
    "nix": ("-c", "--command"),
    **dict.fromkeys(("guix", "opam", "stack", "cabal", "zellij", "watchexec", "zargs"), ("--",)),
    "start-stop-daemon": ("-x", "--exec", "-a", "--startas"),
    "gdb": ("--args",),
    "dotenv": ("--",),
}
"""Option behind which a command stands."""

TEXT_WORDS = frozenset(("concurrently", "npm-run-all", "pee", "watchexec", "cross-env-shell", "mprocs"))
"""Each word of theirs with a blank in it is shell text."""

ASSIGNING = frozenset(("env", "sudo", "doas", "dotenv", "systemd-run", "cross-env"))
"""`name=value` may stand in front of the inner command."""

JOINING = frozenset(("watch", "viddy", "parallel", "hyperfine"))
"""They hand their words to a shell as one text."""

QUERIES = {
    "command": ("-v", "-V"),
    "sudo": ("-l", "-v", "-k", "-K", "-e", "--list"),
    "ionice": ("-p", "-P", "-u"),
    "jobs": ("-l", "-p", "-r", "-s", "-n"),
}
"""With one of these options nothing is run."""

TEXT_OPTIONS = {
    **dict.fromkeys(("su", "runuser"), ("-c", "--command", "--session-command")),
    "script": ("-c", "--command"),
    "flock": ("-c", "--command"),
    "nix-shell": ("--run", "--command"),
    "env": ("-S", "--split-string"),
    "capsh": ("-c",),
    "entr": ("-s",),
    "hyperfine": ("-p", "--prepare", "-c", "--cleanup", "-s", "--setup", "--conclude"),
    "nodemon": ("-x", "--exec"),
    "chokidar": ("-c", "--command"),
    **dict.fromkeys(("npx", "npm", "pnpm", "yarn"), ("-c", "--call", "--shell-mode")),
    "rsync": ("-e", "--rsh"),
    "zip": ("-TT", "--unzip-command"),
    "sort": ("--compress-program",),
    "split": ("--filter",),
    "man": ("-P", "--pager"),
    "ncat": ("-c", "--sh-exec", "-e", "--exec"),
    **dict.fromkeys(("nc", "netcat"), ("-e", "-c")),
    "install": ("--strip-program",),
    "fzf": ("--preview",),
    "rg": ("--pre",),
    "cargo": ("-s", "--shell"),
    "just": ("--command",),
    **dict.fromkeys(("mapfile", "readarray"), ("-C",)),
    **dict.fromkeys(("complete", "compgen"), ("-C",)),
    "fc": ("-e",),
    **dict.fromkeys(("scp", "sftp"), ("-S", "-D")),
    "tcpdump": ("-z",),
    "tar": (
        "--to-command",
        "--checkpoint-action",
        "-I",
        "--use-compress-program",
        "--rsh-command",
        "-F",
        "--info-script",
    ),
}
"""Option whose value is shell text."""

TEXT_VARIABLES = {
    **dict.fromkeys(("PROMPT_COMMAND", "PAGER", "GIT_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "SHELL"), True),
    **dict.fromkeys(("GIT_SEQUENCE_EDITOR", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS"), True),
    **dict.fromkeys(("SSH_ASKPASS", "MANPAGER", "LESSOPEN", "LESSCLOSE", "BROWSER", "FZF_DEFAULT_COMMAND"), True),
    **dict.fromkeys(("RSYNC_RSH", "CVS_RSH", "GIT_PROXY_COMMAND", "SYSTEMD_PAGER", "SUDO_EDITOR"), True),
    **dict.fromkeys(("PS0", "PS1", "PS2", "PS4", "BASH_ENV", "ENV", "PROMPT", "RPROMPT"), False),
}
"""Variables whose value is run: as a command line (True), or for the substitutions in it."""

DECLARING = frozenset(("export", "declare", "local", "readonly", "typeset"))
"""Builtins behind which `name=value` is an assignment."""
BUSY = frozenset(
    (
        *(*WRAPPERS, *SHELLS, *BEHIND, *TEXT_OPTIONS, *TEXT_WORDS, *DECLARING, *(pair[0] for pair in TWO_WORDS)),
        *("alias", "eval", "find", "gfind", "ip", "screen", "sg", "tmux", "trap", "abbr", "cp", "hash", "integer"),
        *("ln", "mv", "nameref", "read", "set", "shift", "tee", "printf", "let", "[", "[[", "test", "unset", "wait"),
        "source",
        *(".", "at", "batch", "crontab", "awk", "gawk", "mawk", "nawk", "bind", "make", "gmake", "bmake", "remake"),
        *("bwrap", "git", "gh", "socat", "ssh", "ssh-copy-id", "sed", "gsed", "expect", "dc", "ed", "ex", "emacs"),
        *("emacsclient", "ftp", "telnet", "gdb", "lldb", "less", "more", "vi", "vim", "view", "gvim", "nvim"),
        "vimdiff",
        *("mysql", "mariadb", "psql", "sqlite3", "chokidar", "conhost", "forfiles", "icim", "iex", "iwmi", "psexec"),
        *("invoke-cimmethod", "invoke-expression", "invoke-wmimethod", "nal", "new-alias", "new-scheduledtaskaction"),
        *("sal", "saps", "schtasks", "set-alias", "start", "start-process", "start-threadjob", "wmic"),
        *("@command", "@commandline", "@execute", "@filepath", ".addscript", ".create", ".exec", ".filename", ".shell"),
        *(".invokescript", ".newscriptblock", ".run", ".shellexecute", ".start"),
    )
)
"""Programs that may start another, or change what a text knows: all others need no look."""
ONLY_WITH = {
    "git": (
        *("-c", "archive", "bisect", "clone", "config", "difftool", "ext::", "fetch", "filter-branch", "for-each-repo"),
        *("grep", "ls-remote", "pull", "push", "rebase", "send-pack", "submodule"),
    ),
    "npm": ("-c", "--c", "exec", "--s"),
}
"""They do so only with a word that begins with one of these."""
