from pathlib import Path

import pytest

from pipelines.errors import SettingsError
from pipelines.sources.github.auth import Access

SECRET = "github_pat_0123456789"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n"


def test_several_tokens_are_several_credentials_and_none_shows() -> None:
    access = Access.from_environment({"GITHUB_TOKEN": f" {SECRET}, ghp_other ,,{SECRET}"})
    assert [credential.name for credential in access.credentials] == ["token 1 of 2", "token 2 of 2"]
    assert [credential.kind for credential in access.credentials] == ["fine-grained personal token", "classic personal token"]
    assert SECRET not in repr(access) + str(access)
    assert access.redact(f"said {SECRET}!") == "said ***!"


def test_an_app_works_in_place_of_a_token(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text(KEY.strip())
    for key in (KEY, KEY.replace("\n", "\\n"), str(tmp_path / "key.pem")):
        given = {"GITHUB_APP_ID": "7", "GITHUB_APP_PRIVATE_KEY": key, "GITHUB_APP_INSTALLATION_ID": "9", "GITHUB_TOKEN": "unused"}
        [credential] = Access.from_environment(given).credentials
        assert (credential.kind, credential.private_key, credential.installation_id) == ("GitHub App", KEY.strip(), 9)
        assert "abc" not in repr(credential)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, r"GITHUB_TOKEN: not set\. Set it to a token"),
        ({"GITHUB_TOKEN": " , "}, "GITHUB_TOKEN: not set"),
        ({"GITHUB_TOKEN": "gh p"}, "token 1 holds a space"),
        ({"GITHUB_APP_ID": "7"}, "GITHUB_APP_PRIVATE_KEY, GITHUB_APP_INSTALLATION_ID not set"),
        (
            {"GITHUB_APP_ID": "7", "GITHUB_APP_PRIVATE_KEY": "/no/such", "GITHUB_APP_INSTALLATION_ID": "9"},
            "neither a PEM key nor a readable file",
        ),
        ({"GITHUB_APP_ID": "7", "GITHUB_APP_PRIVATE_KEY": KEY, "GITHUB_APP_INSTALLATION_ID": "x"}, "not a number"),
        ({"GITHUB_TOKEN": "t", "GITHUB_API_URL": "ghe.example"}, "not the address of an API"),
        ({"GITHUB_TOKEN": "t", "GITHUB_API_URL": "https://me:secret@ghe.example/api/v3"}, "not the address of an API"),
    ],
)
def test_an_environment_that_does_not_hold_together_says_what_to_set(environment: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=said) as caught:
        Access.from_environment(environment)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("", "https://api.github.com"),
        ("https://ghe.example/api/v3/", "https://ghe.example/api/v3"),
        ("https://ghe.example/api/graphql", "https://ghe.example/api/v3"),
        ("https://api.github.com/graphql", "https://api.github.com"),
    ],
)
def test_one_setting_gives_both_roots(given: str, used: str) -> None:
    access = Access.from_environment({"GITHUB_TOKEN": "t", "GITHUB_API_URL": given})
    assert access.api_url == used
    assert access.is_enterprise == ("ghe" in given)
