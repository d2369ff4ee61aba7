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
    "env": ("-u --unset -C --chdir -P -L -U", 0),
    "sudo": ("-u -g -U -p -C -D -R -T -r -t -h -c -a --user --group --prompt --chdir --chroot --host --role --type", 0),
    "doas": ("-u -C -a", 0),
    "pkexec": ("--user -u", 0),
    "run0": ("-u --user -g --group -D --chdir --unit --property --setenv --slice --nice", 0),
    "nohup": ("", 0),
    "timeout": ("-s --signal -k --kill-after", 1),
    "gtimeout": ("-s --signal -k --kill-after", 1),
    "time": ("-f --format -o --output", 0),
    "gtime": ("-f --format -o --output", 0),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c --class -n --classdata -p -P -u", 0),
    "chrt": ("-T --sched-runtime -P --sched-period -D --sched-deadline", 1),
    "taskset": ("", 1),
    "numactl": ("-i -p -P -w -m -N -C --interleave --preferred --membind --cpunodebind --physcpubind", 0),
    "stdbuf": ("-i -o -e --input --output --error", 0),
    "setsid": ("", 0),
    **dict.fromkeys(("flatpak-spawn", "distrobox-host-exec"), ("", 0)),
    "setarch": ("", 1),
    "linux32": ("", 0),
    "linux64": ("", 0),
    "arch": ("-e -d", 0),
    "caffeinate": ("-t -w", 0),
    "chroot": ("--userspec --groups", 1),
    "command": ("", 0),
    "builtin": ("", 0),
    "exec": ("-a", 0),
    "noglob": ("", 0),
    "nocorrect": ("", 0),
    "-": ("", 0),
    "repeat": ("", 1),
    "coproc": ("", 0),
    "xargs": (
        (
            "-a --arg-file -d --delimiter -E -I -J -L -l -n --max-args -P --max-procs -R -S -s --max-chars "
            "--max-lines --replace --process-slot-var"
        ),
        0,
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
    "perf": ("-e -o -p -t -C -F", 1),
    "fakeroot": ("-l --lib -s -i -b", 0),
    "proot": ("-r -b -w -q -0 -k --rootfs --bind --cwd", 0),
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
    "start": ("/d /node /affinity", 0),
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
}
"""Program and sub-command in front of another program, with the options that take the next word."""

TEXT_OPTIONS = {
    "su": ("-c", "--command", "--session-command"),
    "runuser": ("-c", "--command", "--session-command"),
    "script": ("-c", "--command"),
    "flock": ("-c", "--command"),
    "nix-shell": ("--run", "--command"),
    "xterm": ("-e",),
    "env": ("-S", "--split-string"),
}
"""Option whose value is shell text."""
