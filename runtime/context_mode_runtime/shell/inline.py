"""HTTP calls in code that a command hands to an interpreter, and PowerShell's own."""

from __future__ import annotations

from context_mode_runtime.shell.hosts import host_allowed
from context_mode_runtime.shell.interpreters import code_of
from context_mode_runtime.shell.output import reaches_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_mode_runtime.shell.commands import Command

_CALLS = (
    *("requests.get(", "requests.request(", "session.get(", "httpx.get(", "httpx.stream(", "urlopen(", "urllib2."),
    *("http.client.", "urllib3.request(", "fetch(", "axios.get(", "axios(", "http.get(", "https.get(", "http.request("),
    *("https.request(", "http').get(", 'http").get(', "https').get(", 'https").get(', "got(", "got.get("),
    *("needle.get(", "superagent.get(", "Net::HTTP", "URI.open(", "open-uri"),
    *("HTTParty.get(", "Faraday.get(", "LWP::Simple", "LWP::UserAgent", "HTTP::Tiny", "file_get_contents("),
    *("curl_exec(", "HTTPoison.get", "Req.get", ":httpc.request", "download.file(", "httr::GET(", "readLines("),
)
_NEEDS_ADDRESS = frozenset(("file_get_contents(", "readLines(", "got(", "axios(", "download.file("))
_SAVES = (
    "urlretrieve",
    "writeFile",
    "createWriteStream",
    "File.write",
    "file_put_contents",
    "Bun.write",
    "write_bytes",
)
_SAVES_MORE = ("write_text", "getstore(", "mirror(", "File.open(", "copyfileobj(", "download.file(")
_POWERSHELL_FETCH = frozenset(("invoke-webrequest", "iwr", "invoke-restmethod", "irm"))
_QUOTES = "'\"`"


def inline_urls(command: Command, allow_hosts: Sequence[str]) -> list[str] | None:
    """None when `command` makes no HTTP request in code, or only to allowed hosts; else the addresses it names."""
    if command.name.lower() in _POWERSHELL_FETCH:
        return _powershell_urls(command, allow_hosts)
    code = code_of(command)
    if not code or not reaches_model(command) or not _requests(code) or _saves(code):
        return None
    urls = addresses(code)
    wanted = [url for url in urls if not host_allowed(url, allow_hosts)]
    return wanted if wanted or not urls else None


def _requests(code: str) -> bool:
    return any(call in code and (call not in _NEEDS_ADDRESS or "://" in code) for call in _CALLS)


def _saves(code: str) -> bool:
    if any(word in code for word in (*_SAVES, *_SAVES_MORE)):
        return True
    return "open(" in code and any(mode in code for mode in ("'w'", '"w"', "'wb'", '"wb"', "'a'", '"a"'))


def addresses(code: str) -> list[str]:
    """The http and https addresses that stand in `code`, in order, each once."""
    found: list[str] = []
    at = code.find("://")
    while at >= 0:
        start = at - 5 if code[at - 5 : at].lower() == "https" else at - 4
        end = at + 3
        while end < len(code) and code[end] not in _QUOTES and code[end] not in " \t\n)>\\,;":
            end += 1
        if code[start:at].lower() in ("http", "https") and code[start:end] not in found:
            found.append(code[start:end])
        at = code.find("://", end)
    return found


def _powershell_urls(command: Command, allow_hosts: Sequence[str]) -> list[str] | None:
    words = command.words
    options = [word.lower() for word in words]
    if any(len(option) > len("-o") and "-outfile".startswith(option) for option in options) or not reaches_model(
        command
    ):
        return None
    for at, option in enumerate(options[:-1]):
        if option == "-method" and words[at + 1].lower() not in ("get", "default"):
            return None
    urls = [url for word in words[1:] for url in addresses(word)]
    wanted = [url for url in urls if not host_allowed(url, allow_hosts)]
    return wanted if wanted or not urls else None
