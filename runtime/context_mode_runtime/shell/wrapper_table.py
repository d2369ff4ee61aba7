"""Programs in front of another program, as data: options that take a value, own words, sub-commands."""

from __future__ import annotations

SHELLS = {
    **dict.fromkeys(("sh", "dash", "ash", "busybox-sh", "posh", "yash", "hush", "bosh", "sash", "execlineb"), "sh"),
    **dict.fromkeys(("csh", "tcsh", "elvish", "nu", "xonsh"), "sh"),
    **dict.fromkeys(("bash", "rbash", "bash-static", "osh", "ysh"), "bash"),
    **dict.fromkeys(("ksh", "ksh93", "ksh2020", "mksh", "pdksh", "oksh", "lksh", "loksh", "rksh"), "ksh"),
    **dict.fromkeys(("zsh", "zsh5", "rzsh", "zsh-static"), "zsh"),
    "fish": "fish",
    **dict.fromkeys(("pwsh", "powershell"), "powershell"),
    "cmd": "cmd",
}
"""Program name to dialect; shells of other kinds are read as the one that is next to them."""

WRAPPERS: dict[str, tuple[str, int]] = {
    "env": ("-u --unset -C --chdir -P -L -U -a --argv0", 0),
    **dict.fromkeys(
        ("sudo", "sudo-rs", "dzdo"),
        (
            (
                "-u -g -U -p -C -D -R -T -r -t -h -c -a --user --group --prompt --chdir --chroot --host --role --type "
                "--other-user --close-from --command-timeout --auth-type --login-class"
            ),
            0,
        ),
    ),
    "doas": ("-u -C -a", 0),
    **dict.fromkeys(("pkexec", "kdesu", "gksu", "gksudo", "lxsudo", "beesu"), ("--user -u -c", 0)),
    **dict.fromkeys(("pbrun", "pfexec", "super", "sesudo"), ("-u", 0)),
    "sux": ("-", 1),
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
    **dict.fromkeys(
        (
            "setarch",
            "x86_64",
            "i386",
            "i486",
            "i586",
            "i686",
            "aarch64",
            "ppc64",
            "s390x",
            "linux32",
            "linux64",
            "uname26",
        ),
        ("", 0),
    ),
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
    **dict.fromkeys(
        ("valgrind", "valgrind.bin", "callgrind", "heaptrack", "ktrace", "ocount", "sotruss", "memusage"), ("", 0)
    ),
    **dict.fromkeys(("fakeroot", "fakeroot-ng", "fakechroot", "pseudo"), ("-l --lib -s -i -b -c -d -e", 0)),
    "proot": ("-r -b -w -q -k --rootfs --bind --cwd", 0),
    **dict.fromkeys(("firejail", "sandbox", "landrun"), ("--rox --rw --ro -t -H -T -X", 0)),
    "setpriv": (
        (
            "--ruid --euid --rgid --egid --reuid --regid --groups --inh-caps --ambient-caps --bounding-set "
            "--securebits --pdeathsig --selinux-label --apparmor-profile"
        ),
        0,
    ),
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
    **dict.fromkeys(
        ("parallel", "env_parallel"),
        (
            (
                "-j --jobs -a --arg-file -I -N -n -L -S --sshlogin --colsep -C -d --delay --timeout --joblog "
                "--tagstring --rpl --block --shuf --wd --workdir --retries"
            ),
            0,
        ),
    ),
    "hyperfine": (
        (
            "-w --warmup -m --min-runs -M --max-runs -r --runs -p --prepare -c --cleanup -s --setup -L -P -S --shell "
            "-n --command-name --export-json --export-markdown --export-csv"
        ),
        0,
    ),
    **dict.fromkeys(("busybox", "busybox.static"), ("", 0)),
    "toybox": ("", 0),
    "cpulimit": ("-l --limit -p --pid -e --exe", 0),
    "setuidgid": ("", 1),
    "faketime": ("-f -p", 1),
    **dict.fromkeys(
        ("eatmydata", "chronic", "ifne", "catchsegv", "zargs", "disown", "zrun", "cronic", "shush"), ("", 0)
    ),
    **dict.fromkeys(
        ("run-one", "run-this-one", "keep-one-running", "run-one-constantly", "run-one-until-success"), ("", 0)
    ),
    **dict.fromkeys(("rlwrap", "rlfe"), ("-b -c -C -D -f -F -g -H -l -N -p -P -q -S -s -t -w -z", 0)),
    "logsave": ("", 1),
    **dict.fromkeys(
        (
            *("ld.so", "ld.so.1", "ld64.so.1", "ld64.so.2", "ld-linux.so.2", "ld-linux.so.3", "ld-linux-x86-64.so.2"),
            *("ld-linux-x32.so.2", "ld-linux-aarch64.so.1", "ld-linux-armhf.so.3", "ld-linux-riscv64-lp64d.so.1"),
            *[f"ld-musl-{machine}.so.1" for machine in ("x86_64", "i386", "aarch64", "armhf", "armv7", "riscv64")],
        ),
        (
            "--library-path --preload --audit --argv0 --inhibit-rpath --glibc-hwcaps-prepend --glibc-hwcaps-mask",
            0,
        ),
    ),
    **dict.fromkeys(
        [
            f"qemu-{machine}{kind}"
            for machine in ("x86_64", "i386", "aarch64", "arm", "riscv64", "ppc64le", "s390x")
            for kind in ("", "-static")
        ],
        ("-L -g -s -cpu -E -U -0 -B -R -D -d -p", 0),
    ),
    **dict.fromkeys(("box64", "box86", "FEXInterpreter", "rosetta", "wine", "wine64"), ("", 0)),
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
    **dict.fromkeys(("npx", "pnpx"), ("-p --package --node-options", 0)),
    "bunx": ("", 0),
    "uvx": ("--from --with -p --python", 0),
    "rtk": ("", 0),
    "wsl": ("-d --distribution -u --user --cd", 0),
    "winpty": ("", 0),
    "gosu": ("", 1),
    "su-exec": ("", 1),
    "tini": ("-p -e", 0),
    "dumb-init": ("", 0),
    "with-contenv": ("", 0),
    # Isolation, resources, users.
    "nsjail": ("-c --chroot -u --user -g --group -t --time_limit -C --config -R -B -T --cwd -E --env", 0),
    "minijail0": ("-u -g -C -b -k -e -S -f -t -V -a -P", 0),
    "schroot": ("-c --chroot -u --user -d --directory", 0),
    "aa-exec": ("-p --profile -n --namespace", 0),
    "runcon": ("-t --type -u --user -r --role -l --range", 0),
    "seunshare": ("-t -h -Z", 0),
    "choom": ("-n --adjust -p --pid", 0),
    "uclampset": ("-m -M -p", 0),
    "coresched": ("-s -d -t", 1),
    "hwloc-bind": ("", 1),
    **dict.fromkeys(("rootlesskit", "lxc-usernsexec"), ("-m", 0)),
    "lxc-unshare": ("-s -u -H -i", 0),
    "limits": ("-c -d -f -l -m -n -s -t -u -v -C -U", 0),
    **dict.fromkeys(("cpuset", "ppriv"), ("-l -c -s -d -n", 0)),
    **dict.fromkeys(("protect", "newtask", "ptime", "dtruss"), ("-p", 0)),
    **dict.fromkeys(("rtprio", "idprio", "setfib"), ("", 1)),
    "lockf": ("-t", 1),
    **dict.fromkeys(("truss", "apptrace"), ("-o -t -u -v", 0)),
    # Daemons, terminals and queues.
    **dict.fromkeys(("daemonize", "daemon"), ("-p -l -o -e -c -u -n --name -P -r -t -m -H", 0)),
    **dict.fromkeys(("systemd-cat", "systemd-socket-activate"), ("-t --identifier -p --priority -l --listen -E -d", 0)),
    **dict.fromkeys(("dtach", "abduco"), ("-e -r -t -n -c -A -a -N", 0)),
    **dict.fromkeys(("kitty", "foot", "footclient", "contour", "ttyd", "gotty"), ("-p --port -c -i -u -g -T -t -a", 0)),
    **dict.fromkeys(("cage", "weston", "gamescope", "xinit", "startx"), ("-W -H -w -h -r", 0)),
    **dict.fromkeys(("optirun", "primusrun", "prime-run", "mangohud", "gamemoderun", "aoss"), ("-b -c -d", 0)),
    **dict.fromkeys(("gnome-session-inhibit", "kde-inhibit", "xss-lock"), ("--inhibit --app-id --reason -n -s", 0)),
    **dict.fromkeys(("xdg-terminal-exec", "kstart", "kstart5", "keepawake"), ("", 0)),
    **dict.fromkeys(("tsp", "nq", "task-spooler"), ("-L -D -N -S -O", 0)),
    **dict.fromkeys(("srun", "salloc", "bsub", "qsub"), ("-n -N -c -p -t -J -o -e -q -M -W -R -b", 0)),
    **dict.fromkeys(("mpirun", "mpiexec", "orterun"), ("-n -np -c -H -host -hostfile --hostfile -x -wdir", 0)),
    **dict.fromkeys(("lckdo", "s6-setlock"), ("-W -t", 1)),
    **dict.fromkeys(("catatonit", "pid1", "my_init"), ("", 0)),
    # The families of daemontools and s6.
    **dict.fromkeys(("envdir", "envuidgid", "s6-envdir", "s6-setuidgid", "s6-sudo"), ("", 1)),
    **dict.fromkeys(("pgrphack", "recordio", "fghack", "s6-env", "s6-softlimit", "s6-setsid"), ("", 0)),
    "argv0": ("", 0),
    **dict.fromkeys(("tcpserver", "tcpclient", "sslserver"), ("-c -x -u -g -b -l -t -r", 2)),
    "faucet": ("", 1),
    # Networks and secrets.
    **dict.fromkeys(("proxychains", "proxychains4"), ("-f", 0)),
    **dict.fromkeys(("tsocks", "torsocks", "torify", "websocketd"), ("-a -u -p -P", 0)),
    "sshpass": ("-f -d -p -P", 0),
    **dict.fromkeys(("krenew", "k5start"), ("-f -H -k -K -p -u -c -I -i -S -t -L", 0)),
    "gpg-agent": ("--options --homedir --pinentry-program --log-file --default-cache-ttl --max-cache-ttl", 0),
    **dict.fromkeys(("envconsul", "summon", "dockerize"), ("-f -p -e -D -wait -timeout -template -prefix -config", 0)),
    "envchain": ("", 1),
    "env-cmd": ("-f --file -e --environments -r --rc-file", 0),
    # Compilers, debuggers and measures.
    **dict.fromkeys(("ccache", "distcc", "sccache", "bear", "xcrun"), ("-o --output --sdk -sdk --toolchain", 0)),
    **dict.fromkeys(("intercept-build", "scan-build"), ("-o --cdb --use-cc --use-analyzer -enable-checker", 0)),
    "gdbserver": ("", 1),
    "lldb": ("-o -O -s -S -p -n -k -K -c --one-line --source", 0),
    "operf": ("-e -d -p", 0),
    "pg_virtualenv": ("-v -p -o -i -c", 0),
    **dict.fromkeys(("debconf", "debconf-apt-progress"), ("-o -f -p --from --to --logfile", 0)),
    "corepack": ("", 0),
    **dict.fromkeys(("openvt", "luit"), ("-c --console -encoding -argv0 -ilog -olog", 0)),
    **dict.fromkeys(("multitime", "timelimit"), ("-n -r -s -t -T -S -i -b", 0)),
    "hwatch": ("-n --interval -l -s --shell", 0),
    **dict.fromkeys(("every", "chdir", "sched"), ("", 1)),
    **dict.fromkeys(("rr", "uftrace", "emulate", "foreground", "background"), ("", 0)),
    "watchexec": ("-w --watch -e --exts -f --filter -i --ignore -s --signal -d --debounce --shell -o", 0),
    "systemd-nspawn": ("-D --directory -M --machine -i --image -u --user --bind --bind-ro -E --setenv", 0),
    "runitor": ("-uuid -slug -ping-key -api-url -timeout", 0),
    "grc": ("-c --config", 0),
    **dict.fromkeys(("formail", "reformail"), ("-a -A -i -I -u -U -l -m", 0)),
    **dict.fromkeys(("msgfilter", "msgexec"), ("-i --input -o --output-file -D -e -f", 0)),
    "pexec": ("-n -p -f -e -o -i -u -c -s", 0),
    **dict.fromkeys(("wait-for-it", "wait-for-it.sh", "wait-for"), ("-t -h -p", 1)),
    "empty": ("-i -o -p -L", 0),
    **dict.fromkeys(("pty", "ptyget"), ("", 0)),
    "and": ("", 0),
    "or": ("", 0),
    "not": ("", 0),
}
"""Program to (options that take the next word, words of its own before the inner command)."""

ASSIGNING = frozenset(("env", "sudo", "doas", "dotenv", "systemd-run", "cross-env", "env-cmd", "s6-env", "sudo-rs"))
"""`name=value` may stand in front of the inner command."""

JOINING = frozenset(("watch", "viddy", "hwatch", "parallel", "env_parallel", "hyperfine"))
"""They hand their words to a shell as one text."""

QUERIES = {
    "command": ("-v", "-V"),
    **dict.fromkeys(("sudo", "sudo-rs"), ("-l", "-v", "-k", "-K", "-e", "--list")),
    "ionice": ("-p", "-P", "-u"),
    "jobs": ("-l", "-p", "-r", "-s", "-n"),
}
"""With one of these options nothing is run."""

DECLARING = frozenset(("export", "declare", "local", "readonly", "typeset"))
"""Builtins behind which `name=value` is an assignment."""
