"""How many review threads a pull request was merged with: open, outdated and resolved, those begun by bots apart."""

import pandas as pd

from pipelines.rules.inputs import WeekInputs
from pipelines.rules.people import account_kinds, is_human

COUNTS = ("open_threads_count", "open_bot_threads_count", "outdated_threads_count", "resolved_threads_count")


def states(inputs: WeekInputs) -> pd.DataFrame:
    """One row per review thread, sorted: number, thread_id, path, ``state`` (open, outdated, resolved, unknown), ``is_human``.

    A thread belongs to who wrote its first comment; where no comment was read, to a person, so that nothing is waved away.
    """
    threads = inputs.raw["raw_review_threads"].sort_values(["number", "thread_id"], ignore_index=True)
    comments = inputs.raw["raw_review_comments"].sort_values(["created_at_utc", "comment_id"])
    first = comments.drop_duplicates(["number", "thread_id"]).set_index(["number", "thread_id"])
    human = pd.Series(is_human(account_kinds(first["author_login"], first["author_type"], inputs.bot_logins())), index=first.index)
    keys = pd.MultiIndex.from_frame(threads[["number", "thread_id"]])
    resolved, outdated = threads["is_resolved"], threads["is_outdated"]
    state = pd.Series("open", index=threads.index, dtype="str")
    state = state.mask(outdated.fillna(False), "outdated").mask(
        resolved.isna() | (outdated.isna() & ~resolved.fillna(False)), "unknown"
    )
    state = state.mask(resolved.fillna(False), "resolved")
    is_human_thread = human.reindex(keys).fillna(True).astype("bool").to_numpy() if len(human) else True
    return threads[["number", "thread_id", "path"]].assign(state=state, is_human=is_human_thread)


def measures(inputs: WeekInputs, unknown: pd.Series) -> pd.DataFrame:
    """Thread counts of each pull request, indexed by number; null where threads or a state of them were not read."""
    numbers = pd.Index(inputs.raw["raw_pull_requests"]["number"], name="number")
    rows = states(inputs)
    open_rows = rows["state"] == "open"
    selected = {
        "open_threads_count": rows[open_rows & rows["is_human"]],
        "open_bot_threads_count": rows[open_rows & ~rows["is_human"]],
        "outdated_threads_count": rows[rows["state"] == "outdated"],
        "resolved_threads_count": rows[rows["state"] == "resolved"],
    }
    lost = unknown | pd.Series(numbers.isin(rows.loc[rows["state"] == "unknown", "number"]), index=numbers)
    return pd.DataFrame(
        {
            name: found.groupby("number").size().reindex(numbers, fill_value=0).astype("Int64").mask(lost)
            for name, found in selected.items()
        },
        index=numbers,
    )
