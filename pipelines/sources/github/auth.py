"""Who asks, and where: tokens or a GitHub App from the environment, and the address of the API.

A token is held only here and by PyGithub. Its ``repr`` says its place in the list, never its value;
:meth:`Access.redact` takes every secret out of a text before it becomes an error or a note.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipelines.errors import SettingsError

if TYPE_CHECKING:
    from github.Auth import Auth

DEFAULT_API_URL = "https://api.github.com"
TOKEN_VARIABLE = "GITHUB_TOKEN"  # noqa: S105  # because: the name of a variable
URL_VARIABLE = "GITHUB_API_URL"
APP_VARIABLES = ("GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY", "GITHUB_APP_INSTALLATION_ID")
HIDDEN = "***"

_KINDS = (
    ("github_pat_", "fine-grained personal token"),
    ("ghp_", "classic personal token"),
    ("gho_", "OAuth token"),
    ("ghu_", "user token of an app"),
    ("ghs_", "installation token"),
)


@dataclass(frozen=True)
class Credential:
    """One way to prove who asks: a token, or an app's installation."""

    name: str  # "token 1 of 2", "app 12345"
    token: str | None = field(default=None, repr=False)
    app_id: str | None = None
    private_key: str | None = field(default=None, repr=False)
    installation_id: int | None = None

    @property
    def kind(self) -> str:
        """What kind of token it is, by its first letters, which are not secret."""
        if self.token is None:
            return "GitHub App"
        return next((kind for prefix, kind in _KINDS if self.token.startswith(prefix)), "token of an unknown kind")

    def auth(self) -> "Auth":
        """PyGithub's form of it; :class:`SettingsError` where an app's key is no key."""
        from github import Auth
        from jwt.exceptions import PyJWTError

        if self.token is not None:
            return Auth.Token(self.token)
        assert self.app_id is not None  # noqa: S101  # because: from_environment makes no other kind
        assert self.private_key is not None  # noqa: S101  # because: same
        assert self.installation_id is not None  # noqa: S101  # because: same
        app = Auth.AppAuth(self.app_id, self.private_key)
        try:
            app.create_jwt()
        except (PyJWTError, ValueError):
            raise SettingsError(
                f"{APP_VARIABLES[1]}: not an RSA private key in PEM form. Copy it again, BEGIN and END lines too."
            ) from None
        return app.get_installation_auth(self.installation_id)


@dataclass(frozen=True)
class Access:
    """The API's address and the credentials to use there."""

    api_url: str
    credentials: tuple[Credential, ...]

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Access":
        """Access as the environment tells; :class:`SettingsError` where it does not hold together."""
        credentials = _app(environment) or _tokens(environment)
        if not credentials:
            raise SettingsError(
                f"{TOKEN_VARIABLE}: not set. Set it to a token that may read the repository (several: separated by commas), "
                f"or set {', '.join(APP_VARIABLES)}."
            )
        return cls(_api_url(environment.get(URL_VARIABLE, "").strip() or DEFAULT_API_URL), credentials)

    @property
    def is_enterprise(self) -> bool:
        """Whether the host is a server of one's own rather than github.com."""
        return urlsplit(self.api_url).hostname != urlsplit(DEFAULT_API_URL).hostname

    def redact(self, text: str) -> str:
        """The text without any of the secrets."""
        for credential in self.credentials:
            for secret in (credential.token, credential.private_key):
                if secret:
                    text = text.replace(secret, HIDDEN)
        return text


def _tokens(environment: Mapping[str, str]) -> tuple[Credential, ...]:
    given = [part.strip() for part in environment.get(TOKEN_VARIABLE, "").split(",")]
    tokens = list(dict.fromkeys(part for part in given if part))
    for position, token in enumerate(tokens, 1):
        if not token.isascii() or not token.isprintable() or " " in token:
            raise SettingsError(
                f"{TOKEN_VARIABLE}: token {position} holds a space or a character that no token has. Copy it again."
            )
    return tuple(Credential(f"token {position} of {len(tokens)}", token) for position, token in enumerate(tokens, 1))


def _app(environment: Mapping[str, str]) -> tuple[Credential, ...]:
    given = [environment.get(name, "").strip() for name in APP_VARIABLES]
    if not any(given):
        return ()
    lacking = [name for name, value in zip(APP_VARIABLES, given, strict=True) if not value]
    if lacking:
        raise SettingsError(
            f"GitHub App: {', '.join(lacking)} not set. Set all of {', '.join(APP_VARIABLES)}, or none and {TOKEN_VARIABLE}."
        )
    app_id, key, installation = given
    if not installation.isdecimal():
        raise SettingsError(
            f"{APP_VARIABLES[2]}: {installation!r} is not a number. It stands at the end of the installation's address."
        )
    return (Credential(f"app {app_id}", None, app_id, _private_key(key), int(installation)),)


def _private_key(given: str) -> str:
    """The key itself, or that of the file it names."""
    if "PRIVATE KEY" in given:
        return given.replace("\\n", "\n").strip()  # CI systems keep secrets on one line
    try:
        return Path(given).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise SettingsError(f"{APP_VARIABLES[1]}: neither a PEM key nor a readable file ({reason}). Give one of the two.") from None


def _api_url(given: str) -> str:
    parts = urlsplit(given)
    if (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or parts.username
        or parts.password
        or parts.query
        or parts.fragment
    ):
        raise SettingsError(
            f"{URL_VARIABLE}: not the address of an API. Give one such as {DEFAULT_API_URL} or https://HOST/api/v3."
        )
    address = given.rstrip("/")
    if parts.path.rstrip("/").endswith("/graphql"):
        address = address.removesuffix("/graphql")
        if address.endswith("/api"):
            address += "/v3"  # an enterprise host's REST root is /api/v3 where GraphQL's is /api/graphql
    return address
