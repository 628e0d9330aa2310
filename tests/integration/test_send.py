"""A week sent for real: through SMTP servers and a webhook's server on loopback, kind and unkind ones."""

import asyncio
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pipelines.errors import ReportError, SettingsError
from pipelines.report.facts import report_from_rows
from pipelines.report.message import Message, chat_message, mail_message
from pipelines.report.send import Webhook, mail_of, mail_server, send_email, send_webhook, webhook
from tests.unit.report.week_rows import typical_week

PASSWORD = "p4ss-w0rd-secret"
WHEN = datetime(2026, 4, 27, 6, tzinfo=UTC)
_SUBJECT = "acme/lattice 2026-W17"


@pytest.fixture(scope="module")
def message() -> Message:
    return mail_message(report_from_rows(typical_week().build()), "zh", "https://reports.example/r.html")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that nobody but this test trusts, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + secret)
    return path


@dataclass
class Mailbox:
    """What a server took, and whom it refuses."""

    refused: tuple[str, ...] = ()
    taken: list[Any] = field(default_factory=list)
    logins: list[tuple[bytes, bytes]] = field(default_factory=list)

    async def handle_RCPT(self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any) -> str:  # noqa: N802  # because: aiosmtpd names it
        if address in self.refused:
            return "550 no such person here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802  # because: same
        self.taken.append(envelope)
        return "250 taken"

    def login(self, _server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        self.logins.append((data.login, data.password))
        return AuthResult(success=data.password == PASSWORD.encode(), handled=False)

    def mail(self) -> EmailMessage:
        """The one mail that was taken."""
        assert len(self.taken) == 1
        parsed = message_from_bytes(self.taken[0].content, policy=policy.default)
        assert isinstance(parsed, EmailMessage)
        return parsed


class _OnAnyPort(Controller):
    """aiosmtpd knocks at the port it was told, and so must be told which one the system gave it."""

    def _trigger_server(self) -> None:
        assert isinstance(self.server, asyncio.Server)
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]  # because: aiosmtpd gives it no types


@contextmanager
def _server(mailbox: Mailbox, **options: Any) -> Iterator[int]:
    controller = _OnAnyPort(mailbox, hostname="127.0.0.1", port=0, **options)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def _environment(port: int, **more: str) -> dict[str, str]:
    return {
        "PULLWEEK_SMTP_HOST": "127.0.0.1",
        "PULLWEEK_SMTP_PORT": str(port),
        "PULLWEEK_SMTP_SECURITY": "none",
        "PULLWEEK_MAIL_FROM": "pullweek <reports@acme.example>",
        "PULLWEEK_MAIL_TO": "one@acme.example, Two <two@acme.example>",
    } | more


def test_mail_arrives_in_both_forms(message: Message) -> None:
    mailbox = Mailbox()
    with _server(mailbox) as port:
        send_email(message, mail_server(_environment(port)), WHEN)
    mail = mailbox.mail()
    assert mailbox.taken[0].rcpt_tos == ["one@acme.example", "two@acme.example"]
    assert mail["Subject"] == message.subject
    assert mail["Subject"].startswith(_SUBJECT)
    assert mail["From"] == "pullweek <reports@acme.example>"
    assert mail["Date"] == "Mon, 27 Apr 2026 06:00:00 +0000"
    text, html = (mail.get_body((form,)) for form in ("plain", "html"))
    assert text is not None
    assert html is not None
    assert text.get_content().splitlines() == message.text.splitlines()
    assert html.get_content().splitlines() == message.html.splitlines()


def test_the_same_message_has_the_same_id(message: Message) -> None:
    server = mail_server(_environment(1))
    first, again = (mail_of(message, server, when)["Message-ID"] for when in (WHEN, WHEN + timedelta(days=1)))
    assert first == again
    assert first.endswith("@acme.example>")


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_login_goes_only_through_tls(message: Message, certificate: Path, security: str) -> None:
    mailbox = Mailbox()
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    served.load_cert_chain(certificate)
    trusted = ssl.create_default_context(cafile=certificate)
    tls = {"tls_context": served, "require_starttls": True} if security == "starttls" else {"ssl_context": served}
    options = {
        **tls,
        "authenticator": mailbox.login,
        "auth_required": security == "starttls",
        "auth_require_tls": security == "starttls",
    }
    with _server(mailbox, **options) as port:
        given = {"PULLWEEK_SMTP_SECURITY": security, "PULLWEEK_SMTP_USER": "reports", "PULLWEEK_SMTP_PASSWORD": PASSWORD}
        send_email(message, mail_server(_environment(port, **given)), WHEN, trusted)
    assert mailbox.logins == [(b"reports", PASSWORD.encode())]
    assert mailbox.mail()["Subject"] == message.subject


def test_a_server_that_nobody_vouches_for_gets_nothing(message: Message, certificate: Path) -> None:
    mailbox = Mailbox()
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    served.load_cert_chain(certificate)
    with _server(mailbox, tls_context=served) as port:
        server = mail_server(_environment(port, PULLWEEK_SMTP_SECURITY="starttls"))
        with pytest.raises(ReportError, match=r"certificate verify failed.*Nothing was sent"):
            send_email(message, server, WHEN)
    assert mailbox.taken == []


def test_a_refused_login_is_one_clear_line_without_the_password(message: Message) -> None:
    mailbox = Mailbox()
    with _server(mailbox, authenticator=mailbox.login, auth_require_tls=False) as port:
        server = mail_server(_environment(port, PULLWEEK_SMTP_USER="reports", PULLWEEK_SMTP_PASSWORD="wrong-secret"))
        with pytest.raises(ReportError, match=r"refused the login \(535\)\. Check PULLWEEK_SMTP_USER") as caught:
            send_email(message, server, WHEN)
    assert "wrong-secret" not in f"{caught.value} {caught.value.__cause__} {server!r}"
    assert mailbox.taken == []


def test_a_server_without_starttls_gets_nothing(message: Message) -> None:
    mailbox = Mailbox()
    with _server(mailbox) as port:
        server = mail_server(_environment(port, PULLWEEK_SMTP_SECURITY="starttls"))
        with pytest.raises(ReportError, match=r"STARTTLS extension not supported.*Set PULLWEEK_SMTP_SECURITY"):
            send_email(message, server, WHEN)
    assert mailbox.taken == []


def test_refused_recipients_are_named(message: Message) -> None:
    some = Mailbox(refused=("two@acme.example",))
    with (
        _server(some) as port,
        pytest.raises(ReportError, match=r"sent, but 1 were refused, e\.g\. two@acme\.example \(550 no such"),
    ):
        send_email(message, mail_server(_environment(port)), WHEN)
    assert some.taken[0].rcpt_tos == ["one@acme.example"]
    every = Mailbox(refused=("one@acme.example", "two@acme.example"))
    with _server(every) as port, pytest.raises(ReportError, match=r"refused all of them, e\.g\. one@acme\.example"):
        send_email(message, mail_server(_environment(port)), WHEN)
    assert every.taken == []


def test_no_server_is_one_clear_line(message: Message) -> None:
    with _server(Mailbox()) as port:
        pass
    with pytest.raises(ReportError, match=rf"mail to 2 recipients by 127\.0\.0\.1:{port}: .*refused.*Nothing was sent"):
        send_email(message, mail_server(_environment(port)), WHEN)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"PULLWEEK_SMTP_HOST": ""}, r"PULLWEEK_SMTP_HOST not set"),
        ({"PULLWEEK_MAIL_TO": " "}, r"PULLWEEK_MAIL_TO not set"),
        ({"PULLWEEK_MAIL_TO": "nobody"}, r"PULLWEEK_MAIL_TO holds 'nobody', which is not a mail address"),
        ({"PULLWEEK_MAIL_FROM": "a@b\nBcc: c@d"}, r"PULLWEEK_MAIL_FROM holds"),
        ({"PULLWEEK_SMTP_PORT": "many"}, r"PULLWEEK_SMTP_PORT is 'many'\. Set it to a number such as 25"),
        ({"PULLWEEK_SMTP_PORT": "65536"}, r"PULLWEEK_SMTP_PORT is '65536'"),
        ({"PULLWEEK_SMTP_SECURITY": "ssl"}, r"PULLWEEK_SMTP_SECURITY is 'ssl'\. Set it to starttls, tls, none"),
        ({"PULLWEEK_SMTP_HOST": "mail.example", "PULLWEEK_SMTP_USER": "u"}, r"a password would go to mail\.example in the open"),
    ],
)
def test_mail_settings_that_do_not_hold_together_are_refused(given: dict[str, str], reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        mail_server(_environment(25, **given))


def test_ports_follow_security() -> None:
    ports = {
        security: mail_server(_environment(0) | {"PULLWEEK_SMTP_PORT": "", "PULLWEEK_SMTP_SECURITY": security}).port
        for security in ("starttls", "tls", "none")
    }
    assert ports == {"starttls": 587, "tls": 465, "none": 25}


class _Hook(ThreadingHTTPServer):
    """A webhook's server that answers with one status and remembers what came."""

    def __init__(self, status: int, headers: dict[str, str]) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.status, self.headers = status, headers
        self.got: list[tuple[str, dict[str, Any]]] = []


class _Answer(BaseHTTPRequestHandler):
    server: _Hook

    def do_POST(self) -> None:  # because: http.server names it
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, json.loads(body)))
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Stay quiet."""


@contextmanager
def _hook(status: int = 200, **headers: str) -> Iterator[_Hook]:
    server = _Hook(status, {name.replace("_", "-"): value for name, value in headers.items()})
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _address(server: _Hook) -> dict[str, str]:
    return {"PULLWEEK_WEBHOOK_URL": f"http://127.0.0.1:{server.server_port}/services/T0/s3cret"}


@pytest.mark.parametrize("style", ["markdown", "slack"])
def test_a_post_arrives(style: str) -> None:
    text = chat_message(report_from_rows(typical_week().build()), "zh")
    with _hook() as server:
        send_webhook(text, webhook(_address(server) | {"PULLWEEK_WEBHOOK_STYLE": style}))
    assert server.got == [("/services/T0/s3cret", {"text": text})]


def test_discord_gets_its_own_form_and_mentions_nobody() -> None:
    with _hook(204) as server:
        send_webhook("hello", webhook(_address(server) | {"PULLWEEK_WEBHOOK_STYLE": "discord"}))
    assert server.got[0][1] == {"content": "hello", "allowed_mentions": {"parse": []}}


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        (404, {}, r"answered 404 Not Found\. Check PULLWEEK_WEBHOOK_URL, or send again\."),
        (429, {"Retry_After": "30"}, r"answered 429 Too Many Requests\. .* or send again after 30 s\."),
        (302, {"Location": "http://127.0.0.1:1/elsewhere"}, r"answered 302 Found"),
        (500, {}, r"answered 500"),
    ],
)
def test_an_answer_that_is_no_success_is_one_clear_line_without_the_secret(
    status: int, headers: dict[str, str], message: str
) -> None:
    with _hook(status, **headers) as server:
        hook = webhook(_address(server))
        with pytest.raises(ReportError, match=message) as caught:
            send_webhook("hello", hook)
    assert len(server.got) == 1
    assert "s3cret" not in f"{caught.value} {hook!r}"


def test_no_answer_is_one_clear_line_without_the_secret() -> None:
    with _hook() as server:
        hook = webhook(_address(server))
    with pytest.raises(ReportError, match=r"webhook http://127\.0\.0\.1: no answer \(ConnectionError\)") as caught:
        send_webhook("hello", hook)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("url", ["", "http://chat.example/hook", "ftp://127.0.0.1/x", "hook"])
def test_a_webhook_that_is_not_secured_is_refused(url: str) -> None:
    with pytest.raises(SettingsError, match=r"PULLWEEK_WEBHOOK_URL is not set to an https address"):
        webhook({"PULLWEEK_WEBHOOK_URL": url})
    assert Webhook("https://hooks.example/s3cret").place == "https://hooks.example"


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"PULLWEEK_WEBHOOK_STYLE is 'teams'\. Set it to markdown, slack, discord"):
        webhook({"PULLWEEK_WEBHOOK_URL": "https://x.example", "PULLWEEK_WEBHOOK_STYLE": "teams"})
