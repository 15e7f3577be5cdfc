"""The service over loopback with 8 clients: requests a second, CPU a request, and memory over many requests.

Clients are a process of their own, so that the CPU of the service is its own. Replies to questions leave at steps of
40 ms: 8 clients that wait for each reply get 200 a second at most, whatever the service can do. What it can do is seen
with more clients, and in the CPU that it spends.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import cost, tacita

Line = tuple[str, str, str, str, str]
_POLICY = """
name = "bench"
[[filter]]
attribute = "a"
[[filter]]
attribute = "b"
[[measure]]
attribute = "v"
lower = 0
upper = 100
[rules]
knows_bounds = false
"""
_CLIENT = """
import collections, http.client, json, random, sys, threading, time
port, token, kind, clients, requests = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
draw = random.Random(kind + str(requests))
def question():
    a = ", ".join(f"'a{one}'" for one in draw.sample(range(20), 10))
    b = ", ".join(f"'b{one}'" for one in draw.sample(range(20), 10))
    return json.dumps({"sql": f"SELECT SUM(v) FROM bench WHERE a IN ({a}) AND b IN ({b})"})
few = [question() for _ in range(20)]
body_of = {"ask": question, "repeated": lambda: draw.choice(few), "metadata": lambda: None}[kind]
work = (body_of() for _ in range(requests))
statuses, lock = collections.Counter(), threading.Lock()
def send():
    connection = http.client.HTTPConnection("127.0.0.1", port)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    while True:
        with lock:
            body = next(work, "")
        if body == "":
            return
        path = "/v1/databases/bench" + ("" if body is None else "/ask")
        connection.request("GET" if body is None else "POST", path, body, headers)
        reply = connection.getresponse()
        text = reply.read()
        with lock:
            statuses[reply.status, json.loads(text).get("status") if body else ""] += 1
threads = [threading.Thread(target=send) for _ in range(clients)]
began = time.perf_counter()
[thread.start() for thread in threads]; [thread.join() for thread in threads]
seconds = time.perf_counter() - began
assert {status for status, _ in statuses} == {200}, set(statuses)
answered = sum(number for (_, one), number in statuses.items() if one == "answered")
print(json.dumps({"a_second": requests / seconds, "answered": answered}))
"""


def service(folder: Path) -> Iterator[Line]:
    """Metadata and audited sums a second, and memory over many requests."""
    opened, state, token = _prepared(folder)
    with _served(opened, state) as (process, port):
        _load(port, token, "ask", 8, 16)  # loops are compiled
        for kind, clients, requests, bar in (
            ("metadata", 8, 3_000, "at least 300 a second on 2 idle cores"),
            ("ask", 8, 400, "at least 150 a second on 2 idle cores"),
            ("ask", 32, 801, ""),
        ):
            before = _cpu(process.pid)
            measured = _load(port, token, kind, clients, requests)
            spent = 1000 * (_cpu(process.pid) - before) / requests
            what = f"service, {kind}, {clients} clients"
            ours = f"{measured['a_second']:.0f} a second, {spent:.2f} ms CPU each"
            yield what, ours, "", f"{measured['answered']} of {requests} answered" if kind == "ask" else "", bar
    yield from memory(folder / "memory", 10_000, 1_000)


def memory(folder: Path, requests: int, questions: int) -> Iterator[Line]:
    """Memory over many requests, and over many repeated questions, each of which is one more entry to remember."""
    folder.mkdir()
    opened, state, token = _prepared(folder)
    with _served(opened, state) as (process, port):
        for kind, number in (("metadata", requests), ("repeated", questions)):
            _load(port, token, kind, 16, 400)
            megabytes = [_megabytes(process.pid)]
            for _ in range(4):
                _load(port, token, kind, 16, number // 4)
                megabytes.append(_megabytes(process.pid))
            shown = ", ".join(f"{one:.1f}" for one in megabytes)
            yield f"service, memory over {number:,} {kind}", f"{shown} MB", "", "", "flat" if kind == "metadata" else ""


def _prepared(folder: Path) -> tuple[Path, Path, str]:
    """Open a data set, and return its folder, the state of a service, and a token."""
    draw = np.random.default_rng(1)
    rows = 40_000
    columns = {
        "a": [f"a{one}" for one in draw.integers(0, 20, rows)],
        "b": [f"b{one}" for one in draw.integers(0, 20, rows)],
        "v": draw.integers(0, 101, rows),
    }
    pq.write_table(pa.table(columns), folder / "bench.parquet")
    (folder / "policy.toml").write_text(_POLICY)
    opened, state = folder / "bench.opened", folder / "state"
    cost(
        tacita(
            "query",
            "open",
            str(folder / "bench.parquet"),
            "--policy",
            str(folder / "policy.toml"),
            "--out",
            str(opened),
        )
    )
    made = subprocess.run(
        tacita("token", "make", "ann", "--state", str(state), "--json"), stdout=subprocess.PIPE, check=True
    )
    token = json.loads(made.stdout)["token"]
    return opened, state, token


@contextlib.contextmanager
def _served(folder: Path, state: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    options = ["--state", str(state), "--port", "0", "--rate", "100000", "--burst", "100000"]
    command = tacita("serve", str(folder), *options)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        port = int(json.loads(process.stdout.readline())["url"].rpartition(":")[2])
        try:
            yield process, port
        finally:
            process.terminate()


def _load(port: int, token: str, kind: str, clients: int, requests: int) -> dict[str, float]:
    arguments = [str(port), token, kind, str(clients), str(requests)]
    done = subprocess.run([sys.executable, "-c", _CLIENT, *arguments], stdout=subprocess.PIPE, check=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _cpu(process: int) -> float:
    """Return user and system CPU seconds of a process."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _megabytes(process: int) -> float:
    """Return the memory that a process has now."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


if __name__ == "__main__":  # python -m benchmarks.service 100000 10000: memory alone, over so many requests
    with tempfile.TemporaryDirectory() as name:
        for line in memory(Path(name) / "memory", int(sys.argv[1]), int(sys.argv[2])):
            sys.stdout.write(" | ".join(line) + "\n")
            sys.stdout.flush()
