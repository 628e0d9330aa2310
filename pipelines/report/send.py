"""Sending a week: mail through an SMTP server, a post through a webhook.

Where to send comes from the environment. Passwords, and a webhook's address, which is a secret by itself, never
reach a message, an error or a representation. Nothing is sent twice: a failure is one clear error, and says how far it got.
"""

import smtplib
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from hashlib import sha256
from typing import Literal
from urllib.parse import urlsplit

from pipelines.errors import ReportError, SettingsError
from pipelines.report.message import CHAT_LIMITS, ChatStyle, Message

Security = Literal["starttls", "tls", "none"]
_PORTS: dict[Security, int] = {"starttls": 587, "tls": 465, "none": 25}
#: Long enough for a server that greylists or scans, short enough that a schedule is not held up by a dead one.
TIMEOUT_SECONDS = 30.0
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_OK = range(200, 300)


@dataclass(frozen=True)
class MailServer:
    """Where mail goes: server, how it is secured, who sends and who receives."""

    host: str
    port: int
    security: Security
    sender: str
    recipients: tuple[str, ...]
    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True)
class Webhook:
    """Where posts go, and in whose format."""

    url: str = field(repr=False)
    style: ChatStyle = "markdown"

    @property
    def place(self) -> str:
        """The address without what makes it a secret."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.hostname or '?'}"


def mail_server(environment: Mapping[str, str]) -> MailServer:
    """The mail server of the environment; :class:`SettingsError` where it does not hold together.

    ``PULLWEEK_SMTP_HOST``, ``_PORT``, ``_SECURITY`` (starttls, tls or none), ``_USER``, ``_PASSWORD``;
    ``PULLWEEK_MAIL_FROM``, and ``PULLWEEK_MAIL_TO`` with commas between addresses.
    """
    given = {name: environment.get(f"PULLWEEK_{name}", "").strip() for name in ("SMTP_HOST", "MAIL_FROM", "MAIL_TO")}
    if missing := [f"PULLWEEK_{name}" for name, value in given.items() if not value]:
        raise SettingsError(f"mail: {', '.join(missing)} not set. Set them, for example PULLWEEK_SMTP_HOST=mail.example.org.")
    wanted = environment.get("PULLWEEK_SMTP_SECURITY") or "starttls"
    security = next((each for each in _PORTS if each == wanted), None)
    if security is None:
        raise SettingsError(f"mail: PULLWEEK_SMTP_SECURITY is {wanted!r}. Set it to {', '.join(_PORTS)}.")
    made = MailServer(
        host=given["SMTP_HOST"],
        port=_port(environment.get("PULLWEEK_SMTP_PORT", ""), security),
        security=security,
        sender=_address("PULLWEEK_MAIL_FROM", given["MAIL_FROM"]),
        recipients=tuple(_address("PULLWEEK_MAIL_TO", each) for each in given["MAIL_TO"].split(",") if each.strip()),
        user=environment.get("PULLWEEK_SMTP_USER", ""),
        password=environment.get("PULLWEEK_SMTP_PASSWORD", ""),
    )
    if made.user and made.security == "none" and made.host not in _LOOPBACK:
        raise SettingsError(f"mail: a password would go to {made.host} in the open. Set PULLWEEK_SMTP_SECURITY to starttls or tls.")
    return made


def _port(text: str, security: Security) -> int:
    if not text:
        return _PORTS[security]
    if not text.isdecimal() or not 0 < int(text) < 1 << 16:
        raise SettingsError(f"mail: PULLWEEK_SMTP_PORT is {text!r}. Set it to a number such as {_PORTS[security]}.")
    return int(text)


def _address(variable: str, text: str) -> str:
    """A mail address as given, with or without a name; never more than one line."""
    address = parseaddr(text)[1]
    if "@" not in address or len(text.splitlines()) != 1:
        raise SettingsError(f"mail: {variable} holds {text!r}, which is not a mail address. Write it as reports@example.org.")
    return text.strip()


def webhook(environment: Mapping[str, str]) -> Webhook:
    """The webhook of the environment: ``PULLWEEK_WEBHOOK_URL``, ``PULLWEEK_WEBHOOK_STYLE`` (markdown, slack or discord)."""
    url, wanted = environment.get("PULLWEEK_WEBHOOK_URL", "").strip(), environment.get("PULLWEEK_WEBHOOK_STYLE") or "markdown"
    style = next((each for each in CHAT_LIMITS if each == wanted), None)
    if style is None:
        raise SettingsError(f"webhook: PULLWEEK_WEBHOOK_STYLE is {wanted!r}. Set it to {', '.join(CHAT_LIMITS)}.")
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise SettingsError("webhook: PULLWEEK_WEBHOOK_URL is not set to an https address. Set it to the one your chat gave you.")
    return Webhook(url, style)


def send_email(message: Message, server: MailServer, sent_at: datetime, context: ssl.SSLContext | None = None) -> None:
    """Hand the message to the server for every recipient; :class:`ReportError` where it refuses any of them."""
    secured = context or ssl.create_default_context()
    where = f"mail to {len(server.recipients)} recipients by {server.host}:{server.port}"
    try:
        with _connected(server, secured) as client:
            if server.user:
                client.login(server.user, server.password)
            refused = client.send_message(mail_of(message, server, sent_at))
    except smtplib.SMTPAuthenticationError as error:
        raise ReportError(
            f"{where}: the server refused the login ({error.smtp_code}). Check PULLWEEK_SMTP_USER and _PASSWORD."
        ) from None
    except smtplib.SMTPRecipientsRefused as error:
        raise ReportError(
            f"{where}: the server refused all of them, e.g. {_first_refusal(error.recipients)}. Check PULLWEEK_MAIL_TO."
        ) from None
    except smtplib.SMTPNotSupportedError as error:
        raise ReportError(f"{where}: {error}. Set PULLWEEK_SMTP_SECURITY to what the server offers.") from None
    except (OSError, smtplib.SMTPException) as error:
        raise ReportError(f"{where}: {_reason(error)}. Nothing was sent; check host, port and PULLWEEK_SMTP_SECURITY.") from None
    if refused:
        raise ReportError(
            f"{where}: sent, but {len(refused)} were refused, e.g. {_first_refusal(refused)}. Check PULLWEEK_MAIL_TO."
        )


def _connected(server: MailServer, context: ssl.SSLContext) -> smtplib.SMTP:
    if server.security == "tls":
        return smtplib.SMTP_SSL(server.host, server.port, timeout=TIMEOUT_SECONDS, context=context)
    client = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT_SECONDS)
    try:
        if server.security == "starttls":
            client.starttls(context=context)
    except BaseException:
        client.close()
        raise
    return client


def mail_of(message: Message, server: MailServer, sent_at: datetime) -> EmailMessage:
    """The message as mail: plain text first, HTML beside it; its id is made of what it holds, and so the same again."""
    mail = EmailMessage(policy=SMTP)
    mail["Subject"], mail["From"], mail["To"] = message.subject, server.sender, ", ".join(server.recipients)
    mail["Date"] = format_datetime(sent_at)
    digest = sha256(f"{message.subject}\0{message.text}\0{message.html}".encode()).hexdigest()[:32]
    mail["Message-ID"] = f"<{digest}@{parseaddr(server.sender)[1].rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(message.text)
    mail.add_alternative(message.html, subtype="html")
    return mail


def _first_refusal(refused: Mapping[str, tuple[int, bytes]]) -> str:
    address, (code, text) = min(refused.items())
    return f"{address} ({code} {text.decode(errors='replace')})"


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def send_webhook(text: str, hook: Webhook) -> None:
    """Post the text as JSON; :class:`ReportError` where the server does not take it. Redirects are not followed."""
    import requests

    body = {"content": text, "allowed_mentions": {"parse": []}} if hook.style == "discord" else {"text": text}
    try:
        answer = requests.post(hook.url, json=body, timeout=TIMEOUT_SECONDS, allow_redirects=False)
    except requests.RequestException as error:
        # The exception's own text holds the address, and so the secret.
        raise ReportError(
            f"webhook {hook.place}: no answer ({type(error).__name__}). Check PULLWEEK_WEBHOOK_URL and the network."
        ) from None
    if answer.status_code not in _OK:
        wait = f" after {answer.headers['Retry-After']} s" if answer.headers.get("Retry-After", "").isdecimal() else ""
        raise ReportError(
            f"webhook {hook.place}: answered {answer.status_code} {answer.reason}. Check PULLWEEK_WEBHOOK_URL, or send again{wait}."
        )
