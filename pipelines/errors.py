"""The errors of pullweek: one base, so that a command ends with one clear line and never with a traceback."""


class PullweekError(Exception):
    """What went wrong, where, the values seen, and what to do next, in one line."""

    exit_status = 1


class UsageError(PullweekError):
    """The command or its input is wrong: a malformed week, repository or setting."""

    exit_status = 2


class SettingsError(UsageError):
    """``pullweek.toml`` or the environment does not hold together."""


class ContractError(PullweekError):
    """A frame does not fit its table's contract; raised before anything is written."""


class WarehouseError(PullweekError):
    """The warehouse cannot be read or written: missing, torn, foreign or unwritable files."""


class SourceError(PullweekError):
    """A source could not give the week; nothing of it was stored."""


class SourceUnavailableError(SourceError):
    """The source failed in a way that may pass: a time-out, a limit, a 5xx. Trying again later may help."""


class ReportError(PullweekError):
    """A report could not be built or failed its checks; the last good one stays."""
