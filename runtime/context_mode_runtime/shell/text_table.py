"""Where programs hold shell text, as data: options, settings, words, variables, scripts."""

from __future__ import annotations

_SSH = (("-o",), ("proxycommand", "localcommand", "knownhostscommand", "ssh_command", "match"))

TEXT_WORDS = frozenset(
    (
        *("concurrently", "npm-run-all", "pee", "watchexec", "cross-env-shell", "mprocs", "mispipe", "poop", "rush"),
        *("start-server-and-test", "swaymsg", "i3-msg", "swayidle", "xidlehook", "pppd", "sops", "rerun", "bsub", "nx"),
        *("tsp", "pueue", "gksu", "gksudo", "kdesu", "bench", "hatch", "every", "csvtool"),
    )
)
"""Each word of theirs with a blank in it is shell text."""

TEXT_OPTIONS = {
    **dict.fromkeys(("su", "runuser", "newrole"), ("-c", "--command", "--session-command")),
    **dict.fromkeys(("script", "scriptlive", "asciinema", "termtosvg"), ("-c", "--command")),
    "flock": ("-c", "--command"),
    "nix-shell": ("--run", "--command"),
    "env": ("-S", "--split-string"),
    "capsh": ("-c",),
    "entr": ("-s",),
    "hyperfine": ("-p", "--prepare", "-c", "--cleanup", "-s", "--setup", "--conclude"),
    "nodemon": ("-x", "--exec"),
    "chokidar": ("-c", "--command"),
    **dict.fromkeys(("npx", "pnpm", "yarn"), ("-c", "--call", "--shell-mode")),
    "npm": ("-c", "--call", "--script-shell", "--shell", "--editor", "--viewer", "--git"),
    "rsync": ("-e", "--rsh"),
    "zip": ("-TT", "--unzip-command"),
    "sort": ("--compress-program",),
    "split": ("--filter",),
    "man": ("-P", "--pager"),
    "ncat": ("-c", "--sh-exec", "-e", "--exec"),
    **dict.fromkeys(("nc", "netcat", "nc.traditional", "cryptcat", "dbd"), ("-e", "-c")),
    "install": ("--strip-program",),
    **dict.fromkeys(("fzf", "fzf-tmux"), ("--preview",)),
    "sk": ("--preview", "-c", "--cmd"),
    "rg": ("--pre", "--hostname-bin"),
    "cargo": ("-s", "--shell", "--target-runner"),
    "just": ("--shell", "--chooser"),
    **dict.fromkeys(("mapfile", "readarray"), ("-C",)),
    **dict.fromkeys(("complete", "compgen"), ("-C",)),
    "fc": ("-e",),
    **dict.fromkeys(("scp", "sftp"), ("-S", "-D")),
    "tcpdump": ("-z",),
    **dict.fromkeys(
        ("tar", "gtar", "bsdtar", "cpio"),
        (
            *("--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command", "-F"),
            *("--info-script", "--new-volume-script", "--rmt-command"),
        ),
    ),
    **dict.fromkeys(("ag", "ack", "bat", "batcat", "delta", "mysql", "mariadb"), ("--pager",)),
    "wget": ("--use-askpass",),
    "aria2c": (
        *("--on-download-start", "--on-download-stop", "--on-download-pause", "--on-download-complete"),
        *("--on-download-error", "--on-bt-download-complete"),
    ),
    **dict.fromkeys(
        ("yt-dlp", "youtube-dl"),
        ("--exec", "--exec-before-download", "--netrc-cmd", "--downloader", "--external-downloader"),
    ),
    "dpkg": ("--pre-invoke", "--post-invoke", "--status-logger"),
    "dpkg-buildpackage": ("--sign-command", "--check-command"),
    "hg": ("-e", "--ssh", "-c", "--command", "--program"),
    "svn": ("--diff-cmd", "--diff3-cmd", "--editor-cmd"),
    "cvs": ("-e",),
    "git-shell": ("-c",),
    "go": ("-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool"),
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++"), ("-wrapper",)),
    **dict.fromkeys(("bpftrace", "stap", "dtrace"), ("-c",)),
    "valgrind": ("--db-command",),
    "sbatch": ("--wrap",),
    **dict.fromkeys(("ttyrec", "sshuttle"), ("-e", "--ssh-cmd")),
    "terminalizer": ("-d", "--command"),
    **dict.fromkeys(("gnome-terminal", "xfce4-terminal", "mate-terminal", "terminator"), ("--command",)),
    "openvpn": (
        *("--up", "--down", "--route-up", "--route-pre-down", "--tls-verify", "--ipchange", "--learn-address"),
        *("--auth-user-pass-verify", "--client-connect", "--client-disconnect"),
    ),
    **dict.fromkeys(("openconnect", "vpnc"), ("-s", "--script", "--csd-wrapper")),
    "mosh": ("--ssh",),
    "dhclient": ("-sf",),
    "udhcpc": ("-s", "--script"),
    "dhcpcd": ("-c", "--script"),
    **dict.fromkeys(("iptables", "ip6tables", "iptables-save", "iptables-restore"), ("--modprobe",)),
    "mlr": ("--prepipe", "--prepipex"),
    "pandoc": ("-F", "--filter", "--pdf-engine"),
    "helm": ("--post-renderer",),
    "meson": ("--wrap", "--wrapper", "--gdb-path"),
    **dict.fromkeys(("bazel", "bazelisk"), ("--run_under", "--workspace_status_command")),
    "gem": ("-e", "--editor"),
    **dict.fromkeys(("doppler", "infisical"), ("--command",)),
    "consul-template": ("-exec",),
    "certbot": (
        *("--pre-hook", "--post-hook", "--deploy-hook", "--renew-hook", "--manual-auth-hook", "--manual-cleanup-hook"),
    ),
    **dict.fromkeys(("acme.sh", "lego"), ("--pre-hook", "--post-hook", "--renew-hook", "--run-hook", "--reloadcmd")),
    "dehydrated": ("-k", "--hook"),
    **dict.fromkeys(("rclone", "restic"), ("--password-command",)),
    "borg": ("--rsh",),
    "rdiff-backup": ("--remote-schema",),
    "unison": ("-sshcmd", "-rshcmd"),
    "fetchmail": ("-m", "--mda", "--preconnect", "--postconnect", "--plugin", "--plugout"),
    "msmtp": ("--passwordeval",),
    "transmission-cli": ("-f", "--finish"),
    "ctorrent": ("-X",),
    **dict.fromkeys(("watchmedo", "when-changed"), ("-c", "--command")),
    "watchman-make": ("--run",),
    **dict.fromkeys(("ptw", "pytest-watch"), ("--runner", "--onpass", "--onfail", "--beforerun", "--afterrun")),
    "air": ("--build.cmd", "--build.bin"),
    "CompileDaemon": ("-command", "-build"),
    "feh": ("-A", "--action", *[f"--action{number}" for number in range(1, 10)]),
    "zathura": ("-x", "--synctex-editor-command"),
    **dict.fromkeys(
        ("chromium", "chrome", "google-chrome", "electron", "slack", "code"),
        ("--renderer-cmd-prefix", "--utility-cmd-prefix", "--gpu-launcher"),
    ),
    "scrot": ("-e", "--exec"),
    "enscript": ("-I", "--filter"),
    "plymouth": ("--command",),
    "xautolock": ("-locker",),
    **dict.fromkeys(("rpm", "rpmquery"), ("--pipe",)),
    **dict.fromkeys(("nano", "pico"), ("-s", "--speller")),
    **dict.fromkeys(("pip", "pip3"), ("--editor",)),
    "lynx": ("-editor",),
    **dict.fromkeys(("gpg", "gpg-agent"), ("--photo-viewer", "--pinentry-program")),
    "aws": ("--cli-pager",),
    "latexmk": ("-pdflatex", "-latex", "-xelatex", "-lualatex"),
    **dict.fromkeys(("pagsh", "genie"), ("-c",)),
    "prove": ("-e", "--exec"),
    **dict.fromkeys(("kpt", "dmsetup"), ("--exec",)),
    **dict.fromkeys(("deno", "nx"), ("--eval", "--command")),
    "hwatch": ("--aftercommand",),
}
"""Option whose value is shell text."""

SHORTENING = frozenset(
    ("tar", "gtar", "cpio", "sort", "split", "install", "sed", "gsed", "wget", "make", "gmake", "man")
)
"""Programs whose long options may be cut short."""

SETTINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    **dict.fromkeys(("ssh", "scp", "sftp", "ssh-copy-id", "autossh", "sshfs", "mount", "check_by_ssh"), _SSH),
    **dict.fromkeys(
        ("apt", "apt-get", "apt-cache", "aptitude"),
        (("-o", "--option"), ("-invoke", "pre-install-pkgs", "dir::bin::")),
    ),
    "hg": (("--config",), ("alias.", "hooks.", "ui.editor", "ui.ssh", "ui.merge", "pager.pager", "merge-tools.")),
    "svn": (("--config-option",), ("tunnels:", "helpers:")),
    "jj": (("--config",), ("editor", "pager", "aliases.", "tools.")),
    "cargo": (("--config",), ("alias.", "runner", "rustc", "rustdoc", "linker", "wrapper")),
    "rustc": (("-C", "--codegen"), ("linker",)),
    "restic": (("-o", "--option"), (".program", ".command")),
    "w3m": (("-o",), ("editor", "browser", "mailer")),
    "wget": (("-e", "--execute"), ("use_askpass",)),
    **dict.fromkeys(("mvn", "mvnDebug"), (("-D",), ("exec.executable",))),
    "tox": (("-x", "--override"), ("commands",)),
    "cmake": (("-D",), ("_launcher", "_compiler", "_emulator", "cmake_ar", "cmake_linker", "cmake_make_program")),
}
"""Options whose value is a setting, and what stands in the names of those that hold shell text."""

MARKS = {
    "socat": ("exec:", "system:", "shell:"),
    "websocat": ("exec:", "cmd:", "sh-c:"),
    **dict.fromkeys(("gs", "ghostscript"), ("%pipe%",)),
    **dict.fromkeys(("sox", "play", "rec"), ("|",)),
    **dict.fromkeys(
        ("tex", "pdftex", "luatex", "xetex", "latex", "pdflatex", "xelatex", "lualatex", "latexmk"),
        ("\\write18{", "os.execute("),
    ),
    **dict.fromkeys(("rpm", "rpmbuild", "rpmquery", "rpmverify", "rpmdb", "rpmspec"), ("%(", "os.execute(")),
    **dict.fromkeys(("tmux", "tmate", "byobu"), ("#(",)),
    **dict.fromkeys(("nmap", "redis-cli"), ("os.execute(", "io.popen(")),
    "tshark": ("os.execute(",),
    **dict.fromkeys(("exiftool", "knife"), ("system(",)),
    "java": ("-xx:onerror=", "-xx:onoutofmemoryerror="),
    "conky": ("${exec ",),
    "kak": ("%sh{",),
    "m4": ("syscmd(",),
    "mlr": ("system(", "exec("),
    "gnuplot": ("output '|",),
    "qutebrowser": (":spawn ",),
    **dict.fromkeys(("weechat", "weechat-headless"), ("/exec ",)),
}
"""What stands behind one of these in a word is shell text, up to the bracket's partner."""

COMPILERS = (
    *("CC", "CXX", "CPP", "LD", "AR", "AS", "FC", "F77", "LEX", "YACC", "HOSTCC", "HOSTCXX", "NVCC", "OBJC", "RANLIB"),
    *("STRIP", "NM", "OBJCOPY", "MAKEINFO", "TEXI2DVI", "WINDRES", "PKG_CONFIG"),
)
"""Variables by which builds find their tools."""
TEXT_VARIABLES: dict[str, str | None] = {
    **dict.fromkeys(COMPILERS, ""),
    **dict.fromkeys(("PROMPT_COMMAND", "BROWSER", "SHELL", "VISUAL", "FCEDIT"), ""),
    **dict.fromkeys(("LESSOPEN", "LESSCLOSE", "LESSEDIT"), ""),
    **dict.fromkeys(("PAGER", "MANPAGER", "EDITOR", "HGEDITOR", "CVSEDITOR", "P4EDITOR"), ""),
    **dict.fromkeys(("GIT_SSH_COMMAND", "GIT_SSH", "SVN_SSH", "GIT_EXTERNAL_DIFF", "KUBECTL_EXTERNAL_DIFF"), ""),
    **dict.fromkeys(("GIT_PROXY_COMMAND", "FZF_DEFAULT_COMMAND", "RUSTC", "RUSTDOC", "npm_config_script_shell"), ""),
    **dict.fromkeys(("PS0", "PS1", "PS2", "PS4", "BASH_ENV", "ENV", "PROMPT", "RPROMPT"), None),
    "FZF_DEFAULT_OPTS": "fzf ",
    "GIT_CONFIG_PARAMETERS": "git -c ",
    "GOFLAGS": "go ",
    "JAVA_TOOL_OPTIONS": "java ",
    "MAKEFLAGS": "make ",
    "TAR_OPTIONS": "tar ",
    "ZIPOPT": "zip ",
}
"""Variables whose value is run: as a command line behind this text, or (None) for the substitutions in it."""
VARIABLE_STARTS = ("GIT_CONFIG_VALUE_",)
VARIABLE_ENDS = (
    "_PAGER",
    "_EDITOR",
    "_BROWSER",
    "_ASKPASS",
    "_RSH",
    "RUSTC_WRAPPER",
    "_PASSCOMMAND",
    "_LINKER",
    "_LAUNCHER",
    "_PASSWORD_COMMAND",
)
"""Names of more variables that hold a command line."""

ESCAPES: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    **dict.fromkeys(
        (
            *(
                "vim",
                "vi",
                "nvim",
                "view",
                "gvim",
                "vimdiff",
                "rvim",
                "rview",
                "vimx",
                "vim.basic",
                "vim.tiny",
                "editor",
            ),
        ),
        (("-c", "--cmd", "-es"), "+", ("!", "system(", "systemlist(", "job_start(", "terminal ", "term ", "execute(")),
    ),
    "ex": (("-c", "-sc"), "+", ("!",)),
    **dict.fromkeys(("ed", "red"), ((), "", ("!",))),
    **dict.fromkeys(
        ("emacs", "emacsclient"),
        (("--eval", "-eval", "-e", "--execute"), "", ("shell-command", "call-process", "start-process", "(term")),
    ),
    **dict.fromkeys(
        ("gdb", "gdbtui", "cgdb"), (("-ex", "-iex", "--ex", "--eval-command"), "", ("!", "shell ", "pipe ", "system("))
    ),
    "lldb": (("-o", "-O", "--one-line"), "", ("shell ", "system(")),
    "sqlite3": (("-cmd",), " ", (".shell ", ".system ", ".once |", ".output |", '.import "|', ".read '|", ".read |")),
    "duckdb": (("-cmd", "-c"), " ", (".shell ", ".system ")),
    "osqueryi": ((), " ", (".shell ",)),
    "psql": (("-c", "--command"), "", ("\\!", "program '", "PROGRAM '", "\\o |", "\\g |", "\\w |")),
    **dict.fromkeys(("mysql", "mariadb"), (("-e", "--execute"), "", ("\\!", "system "))),
    **dict.fromkeys(("less", "more", "zless", "bzless", "xzless", "zmore", "pager"), (("--cmd",), "+", ("!",))),
    **dict.fromkeys(("dc", "bc"), (("-e", "--expression"), "", ("!",))),
    **dict.fromkeys(("ftp", "tnftp", "ncftp", "sftp", "psftp", "telnet", "gnuplot", "tasksh"), (("-e",), "", ("!",))),
    **dict.fromkeys(("lftp", "smbclient"), (("-c", "-e"), "", ("!", "shell "))),
    **dict.fromkeys(("mail", "mailx", "s-nail"), (("--exec",), "", ("~!", "!"))),
    "debugfs": (("-R",), "", ("!",)),
    **dict.fromkeys(("tdbtool", "cpan"), ((), "", ("!",))),
    "vifm": (("-c",), "+", ("!",)),
    "ranger": (("--cmd",), "", ("!", "shell ")),
    "lf": (("-command", "-remote"), "", ("!", "$", "shell ")),
    "cmus-remote": (("-C",), "", ("!", "shell ")),
    "bettercap": (("-eval",), "", ("!",)),
    "matlab": (("-r", "-batch"), "", ("!",)),
    "strace": (("-o", "--output"), "", ("|", "!")),
    "msfconsole": (("-x",), "", ("!",)),
    "scanmem": ((), "", ("shell ",)),
    "m4": ((), "", ("syscmd(",)),
    **dict.fromkeys(("groff", "troff", "nroff"), ((), "", (".sy ", ".pso "))),
    "calc": ((), "", ("!",)),
}
"""Program to (options whose value is a script, what begins an operand that is one, what begins a shell command)."""

SCRIPT_FILES = {
    **dict.fromkeys(("sed", "gsed", "psql", "lftp"), ("-f", "--file")),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), ("-f", "--file", "-i", "--include")),
    **dict.fromkeys(("make", "gmake", "bmake", "remake"), ("-f", "--file", "--makefile")),
    **dict.fromkeys(("vim", "vi", "nvim", "view", "gvim", "rvim"), ("-S", "-s", "-u")),
    **dict.fromkeys(("gdb", "cgdb"), ("-x", "--command", "-ix")),
    "lldb": ("-s", "--source", "-S"),
    **dict.fromkeys(("sqlite3", "duckdb"), ("-init",)),
    **dict.fromkeys(("ssh", "scp", "autossh", "sshfs", "ssh-copy-id"), ("-F",)),
    "sftp": ("-b", "-F"),
    "nmap": ("--script",),
    "dc": ("-f", "--file"),
    "expect": ("-f",),
}
"""Option whose value is a file with a script of the program."""
SCRIPT_OPERANDS = frozenset(("crontab", "expect", "dc", "bc", "gnuplot"))
"""Programs whose operands are such files."""

DOWNLOADS = {"curl": ("-o", "--output"), "wget": ("-O", "--output-document"), "aria2c": ("-o", "--out")}
"""Option that names the file which a download goes to."""
