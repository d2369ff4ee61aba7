"""The page in a real browser: numbers, texts that mean harm, what changes meanwhile, keys, screen readers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.dashboard import made
from tests.dashboard.conftest import Started
from tests.dashboard.devtools import Page
from tests.server.conftest import LAUNCH, Host

from context_mode_runtime import notes
from context_mode_runtime.paths import project_dir
from context_mode_runtime.store.journal import add_row
from context_mode_runtime.store.sources import add_source

Start = Callable[..., Started]
HARM = YAML(typ="safe").load(Path(__file__).with_name("harm.yaml").read_text(encoding="utf-8"))
CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
ROUTES = ("#/savings", "#/search?q=payment+refused", "#/conversations", "#/conversation/{key}/claude-code%3Ac-1",
          "#/source/{key}/s1", "#/health")  # fmt: skip
HEADINGS = ("97.9 %", "Search", "Conversations", "claude-code:c-1", "pytest -q", "All is well")
NARROW = "[...document.querySelectorAll('body *')].filter(one => !one.closest('.scroll, .hidden, svg') &&"
NARROW += " one.getBoundingClientRect().right > innerWidth + 1).map(one => one.outerHTML)"
REACHABLE = (
    "button", "link", "combobox", "searchbox", "DisclosureTriangle", "textbox",
)  # fmt: skip
LOOKS = "performance.getEntriesByName(new URL('api/changes?', location.href).href).length"


@pytest.fixture
def stored(project: Path, tmp_path: Path) -> Path:
    """A project with calls of three days, outputs and a journal, and another one."""
    other = tmp_path / "other"
    other.mkdir()
    made.add_calls(project, made.CALLS)
    made.add_texts(project)
    made.add_calls(other, made.ELSEWHERE)
    return project


@pytest.fixture
def host(stored: Path) -> Iterator[Host]:
    command = [sys.executable, "-I", "-S", str(LAUNCH), "serve", "--agent", "claude-code"]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    found = Host(subprocess.Popen(command, cwd=stored, **pipes), [])
    yield found
    found.close()
    for pipe in (found.process.stdout, found.process.stderr):
        assert pipe
        pipe.close()


def account(text: str) -> dict[str, list[str]]:
    """The rows of the table of scopes, as command and tool print it, by their titles."""
    rows = [re.split(r"  +", line) for line in text.split("\n\n")[1].split("\n")]
    return {row[0]: row[1:] for row in rows}


def test_tool_command_and_page_show_the_same_numbers(
    host: Host, stored: Path, start: Start, page: Page, run_cli: Any
) -> None:
    notes.note_call("claude-code", "toolu_1", notes.CallNote("c-1", "", str(stored)))
    told = account(host.call("ctx_stats", {}, {"claudecode/toolUseId": "toolu_1"})[0])
    printed = account(run_cli("stats", cwd=stored).stdout)
    data = json.loads(run_cli("stats", "--json", cwd=stored).stdout)["data"]
    assert told["Measured, in bytes"][1:] == printed["Measured, in bytes"][1:] == ["this project", "all projects (2)"]
    assert list(told.items())[1:] == list(printed.items())[1:]
    page.open(start(stored).url)
    assert page.run(f"fetch('api/stats?project={made.key_of(stored)}').then(answer => answer.json())") == data
    shown = page.run("[...document.querySelectorAll('.scroll[aria-label^=\"The account\"] tbody tr')].map(row =>"
                     " [...row.children].map(cell => cell.innerText))")  # fmt: skip
    told.pop("Measured, in bytes")
    assert {row[0].lower(): [cell.replace(" %", "%") for cell in row[1:]] for row in shown} == told
    assert page.text("h1").split("\nkept")[0] == f"{data['scopes']['project']['kept_out_percent']} %"


def test_the_snippets_are_those_that_an_agent_gets(host: Host, stored: Path, start: Start, page: Page) -> None:
    notes.note_call("claude-code", "toolu_1", notes.CallNote("c-1", "", str(stored)))
    queries = ["why was the payment refused", "numbat retries", "worker handled requests", "zebrafish"]
    said, _ = host.call("ctx_search", {"queries": queries}, {"claudecode/toolUseId": "toolu_1"})
    page.open(start(stored).url)
    blocks = "[...document.querySelectorAll('.hits li')].map(one => one.textContent).join('\\n')"
    for query, block in zip(queries, re.split(r"(?m)^Query .*\n", said)[1:], strict=True):
        page.go(f"#/search?q={query.replace(' ', '+')}", f"document.title.startsWith('Search: {query}')")
        assert re.sub(r"\s+", "", page.run(blocks)) == re.sub(r"\s+", "", block)
    assert said.count("\ngit log --stat #") + said.count("\ndocs/guide.md #") == 2
    page.go("#/source/" + made.key_of(stored) + "/s3", "document.title.startsWith('Source')")
    assert page.text("main pre") == host.call("ctx_search", {"queries": [], "source": "s3"})[0]
    page.go("#/source/" + made.key_of(stored) + "/s1", "document.querySelector('main h1').innerText === 'pytest -q'")
    whole, _ = host.call("ctx_search", {"queries": [], "source": "s1"})
    assert page.text("main pre") == whole.replace("more: mcp__context-mode__ctx_search(", "more: ctx_search(")
    page.run("document.querySelector('main a').click()")
    page.until("document.querySelector('main pre').innerText.includes('payment 7731')")
    assert page.text(".ways") == "From the beginning"


def test_texts_that_mean_harm_are_texts(project: Path, start: Start, page: Page) -> None:
    with made.open_store(project) as store:
        for text in HARM["texts"]:
            add_source(store, text + "\nwombat", label=text, kind="log", tool=text, conversation=text)
            add_row(store, "claude-code:<b>x</b>", "prompt", text, detail=text)
    made.add_calls(project, tuple((0, "c", text, 9_000, 10) for text in HARM["texts"]))
    page.open(start(project).url)
    routes = {
        "#/savings": "Savings",
        "#/search?q=wombat": "Search: wombat",
        "#/conversations": "Conversations",
        f"#/conversation/{made.key_of(project)}/claude-code%3A%3Cb%3Ex%3C%2Fb%3E": "Conversation claude-code:<b>x</b>",
    }
    for route, title in routes.items():
        page.go(route, f"document.title === {json.dumps(title + ' · context-mode')}")
        page.until("document.querySelector('main').innerText.includes('script')")
        assert page.run("window.harmed") is None
        assert page.run("document.querySelectorAll('main :is(script, iframe, img, b:not(pre > b))').length") == 0
    shown = page.text()
    for text in HARM["shown"]:
        assert text in shown
    assert page.errors() == []
    assert {url.split("/")[2] for url in page.requests()} == {page.run("location.host")}


def test_what_got_into_the_page_can_neither_run_nor_send(project: Path, start: Start, page: Page) -> None:
    page.open(start(project).url)
    for attempt in HARM["attempts"]:
        page.run(
            "void (window.refused = new Promise(done => addEventListener('securitypolicyviolation',"
            " event => done(event.effectiveDirective), { once: true })))"
        )
        page.run(f"(async () => {{ {attempt['does']} }})().catch(() => 0)")
        assert page.run("window.refused") == attempt["refused_by"], attempt
    assert page.run("window.harmed") is None
    assert page.run("document.querySelectorAll('b').length") == 0
    sent = [url for url in page.requests() if url.startswith("http") and not page.was_refused(url)]
    assert {url.split("/")[2] for url in sent} == {page.run("location.host")}


def test_what_agents_do_shows_while_the_page_is_open(stored: Path, start: Start, page: Page) -> None:
    page.open(start(stored).url)
    before = page.text(".hero p")
    page.run("document.querySelector('details').open = true; document.querySelector('summary').focus()")
    made.add_calls(stored, ((0, "claude-code:c-1", "Bash", 5_000_000, 4_000),))
    page.until("document.querySelector('.hero p').innerText.includes('7.3 MB')")
    assert "2.3 MB" in before
    assert page.run("document.querySelector('details').open")
    page.go("#/conversations", "document.querySelector('main h1').innerText === 'Conversations'")
    with made.open_store(stored) as store:
        add_row(store, "codex:c-9", "prompt", "write a poem about numbats")
    page.until("document.querySelector('main').innerText.includes('a poem about numbats')")
    assert page.text("#said").startswith("Updated at ")


def test_the_checks_of_health_are_not_run_at_each_change(stored: Path, start: Start, page: Page) -> None:
    page.open(start(stored).url)
    page.go("#/health", "document.title.startsWith('Health')")
    made.add_calls(stored, ((0, "claude-code:c-1", "Bash", 5_000_000, 4_000),))
    page.until(f"{LOOKS} > {page.run(LOOKS)} + 1")
    assert sum("/api/health" in url for url in page.requests()) == 1
    page.go("#/savings", "document.querySelector('.hero p')?.innerText.includes('7.3 MB')")


def test_nobody_who_types_is_disturbed(stored: Path, start: Start, page: Page) -> None:
    page.open(start(stored).url)
    page.go("#/search", "document.querySelector('input')")
    page.run("document.querySelector('input').focus(); document.querySelector('input').value = 'half a wo'")
    made.add_calls(stored, ((0, "claude-code:c-1", "Bash", 5_000_000, 4_000),))
    page.until(f"{LOOKS} > {page.run(LOOKS)} + 1")
    assert page.run("document.querySelector('input').value") == "half a wo"


def test_one_can_walk_by_keys(stored: Path, start: Start, page: Page) -> None:
    page.open(start(stored).url)
    stops = []
    for _ in range(10):
        page.key("Tab", 9)
        stops.append(page.run("document.activeElement.innerText.trim().split('\\n')[0]"))
        assert page.run("getComputedStyle(document.activeElement).outlineStyle") == "solid", stops
    assert stops[:5] == ["Skip to content", "Savings", "Search", "Conversations", "Health"]
    assert {"The days as a table", "claude-code:c-1", "pytest -q"} <= set(stops)
    page.run("document.querySelector('nav a[href=\"#/search\"]').focus()")
    page.key("Enter", 13)
    page.until("document.title.startsWith('Search')")
    assert page.run("document.activeElement.tagName") == "H1"
    page.key("Tab", 9)
    assert page.run("document.activeElement.type") == "search"
    page.ask("Input.insertText", text="payment refused")
    page.key("Enter", 13)
    page.until("document.querySelector('.hits')")
    page.run("document.querySelector('.skip').focus()")
    page.key("Enter", 13)
    page.until("document.activeElement.id === 'main'")
    assert page.run("location.hash").startswith("#/search")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_part_in_light_and_dark_and_narrow(scheme: str, stored: Path, start: Start, page: Page) -> None:
    page.media(prefers_color_scheme=scheme)
    page.open(start(stored).url)
    dark = page.run(
        "getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).every(part => part < 64)"
    )
    assert dark == (scheme == "dark")
    for route, heading in zip(ROUTES, HEADINGS, strict=True):
        page.resize(1_100)
        page.go(
            route.replace("{key}", made.key_of(stored)),
            f"document.querySelector('main h1')?.innerText.startsWith({json.dumps(heading)})",
        )
        check_tree(page)
        assert page.run(CONTRAST) == []
        page.resize(320)
        assert page.run(NARROW) == []
    assert page.errors() == []
    assert {url.split("/")[2] for url in page.requests()} == {page.run("location.host")}


def test_paper_shows_the_content_alone(stored: Path, start: Start, page: Page) -> None:
    page.open(start(stored).url)
    page.go("#/search", "document.querySelector('form')")
    shown = "['header', 'form', 'footer', 'main'].filter(one => document.querySelector(one).checkVisibility())"
    assert page.run(shown) == ["header", "form", "footer", "main"]
    page.media("print")
    assert page.run(shown) == ["main"]


def check_tree(page: Page) -> None:
    """What a screen reader meets: landmarks, one first heading, and a name for all that can be reached."""
    tree = page.tree()
    roles = [node["role"] for node in tree]
    assert {"banner", "navigation", "main", "contentinfo"} <= set(roles)
    assert len([node for node in tree if node["role"] == "heading" and node.get("level") == 1]) == 1
    assert [
        node for node in tree if not node["name"] and node["role"] in (*REACHABLE, "table", "image", "region")
    ] == []
    assert [node for node in tree if node["role"] in REACHABLE and node.get("focusable") is False] == []
    assert page.run("document.documentElement.lang") == "en"
    assert page.run("[...document.querySelectorAll('table')].every(one => one.closest('[aria-label]'))")


def test_projects_are_chosen_and_every_project_is_one_choice(stored: Path, start: Start, page: Page) -> None:
    page.open(start(stored).url)
    assert page.run("[...document.querySelector('#scope').options].map(one => one.text)") == [
        "every project", "project (here)", "other",
    ]  # fmt: skip
    choose = "const pick = document.querySelector('#scope'); pick.value = '{}'; pick.dispatchEvent(new Event('change'))"
    page.run(f"{{ {choose.format('')} }}")
    page.until("!document.querySelector('main').innerText.includes('This project')")
    assert "All projects (2)" in page.text()
    assert "2,290,006" in page.text()
    page.go("#/search?q=payment+refused", "document.querySelector('.hits')")
    assert "What an agent gets in project" in page.text()
    page.run(f"{{ {choose.format(made.key_of(stored))} }}")
    page.until("document.querySelector('main h2')?.innerText === 'What an agent gets'")


def test_nothing_yet(project: Path, home: Path, start: Start, page: Page) -> None:
    page.open(start(project).url)
    assert "context-mode setup" in page.text()
    for route in ("#/search?q=x", "#/conversations", "#/health"):
        page.go(route, f"document.title.startsWith({json.dumps(route[2].upper())})")
        check_tree(page)
    assert page.errors() == []
    assert not (home / ".context-mode").exists()


def test_a_damaged_and_a_newer_database_are_named_and_the_rest_is_shown(
    stored: Path, home: Path, start: Start, page: Page
) -> None:
    other = next(file for file in (home / ".context-mode" / "projects").iterdir() if file.name.startswith("other"))
    (other / "context.db").write_bytes(b"no database " * 100)
    page.open(start(stored).url)
    assert "file is not a database" in page.text(".problem")
    assert "2,250,006" in page.text()
    page.go("#/health", "document.querySelector('.FAIL')")
    assert "1 finding" in page.text("h1")
    with made.open_store(stored) as store:
        store.db.execute("PRAGMA user_version = 99")
    page.go("#/savings", "document.querySelector('main .problem')?.innerText.includes('newer context-mode')")
    assert (other / "context.db").read_bytes() == b"no database " * 100
    assert [file.name for file in Path(project_dir(made.key_of(stored))).glob("*damaged*")] == []


@pytest.mark.parametrize(
    ("route", "said"),
    [("#/nowhere", "97.9 %"), ("#/source/%", "no such project"), ("#/source/{key}/s99", "no source 's99'"),
     ("#/conversation/{key}/%E0%A4%A", "no such conversation"), ("#/conversations/x?%=%", "claude-code:c-1")],
)  # fmt: skip
def test_an_address_that_leads_nowhere_is_said(route: str, said: str, stored: Path, start: Start, page: Page) -> None:
    page.open(start(stored).url + route.replace("{key}", made.key_of(stored)))
    assert said in page.text()
    assert page.told("Runtime.exceptionThrown") == []
    check_tree(page)


def test_the_end_is_said(stored: Path, start: Start, page: Page) -> None:
    running = start(stored)
    page.open(running.url)
    assert running.stop()[0] == 0
    page.until("document.querySelector('#live').dataset.state === 'ended'")
    assert "The dashboard has ended" in page.text(".problem")
    assert "2.3 MB" in page.text(".hero p")
