"""Changes in places that need other eyes: dependencies, CI, security, migrations, and paths a repository names itself.

False positives: a version that moved in step with another file; a workflow's comment; ``auth`` in the name of an example
that never runs. These rules say where to look, not that something is wrong, so most of what they find is low.
"""

import re
from collections.abc import Callable, Iterator

import pandas as pd

from pipelines.rules import globs
from pipelines.rules.risks.base import Finding, Grade, RiskRule, RiskWeek, counted, lowered, named
from pipelines.settings import PathRisk

_LOCK = re.compile(r"lock|go\.sum|shrinkwrap", re.IGNORECASE)
_PRIVILEGED_PATH = re.compile(r"release|publish|deploy|cherry-?pick|auto-?merge|codeql|security", re.IGNORECASE)
_PRIVILEGED_LINE = re.compile(r"^[+-].*(pull_request_target|permissions:|secrets\.|id-token)", re.MULTILINE)
# Words of a path, by folders, dashes, underscores and capitals. "token" is left out: tokenizers are not secrets.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SECURITY_WORDS = frozenset(
    ["auth", "authn", "authz", "authentication", "authorization", "oauth", "oidc", "saml", "jwt", "login", "password", "passwords", "credential",
     "credentials", "secret", "secrets", "crypto", "cryptography", "encrypt", "encryption", "tls", "ssl", "mtls", "cert", "certs", "certificate",
     "acl", "rbac", "permission", "permissions", "sandbox", "sanitize", "sanitizer", "csrf", "cors", "xss", "security", "signature", "keystore"]
)  # fmt: skip
_MIGRATION_PATH = re.compile(
    r"(^|/)(migrations?|alembic|flyway|liquibase|db/migrate)/|(^|/)v\d+__\w+\.sql$|(^|/)schema\.(sql|rb|prisma)$|\.prisma$|(^|/)(schema_?version|migrate)[\w.]*$"
)
# More lines than a screen in a security-sensitive file is more than a guard.
_MANY_LINES = 60


def _by_files(week: RiskWeek, rows: pd.DataFrame) -> Iterator[tuple[int, pd.DataFrame, list[str]]]:
    for number, files in rows.groupby("number"):
        yield int(number), files, sorted(files["path"])


def _evidence(paths: list[str]) -> tuple[str, ...]:
    return tuple(f"file:{path}" for path in paths)


def _dependency_change(week: RiskWeek) -> Iterator[Finding]:
    for number, _, paths in _by_files(week, week.files[week.files["kind"] == "dependency"]):
        pull = week.pulls.loc[number]
        manifests = [path for path in paths if not _LOCK.search(path.rpartition("/")[2])]
        mixed = bool(manifests) and int(pull["source_files_count"]) > 0 and pull["change_kind"] != "dependency"
        severity: Grade = "medium" if mixed else "low"
        what = named(manifests or paths)
        reason = f"Changes {what}" + (
            f" together with {counted(int(pull['source_files_count']), 'source file')}." if mixed else "."
        )
        yield Finding(
            number, severity, "high", reason, {"paths": paths, "manifests": manifests, "with_source": mixed}, _evidence(paths)
        )


def _ci_change(week: RiskWeek) -> Iterator[Finding]:
    for number, files, paths in _by_files(week, week.files[week.files["kind"] == "ci"]):
        privileged = [path for path in paths if _PRIVILEGED_PATH.search(path)]
        by_line = [row.path for row in files.itertuples() if isinstance(row.patch, str) and _PRIVILEGED_LINE.search(row.patch)]
        listed = sorted({*privileged, *by_line})
        reason = f"Changes {counted(len(paths), 'CI file')}: {named(paths)}." + (
            f" Of these {named(listed)} can release, push or read secrets." if listed else ""
        )
        yield Finding(
            number,
            "medium" if listed else "low",
            "high" if by_line else "medium",
            reason,
            {"paths": paths, "privileged": listed},
            _evidence(paths),
        )


def words_of(path: str) -> frozenset[str]:
    """The words of a path, lower case."""
    return frozenset(word.lower() for word in _WORD.findall(path))


def _security_path(week: RiskWeek) -> Iterator[Finding]:
    source = week.files[week.files["kind"].isin(("source", "config", "build"))]
    rows = source[[bool(words_of(path) & _SECURITY_WORDS) for path in source["path"]]]
    for number, files, paths in _by_files(week, rows):
        words = sorted(frozenset().union(*(words_of(path) for path in paths)) & _SECURITY_WORDS)
        lines = int(files["lines_count"].sum())
        severity: Grade = "high" if lines >= _MANY_LINES else "medium"
        if week.pulls.at[number, "change_kind"] in ("refactor", "chore", "dependency"):
            severity = lowered(severity)
        reason = f"Changes {counted(lines, 'line')} under security-sensitive names ({', '.join(words)}): {named(paths)}."
        yield Finding(number, severity, "medium", reason, {"paths": paths, "words": words, "lines": lines}, _evidence(paths))


def _migration(week: RiskWeek) -> Iterator[Finding]:
    rows = week.files[week.files["kind"].isin(("source", "config", "data"))]
    rows = rows[[bool(_MIGRATION_PATH.search(path.lower())) for path in rows["path"]]]
    for number, files, paths in _by_files(week, rows):
        altered = bool((files["change_type"] != "added").any())
        severity: Grade = "high" if altered else "medium"
        reason = f"Changes stored data or its schema: {named(paths)}" + ("; an existing step is altered." if altered else ".")
        yield Finding(number, severity, "medium", reason, {"paths": paths, "altered": altered}, _evidence(paths))


def configured(rule: str, risk: PathRisk) -> RiskRule:
    """A repository's own rule: any change under its paths."""

    def find(week: RiskWeek) -> Iterator[Finding]:
        rows = week.made["derived_files"]
        inside = rows[[globs.holds(risk.paths, path) for path in rows["path"]]]
        for number, _, paths in _by_files(week, inside):
            yield Finding(
                number, risk.severity, "high", f"{risk.reason} Changes {named(paths)}.", {"paths": paths}, _evidence(paths)
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
