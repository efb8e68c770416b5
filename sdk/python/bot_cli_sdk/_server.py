"""The plugin's side of the protocol: reads requests, serves them one at a time, and stops cancelled commands.

Commands run in the main thread, where a signal handler can raise `Cancelled` at any point. A second thread reads messages from the host. A third ends
the process if a cancelled command does not stop in time, for example because a library swallows every exception.
"""

import json
import os
import queue
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, cast

from .failure import Cancelled, ErrorReply, Failure, Json, defect, members

GRACE = 0.8
LONGEST_LINE = 8 * 1024 * 1024
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LOOK = signal.SIGUSR1  # sent by the reading thread to make the main thread check for cancellation


class Server:
    """Speaks the protocol over standard input and output. `print` and child processes write to standard error instead."""

    def __init__(self, serve: Callable[["Server", str, Json], Json]) -> None:
        self._serve = serve
        self._wire = os.dup(1)
        os.dup2(2, 1)
        self._requests: queue.SimpleQueue[Json | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Json | None] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._open: list[Any] = []  # ids of the unanswered requests, starting with the current one
        self._unwanted: list[Any] = []
        self._guards = 1  # 0 only while the author's code runs, when `Cancelled` may be raised
        self._shields = 0
        self._raised = False
        self._asked = 0
        self._told = 0  # the exit status after a signal
        self._main = threading.get_ident()
        self.id: Any = None
        self.status = 0

    def run(self) -> NoReturn:
        """Serves all requests, then exits."""
        woken, wakeup = os.pipe()
        os.set_blocking(wakeup, False)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        for number in (*_SIGNALS, _LOOK):
            signal.signal(number, self._handle)
        threading.Thread(target=self._enforce, args=(woken,), daemon=True).start()
        threading.Thread(target=self.listen, daemon=True).start()
        while request := self._requests.get():
            self._reply(request)
        sys.exit(self._told or self.status)

    def write(self, line: bytes) -> None:
        with self.guarded(), self._lock:
            try:
                while line:
                    line = line[os.write(self._wire, line) :]
            except BrokenPipeError:
                self._leave(1)  # the host is gone

    def adapted(self, params: Json, options: list[str]) -> Json:
        """Returns the parameters with the host options from `argv` applied to their context."""
        context = {**members(params.get("context"))}
        if not {"--json", "--json=lines"}.isdisjoint(options):
            context["format"] = "json"
        if not {"-q", "--quiet"}.isdisjoint(options):
            context["quiet"] = True
        more = sum({"-v": 1, "--verbose": 1, "-vv": 2}.get(option, 0) for option in options)
        return {**params, "context": {**context, "verbosity": int(context.get("verbosity") or 0) + more}}

    def notify(self, method: str, **params: Any) -> None:
        self.write(encoded({"method": method, "params": {"id": self.id, **params}}))

    def request(self, method: str, params: Json) -> Json:
        """Sends a request to the host and returns the result. End of input is treated as cancellation."""
        self._asked += 1
        id = f"{method}-{self._asked}"
        self.write(encoded({"id": id, "method": method, "params": params}))
        while (reply := self._answers.get()) and reply.get("id") != id:
            pass  # a late answer to a cancelled question
        if reply is None:
            self._answers.put(None)
            raise Cancelled
        if error := members(reply.get("error")):
            raise Failure(str(error.get("message", method)), code=str(members(error.get("data")).get("code", "failed")))
        return members(reply.get("result"))

    @contextmanager
    def guarded(self) -> Generator[None, None, None]:
        """Delays `Cancelled` until the end of the block."""
        if threading.get_ident() != self._main:
            yield
            return
        self._guards += 1
        try:
            yield
        finally:
            self._guards -= 1
        self._look()

    @contextmanager
    def shielded(self) -> Generator[None, None, None]:
        """Lets a block finish even if the command is cancelled, however long it takes."""
        self._shields += 1
        try:
            with self.guarded():
                yield
        finally:
            self._shields -= 1
            if self._stops():
                signal.raise_signal(_LOOK)  # the grace period begins now

    def _reply(self, request: Json) -> None:
        self.id, self._raised = request["id"], False
        try:
            try:
                line = self.line(self.id, result=self._result(request))
            except ErrorReply as failure:
                line = self.line(self.id, error=failure.error())
        except Cancelled:
            self._guards = 1
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            self.end_children()
            signal.signal(signal.SIGTERM, self._handle)
            line = self._cancelled(self.id, self._told or 130)
        except Exception as error:
            failure = error if isinstance(error, Failure) else Failure(defect(error), code="internal")
            line = self.line(self.id, error=failure.error())
        with self._lock:
            self._open.remove(self.id)
            self._unwanted = [id for id in self._unwanted if id != self.id]
            self.write(line)

    def _result(self, request: Json) -> Json:
        params = members(request.get("params"))
        try:
            version = params.get("protocol", "1.0")
            if not isinstance(version, str):
                raise ErrorReply(-32602, "`protocol` must be a version")
            if version.split(".")[0] != "1":
                raise ErrorReply(-32022, f"protocol version `{version}` is not supported", supported=["1.0"])
            self._guards = 0
            self._look()
            return self._serve(self, request["method"], params)
        finally:
            self._guards = 1

    def line(self, id: Any, **reply: Json) -> bytes:
        return encoded({"id": id, **reply})

    def _cancelled(self, id: Any, status: int) -> bytes:
        return self.line(id, error=Failure("cancelled", code="cancelled", exit=130 if status == 130 else 143).error())

    def _stops(self) -> bool:
        return bool(self._open) and (bool(self._told) or self.id in self._unwanted)

    def _look(self) -> None:
        if not self._guards and not self._raised and self._stops():
            self._raised = True
            raise Cancelled

    def _handle(self, number: int, _frame: object) -> None:
        if number != _LOOK and not self._told:
            self._told = 128 + number
            self._requests.put(None)
        self._look()

    def _enforce(self, woken: int) -> NoReturn:
        while True:
            number = os.read(woken, 1)[0]
            if number not in (*_SIGNALS, _LOOK):
                continue  # handled by the author, such as `SIGALRM`
            until = time.monotonic() + GRACE
            while (goes_on := number != _LOOK or self._stops()) and time.monotonic() < until:
                time.sleep(0.05)
                if not self._raised:
                    # A signal that arrives just before a system call does not interrupt the call.
                    signal.pthread_kill(self._main, _LOOK)
            if goes_on and not self._shields:
                self._leave(self._told or (130 if number == _LOOK else 128 + number))

    def _leave(self, status: int) -> NoReturn:
        """Replies to all open requests and terminates the process and its children. Holds the lock so that no other thread can reply."""
        self._lock.acquire()
        try:
            for id in self._open:
                os.write(self._wire, self._cancelled(id, status))
            self.end_children()
        finally:
            os._exit(status)

    def end_children(self) -> None:
        """Terminates the plugin's child processes if the plugin leads its process group."""
        if os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGTERM)

    def listen(self) -> None:
        for line in _lines(0):
            if line.strip():
                self._hear(line)
        self.take(None)
        poll = select.poll()
        poll.register(self._wire, 0)
        poll.poll()  # returns when the reader of the output is gone, too
        os.kill(os.getpid(), signal.SIGHUP)

    def _hear(self, line: bytes) -> None:
        try:
            self.take(decoded(line))
        except ErrorReply as why:
            self.write(self.line(None, error=why.error()))

    def take(self, message: Json | None) -> None:
        """Dispatches a message; `None` means end of input."""
        if message is None:
            self._requests.put(None)
            self._answers.put(None)
        elif message.get("method") == "cancel":
            with self._lock:
                id = members(message.get("params")).get("id")
                self._unwanted += [id] if id in self._open else []
            signal.pthread_kill(self._main, _LOOK)
        elif "method" not in message:
            self._answers.put(message)
        elif message.get("id") is not None:
            with self._lock:
                self._open.append(message["id"])
            self._requests.put(message)


def encoded(message: Json) -> bytes:
    """Encodes a message as one line. Invalid Unicode, such as in a file name, is replaced with `?`."""
    text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, allow_nan=False, default=plain)
    line = text.encode("utf-8", "replace") + b"\n"
    if len(line) > LONGEST_LINE:
        raise Failure(f"the {'message' if 'method' in message else 'result'} is longer than 8 MiB", code="too_large")
    return line


def decoded(line: bytes) -> Json:
    if len(line.removesuffix(b"\r")) > LONGEST_LINE:
        raise ErrorReply(-32600, "the line is longer than 8 MiB")
    try:
        message = members(json.loads(line.decode()))
    except (ValueError, RecursionError):
        raise ErrorReply(-32700, "the line is not JSON in UTF-8") from None
    id = message.get("id")
    is_id = id is None or (isinstance(id, (int, str)) and not isinstance(id, bool))
    is_call = isinstance(message.get("method"), str) and isinstance(message.get("params"), (dict, type(None)))
    is_reply = "method" not in message and not {"result", "error"}.isdisjoint(message)
    if message.get("jsonrpc") != "2.0" or not is_id or not (is_call or is_reply):
        raise ErrorReply(-32600, "the line is not a message")
    return message


def plain(value: Any) -> Any:
    """Converts a value for JSON: dataclasses to objects, sets to lists, and anything else to a string."""
    if hasattr(value, "__dataclass_fields__"):
        return vars(cast("object", value))
    return sorted(cast("set[Any]", value)) if isinstance(value, (set, frozenset)) else str(value)


def _lines(descriptor: int) -> Iterator[bytes]:
    """Yields the lines of a file descriptor, and truncates lines that are too long.

    It avoids buffered streams, because their lock would delay exit.
    """
    line = bytearray()
    while chunk := os.read(descriptor, 65536):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield bytes(line + end)
            line.clear()
        if len(line) <= LONGEST_LINE + 1:
            line += rest
    if line:
        yield bytes(line)
