"""Receives webhooks as the API's reference advises, with what Python (3.9 or newer) brings and nothing else:

    WEBHOOK_SECRET=whsec_... PORT=8080 python3 receiver.py

1. It verifies the signature over the raw bytes, before it parses them, in constant time.
2. It handles each data.id once: the same event may arrive again.
3. It answers 2xx at once when an event is handled. Anything else, and silence for 10 s, is a failure, and the event comes
   again after 30 s and after 5 min.
"""

import hashlib
import hmac
import json
import os
import re
import socket
import sys
import threading
import time
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "").encode("utf-8")
PORT = int(os.environ.get("PORT", "8080"))

# Events are at most 256 KB; what is much longer does not come from the service.
BODY_BYTES_MAX = 1024 * 1024
# An event is repeated within minutes; a replay may bring it again for as long as events are kept, 7 to 30 days. A real receiver keeps the ids in its database.
REMEMBERED_SECONDS = 24 * 60 * 60
REMEMBERED_MAX = 100_000

# When each event was handled, by its id, oldest first.
handled: "OrderedDict[str, float]" = OrderedDict()
# The ids of events that are being handled.
under_way: "set[str]" = set()
# Guards both, and is never held while an event is handled.
lock = threading.Lock()


def handle(event: dict) -> None:
    """What your application does with an event. Long work belongs into a queue: 10 s are all the time there is."""


def is_signed(body: bytes, signature: "str | None") -> bool:
    """Whether the header is the lowercase hex HMAC-SHA256 of these bytes, keyed with the whole secret."""
    expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (signature or "").encode("utf-8", "replace"))


def handle_once(event: dict) -> "bool | None":
    """True when it handled the event, False when that was done before, None while another thread is handling it.

    Remembers an event once it is handled: where that fails, the event is handled when it comes again.
    """
    event_id = event["data"]["id"]
    if not isinstance(event_id, str):
        raise TypeError("the event has no `data.id`")
    with lock:
        if event_id in under_way:
            return None
        if event_id in handled:
            return False
        under_way.add(event_id)
    try:
        handle(event)
        with lock:
            remember(event_id)
    finally:
        with lock:
            under_way.discard(event_id)
    return True


def remember(event_id: str) -> None:
    now = time.monotonic()
    while handled:
        oldest, at = next(iter(handled.items()))
        if len(handled) < REMEMBERED_MAX and now - at < REMEMBERED_SECONDS:
            break
        del handled[oldest]
    handled[event_id] = now


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 15

    def do_POST(self) -> None:
        try:
            status = self.receive()
        except Exception as error:  # Not handled: a 5xx makes it come again.
            print(repr(error), file=sys.stderr, flush=True)
            status = 500
        self.answer(status)

    def refuse_method(self) -> None:
        self.answer(405)

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = refuse_method

    def receive(self) -> int:
        length = self.headers.get("Content-Length")
        if length is None:
            return 411
        if not re.fullmatch("[0-9]{1,15}", length):
            return 400
        if int(length) > BODY_BYTES_MAX:
            return 413
        body = self.rfile.read(int(length))
        # For 24 hours after a rotation both secrets sign: a receiver that still has the former one stays valid.
        names = ("X-Service-Signature", "X-Service-Signature-Previous")
        if not any(is_signed(body, self.headers.get(name)) for name in names):
            return 401
        event = json.loads(body)
        is_new = handle_once(event)
        # The event comes again. No Retry-After: on a 503 it would hold all events of the webhook.
        if is_new is None:
            return 503
        line = json.dumps({"isRepeated": not is_new, "body": event}) + "\n"
        # One write of bytes: lines of several threads do not mix.
        sys.stdout.buffer.write(line.encode())
        sys.stdout.buffer.flush()
        return 204

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        if status == 405:
            self.send_header("Allow", "POST")
        # A body that was not read would be taken for the next request.
        if status in (400, 405, 411, 413, 500):
            self.send_header("Connection", "close")
        self.end_headers()
        if status in (400, 405, 411, 413):
            self.discard()

    def discard(self) -> None:
        """Reads what is left for 2 s: a connection that is closed on what was not read is reset, and the answer lost."""
        until = time.monotonic() + 2
        self.connection.shutdown(socket.SHUT_WR)
        self.connection.settimeout(2)
        try:
            while time.monotonic() < until and self.rfile.read1(65_536):
                pass
        except OSError:  # The sender is silent, or has gone.
            pass

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    if not SECRET:
        sys.exit("WEBHOOK_SECRET is not set: the secret of the webhook, whsec_...")
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
    print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
