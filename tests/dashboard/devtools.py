"""One page of a headless browser, over its debugging port: asks, clicks and keys, and what the page did meanwhile."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
import urllib.parse
from typing import Any

from tests.agents.window import browser

Json = dict[str, Any]
WAIT_S = 30


class Page:
    """A page that was opened empty; `events` holds all that it told since, in order."""

    def __init__(self, width: int = 1_100, height: int = 900) -> None:
        self._target = browser().open("about:blank")
        self._socket = _WebSocket(self._target["webSocketDebuggerUrl"])
        self._last = 0
        self.events: list[Json] = []
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.ask(f"{domain}.enable")
        self.ask("Page.bringToFront")
        self.resize(width, height)

    def ask(self, method: str, **params: Any) -> Json:
        """One request of the protocol and its result."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": params}))
        while True:
            message: Json = json.loads(self._socket.receive())
            if message.get("id") == self._last:
                assert "error" not in message, (method, message["error"])
                return dict(message["result"])
            self.events.append(message)

    def run(self, expression: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        found = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, (expression, found["result"].get("description"))
        return found["result"].get("value")

    def until(self, condition: str) -> Any:
        """Waits in the page until an expression is true: its value."""
        return self.run(
            f"new Promise((done, fail) => {{ const end = Date.now() + {WAIT_S} * 1000; const look = () => {{"
            f" const found = ({condition}); if (found) done(found); else if (Date.now() > end) fail(new Error("
            "document.body.innerText)); else setTimeout(look, 20); }; look(); })"
        )

    def open(self, url: str) -> None:
        """Goes there, and waits for the page's own word that it is up to date."""
        self.ask("Page.navigate", url=url)
        self.until("document.querySelector('#live[data-state=live]') && document.querySelector('main h1')")

    def go(self, route: str, until: str) -> None:
        """Goes to another part of the page, `#/search` say."""
        self.run(f"location.hash = {json.dumps(route)}")
        self.until(until)

    def text(self, selector: str = "main") -> str:
        """What can be read there."""
        return str(self.run(f"document.querySelector({json.dumps(selector)}).innerText"))

    def key(self, name: str, code: int) -> None:
        """Presses and lets go of a key."""
        same = {"key": name, "code": name, "windowsVirtualKeyCode": code}
        more = {"text": "\r"} if name == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **same, **more)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **same)

    def resize(self, width: int, height: int = 900) -> None:
        """Another size of the window."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, kind: str = "screen", **features: str) -> None:
        """`prefers_color_scheme="dark"` and the like, on a screen or in `print`."""
        wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.ask("Emulation.setEmulatedMedia", media=kind, features=wanted)

    def told(self, method: str) -> list[Json]:
        """The parameters of all events of one kind."""
        self.run("1")
        return [event["params"] for event in self.events if event.get("method") == method]

    def errors(self) -> list[str]:
        """What went wrong in the page: thrown, logged as an error, refused by the policy or the server."""
        thrown = [one["exceptionDetails"]["text"] for one in self.told("Runtime.exceptionThrown")]
        logged = [one["entry"] for one in self.told("Log.entryAdded")]
        said = [one for one in self.told("Runtime.consoleAPICalled") if one["type"] in ("error", "warning", "assert")]
        return [*thrown, *(f"{one['text']} {one.get('url')}" for one in logged), *map(str, said)]

    def requests(self) -> list[str]:
        """Every address that the page asked for."""
        return [one["request"]["url"] for one in self.told("Network.requestWillBeSent")]

    def was_refused(self, url: str) -> bool:
        """Whether the browser itself kept the page from asking for this address."""
        asked = {one["requestId"] for one in self.told("Network.requestWillBeSent") if one["request"]["url"] == url}
        failed = {one["requestId"] for one in self.told("Network.loadingFailed") if one.get("blockedReason")}
        return asked <= failed

    def tree(self) -> list[Json]:
        """What a screen reader gets: `role`, `name` and properties of every node that is not ignored."""
        nodes = self.ask("Accessibility.getFullAXTree")["nodes"]
        return [
            {
                "role": node["role"]["value"],
                "name": node.get("name", {}).get("value", ""),
                **{one["name"]: one["value"].get("value") for one in node.get("properties", [])},
            }
            for node in nodes
            if not node["ignored"]
        ]

    def close(self) -> None:
        """Ends the page."""
        self._socket.close()
        browser().leave(self._target)


class _WebSocket:
    """The client's end: text messages, without extensions."""

    def __init__(self, url: str) -> None:
        place = urllib.parse.urlsplit(url)
        assert place.hostname
        self._connection = socket.create_connection((place.hostname, place.port or 80), 2 * WAIT_S)
        self._stream = self._connection.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        head = (
            f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        self._connection.sendall(head.encode())
        assert b" 101 " in self._stream.readline()
        while self._stream.readline().strip():
            pass

    def send(self, text: str) -> None:
        data = text.encode()
        mask = os.urandom(4)
        if len(data) < 126:
            size = bytes([0x80 | len(data)])
        elif len(data) < 1 << 16:
            size = b"\xfe" + struct.pack("!H", len(data))
        else:
            size = b"\xff" + struct.pack("!Q", len(data))
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
        self._connection.sendall(b"\x81" + size + mask + masked)

    def receive(self) -> str:
        whole = b""
        while True:
            first, second = self._stream.read(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", self._stream.read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._stream.read(8))
            part = self._stream.read(size)
            if first & 0x0F in (0, 1):
                whole += part
            if first & 0x80 and first & 0x0F in (0, 1):
                return whole.decode()

    def close(self) -> None:
        self._stream.close()
        self._connection.close()
