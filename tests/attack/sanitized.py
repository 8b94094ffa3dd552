"""Run a command with the sanitizer build of the compiled module, and count what is reported.

    python tests/attack/sanitized.py asan pytest -m "not slow"
    python tests/attack/sanitized.py tsan python -m attack.races

`make asan` and `make tsan` build (build/asan, build/tsan) and call this. Reports of all processes,
children included, go to files in build/asan/reports; those of UBSan, which keeps no files, to the
error output before it aborts. A leak counts if our module is in its stack:
Python and its libraries leave things behind at exit. Everything else counts.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = {"asan": ("libasan.so", "libstdc++.so"), "tsan": ("libtsan.so", "libstdc++.so")}
# A process that only leaks must not fail for it: that is counted here, and only if it is ours.
OPTIONS = {
    "asan": {
        "ASAN_OPTIONS": "detect_leaks=1:exitcode=0:abort_on_error=1:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:abort_on_error=1",
        "LSAN_OPTIONS": "max_leaks=0:report_objects=0:print_suppressions=0",
        "PYTHONMALLOC": "malloc",
    },
    "tsan": {
        "TSAN_OPTIONS": "exitcode=0:ignore_noninstrumented_modules=1:die_after_fork=0:"
        "report_signal_unsafe=0:history_size=4:second_deadlock_stack=1"
    },
}
BEGINNING = re.compile(r"^(?:.*runtime error: |==\d+==ERROR: AddressSanitizer|WARNING: ThreadSan)")
LEAK = re.compile(r"^(?:Direct|Indirect) leak of ")


def environment(kind: str, reports: Path | None = None) -> dict[str, str]:
    """Return the environment in which Python loads the sanitizer and the build that it watches."""
    compiler = os.environ.get("GXX", "g++")
    libraries = [
        subprocess.run(
            [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in LIBRARIES[kind]
    ]
    options = dict(OPTIONS[kind])
    if reports is not None:
        for name in options:
            if name in ("ASAN_OPTIONS", "TSAN_OPTIONS"):
                options[name] += f":log_path={reports / 'report'}"
    path = [
        str(ROOT / "tests/attack/sanitized_site"),
        str(ROOT / "build" / kind / "package"),
        str(ROOT / "tests"),
        str(ROOT / "tests/helpers"),
    ]
    return (
        os.environ
        | options
        | {
            "LD_PRELOAD": " ".join(libraries),
            "PYTHONPATH": os.pathsep.join(path),
            "TAUBOOST_SANITIZED": kind,
        }
    )


def without_random_addresses() -> list[str]:
    """Return the command before a command that ThreadSanitizer needs on some machines."""
    setarch = shutil.which("setarch")
    works = setarch and subprocess.run([setarch, "-R", "true"], check=False).returncode == 0
    return [setarch, "-R"] if setarch and works else []


def findings(text: str) -> list[str]:
    """Return the reports in a log that are ours."""
    found: list[list[str]] = []
    for line in text.splitlines():
        if BEGINNING.match(line) or LEAK.match(line):
            found.append([])
        if found:
            found[-1].append(line)
    return ["\n".join(lines) for lines in found if not LEAK.match(lines[0]) or is_ours(lines)]


def is_ours(leak: list[str]) -> bool:
    frames = [line for line in leak if line.lstrip().startswith("#")]
    return any("/_core." in line or "/cpp/" in line for line in frames)


def refuse_another_build(kind: str) -> None:
    """Stop where Python would find a build without sanitizers: it has nothing to report."""
    code = "from tauboost import _core; raise SystemExit(not hasattr(_core, 'inject_leak'))"
    child = subprocess.run([sys.executable, "-c", code], env=environment(kind), check=False)
    if child.returncode:
        raise SystemExit(f"{kind}: Python does not find the build with sanitizers")


def main(kind: str, *command: str) -> int:
    refuse_another_build(kind)
    reports = ROOT / "build" / kind / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    prefix = without_random_addresses() if kind == "tsan" else []
    with (reports / "stderr").open("w") as errors:
        code = subprocess.run(
            [*prefix, *command], env=environment(kind, reports), stderr=errors, check=False
        ).returncode
    if code:
        print((reports / "stderr").read_text(errors="replace")[-5000:])
    logs = sorted(reports.iterdir())
    found = [report for log in logs for report in findings(log.read_text(errors="replace"))]
    for report in found:
        print(report, end="\n\n")
    print(f"{kind}: {len(found)} reports; exit code {code}")
    return 1 if found or code else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
