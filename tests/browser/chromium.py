"""Drive a headless Chromium over a pipe, without any package: what pages do, and how they look.

Chromium reads commands of the DevTools protocol from file descriptor 3 and answers on 4, each
message as JSON with a zero byte behind it.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0  # seconds for any answer


def find_chromium() -> str | None:
    """Return the browser's path; None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def find_axe() -> Path | None:
    """Return the script of axe-core: TAUBOOST_AXE names it."""
    path = os.environ.get("TAUBOOST_AXE")
    return Path(path) if path and Path(path).is_file() else None


@dataclass
class Seen:
    """What a page did: what it logged or broke, what it asked the network for, its dialogs."""

    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


class Browser:
    """One browser with one page, which is opened again and again."""

    def __init__(self, commands: int, answers: int) -> None:
        self.commands, self.answers = commands, answers
        self.buffer, self.count, self.seen = b"", 0, Seen()
        self.is_loaded = False
        target = self.ask("Target.createTarget", session=None, url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", session=None, targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    session: str | None = None

    def ask(self, method: str, session: str | None = "own", **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events on the way are noted."""
        self.count += 1
        message: dict[str, Any] = {"id": self.count, "method": method, "params": params}
        if session is not None and self.session is not None:
            message["sessionId"] = self.session
        _write(self.commands, message)
        while True:
            answer = self._read()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                found: dict[str, Any] = answer["result"]
                return found

    def _read(self) -> dict[str, Any]:
        """Return the next message; note it if it is an event."""
        until = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], until - time.monotonic())[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.answers, 2**16)
            if not part:
                raise RuntimeError("the browser has ended")
            self.buffer += part
        text, _, self.buffer = self.buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self.is_loaded = True
        elif method == "Runtime.exceptionThrown":
            self.seen.complaints.append(str(params["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled":
            self.seen.complaints.append(str([a.get("value") for a in params["args"]])[:500])
        elif method == "Log.entryAdded":
            self.seen.complaints.append(str(params["entry"]["text"])[:500])
        elif method == "Network.requestWillBeSent":
            self.seen.requests.append(params["request"]["url"][:500])
        elif method == "Page.javascriptDialogOpening":
            self.seen.dialogs.append(params["message"])

    def open(
        self,
        url: str | Path,
        *,
        width: int = 1280,
        height: int = 900,
        is_dark: bool = False,
        has_script: bool = True,
    ) -> Seen:
        """Open a file or an address, wait until it is there, and return what it did."""
        address = Path(url).resolve().as_uri() if "://" not in str(url) else str(url)
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Emulation.setScriptExecutionDisabled", value=not has_script)
        for place in ("about:blank", address):
            self.seen, self.is_loaded = Seen(), False
            self.ask("Page.navigate", url=place)
            while not self.is_loaded:
                self._read()
        self.ask("Runtime.evaluate", expression="1")  # what came with the load has been noted
        self.seen.requests = [found for found in self.seen.requests if found != address]
        return self.seen

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression in the page; a promise is waited for."""
        found = self.ask(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"])[:1000])
        return found["result"].get("value")

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        script = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.evaluate(script))

    def serious_findings(self, axe: Path) -> list[str]:
        """Return what axe-core finds that is serious or critical."""
        self.ask("Page.setBypassCSP", enabled=True)
        self.evaluate(axe.read_text(encoding="utf-8") + ";1")
        found = self.evaluate(
            "axe.run(document).then(r => r.violations.filter(v => "
            "['serious', 'critical'].includes(v.impact)).map(v => v.id + ': ' + v.help + ' ' + "
            "v.nodes.slice(0, 3).map(n => n.html.slice(0, 120)).join(' | ')))"
        )
        return list(found)

    def screenshot(self, path: Path, *, is_whole: bool = False, most: int = 12_000) -> None:
        """Write what the window shows, or the whole page, as PNG."""
        options: dict[str, Any] = {"format": "png"}
        if is_whole:
            size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            height = min(size["height"], most)
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1}
            options["captureBeyondViewport"] = True
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", **options)["data"]))


def _write(pipe: int, message: dict[str, Any]) -> None:
    data = json.dumps(message).encode() + b"\0"
    while data:
        data = data[os.write(pipe, data) :]


@contextmanager
def browser() -> Iterator[Browser]:
    """Give a browser with an empty profile, and end it."""
    path = find_chromium()
    if path is None:
        raise FileNotFoundError("there is no Chromium")
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    # Above 3 and 4, which the browser's ends become.
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_read, from_write)]

    def place() -> None:
        os.dup2(ends[0], 3)
        os.dup2(ends[1], 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [path, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(
            command,
            preexec_fn=place,  # noqa: PLW1509 - file descriptors 3 and 4 are asked for
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            for end in (to_read, from_write, *ends):
                os.close(end)
            yield Browser(to_write, from_read)
        finally:
            for end in (to_write, from_read):
                os.close(end)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
