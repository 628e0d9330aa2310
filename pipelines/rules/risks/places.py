"""Changes in places that need other eyes: dependencies, CI, security, migrations, and paths a repository names itself.

False positives: a version that moved in step with another file; a workflow's comment; ``auth`` in the name of an example
that never runs. These rules say where to look, not that something is wrong, so most of what they find is low.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from pipelines.rules import globs
from pipelines.rules.risks.base import Finding, Grade, RiskRule, RiskWeek, counted, file_rows, lowered, named
from pipelines.settings import PathRisk

_LOCK = re.compile(r"lock|go\.sum|shrinkwrap", re.IGNORECASE)
_PRIVILEGED_PATH = re.compile(r"release|publish|deploy|cherry-?pick|auto-?merge|codeql|security", re.IGNORECASE)
_PRIVILEGED_LINE = re.compile(r"^[+-].*(pull_request_target|permissions:|secrets\.|id-token)", re.MULTILINE)
# Words of a path, by folders, dashes, underscores and capitals. "token" is left out: tokenizers are not secrets.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SECURITY_WORDS = frozenset(
    (
        *(
            "auth",
            "authn",
            "authz",
            "authentication",
            "authorization",
            "oauth",
            "oidc",
            "saml",
            "jwt",
            "login",
            "password",
            "passwords",
        ),
        *(
            "credential",
            "credentials",
            "secret",
            "secrets",
            "crypto",
            "cryptography",
            "encrypt",
            "encryption",
            "tls",
            "ssl",
            "mtls",
        ),
        *("cert", "certs", "certificate", "acl", "rbac", "permission", "permissions", "sandbox", "sanitize", "sanitizer", "csrf"),
        *("cors", "xss", "security", "signature", "keystore"),
    )
)
_MIGRATION_PATH = re.compile(
    r"/(?:(migrations?|alembic|flyway|liquibase|db/migrate)/|v\d+__\w+\.sql$|schema\.(sql|rb|prisma)$|(schema_?version|migrate)[\w.]*$)"
    r"|\.prisma$"
)
# More lines than a screen in a security-sensitive file is more than a guard.
_MANY_LINES = 60


def _dependency_change(week: RiskWeek) -> Iterator[Finding]:
    for number, files in week.files_where(lambda file: file.kind == "dependency"):
        pull, paths = week.pulls[number], [file.path for file in files]
        manifests = [path for path in paths if not _LOCK.search(path.rpartition("/")[2])]
        mixed = bool(manifests) and pull["source_files_count"] > 0 and pull["change_kind"] != "dependency"
        severity: Grade = "medium" if mixed else "low"
        along = f" together with {counted(pull['source_files_count'], 'source file')}" if mixed else ""
        reason = f"Changes {named(manifests or paths)}{along}."
        yield Finding(
            number, severity, "high", reason, {"paths": paths, "manifests": manifests, "with_source": mixed}, file_rows(paths)
        )


def _ci_change(week: RiskWeek) -> Iterator[Finding]:
    for number, files in week.files_where(lambda file: file.kind == "ci"):
        paths = [file.path for file in files]
        by_line = [file.path for file in files if file.patch and _PRIVILEGED_LINE.search(file.patch)]
        privileged = sorted({*by_line, *(path for path in paths if _PRIVILEGED_PATH.search(path))})
        severity: Grade = "medium" if privileged else "low"
        confidence: Grade = "high" if by_line else "medium"
        told = f" Of these {named(privileged)} can release, push or read secrets." if privileged else ""
        reason = f"Changes {counted(len(paths), 'CI file')}: {named(paths)}.{told}"
        yield Finding(number, severity, confidence, reason, {"paths": paths, "privileged": privileged}, file_rows(paths))


@lru_cache(maxsize=65_536)
def words_of(path: str) -> frozenset[str]:
    """The words of a path, lower case."""
    return frozenset(word.lower() for word in _WORD.findall(path))


def _security_path(week: RiskWeek) -> Iterator[Finding]:
    kinds = ("source", "config", "build")
    for number, files in week.files_where(lambda file: file.kind in kinds and bool(words_of(file.path) & _SECURITY_WORDS)):
        paths, lines = [file.path for file in files], sum(file.lines for file in files)
        words = sorted({word for path in paths for word in words_of(path) & _SECURITY_WORDS})
        severity: Grade = "high" if lines >= _MANY_LINES else "medium"
        if week.pulls[number]["change_kind"] in ("refactor", "chore", "dependency"):
            severity = lowered(severity)
        reason = f"Changes {counted(lines, 'line')} under security-sensitive names ({', '.join(words)}): {named(paths)}."
        yield Finding(number, severity, "medium", reason, {"paths": paths, "words": words, "lines": lines}, file_rows(paths))


def _migration(week: RiskWeek) -> Iterator[Finding]:
    kinds = ("source", "config", "data")
    for number, files in week.files_where(
        lambda file: file.kind in kinds and _MIGRATION_PATH.search(f"/{file.path.lower()}") is not None
    ):
        paths, altered = [file.path for file in files], any(file.change_type != "added" for file in files)
        severity: Grade = "high" if altered else "medium"
        reason = f"Changes stored data or its schema: {named(paths)}" + ("; an existing step is altered." if altered else ".")
        yield Finding(number, severity, "medium", reason, {"paths": paths, "altered": altered}, file_rows(paths))


def configured(rule: str, risk: PathRisk) -> RiskRule:
    """A repository's own rule: any change under its paths."""

    def find(week: RiskWeek) -> Iterator[Finding]:
        for number, files in week.files_where(lambda file: globs.holds(risk.paths, file.path)):
            paths = [file.path for file in files]
            yield Finding(
                number, risk.severity, "high", f"{risk.reason} Changes {named(paths)}.", {"paths": paths}, file_rows(paths)
            )

    return RiskRule(
        rule, risk.reason, f"Any change under {', '.join(risk.paths)}.", risk.severity, find, ("files",), fires_on_part=True
    )


def _rule(name: str, title: str, looks_at: str, severity: Grade, find: Callable[[RiskWeek], Iterator[Finding]]) -> RiskRule:
    return RiskRule(name, title, looks_at, severity, find, ("files",), fires_on_part=True)


RULES = (
    _rule("dependency_change", "Dependencies changed", "Manifests and lock files.", "low", _dependency_change),
    _rule("ci_change", "CI changed", "Workflows and CI scripts, those that release or read secrets above all.", "low", _ci_change),
    _rule(
        "security_path",
        "Security-sensitive path",
        "Words such as auth, crypto or secret in the paths of source.",
        "medium",
        _security_path,
    ),
    _rule("migration", "Data or schema migration", "Migration folders, schemas and their versions.", "high", _migration),
)
