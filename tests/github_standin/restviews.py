"""The same documents as REST shows them: snake case, ``[bot]`` in logins, addresses that lead to further calls."""

from typing import Any

from tests.github_standin.known import oid
from tests.github_standin.store import Store

Json = dict[str, Any]

PATCH_LINES_LIMIT = 300  # GitHub leaves the patch of a larger file out

_STATUS = {"DELETED": "removed"}
_EVENTS = {
    "CrossReferencedEvent": "cross-referenced",
    "ConnectedEvent": "connected",
    "ReferencedEvent": "referenced",
    "ReviewDismissedEvent": "review_dismissed",
    "BaseRefChangedEvent": "base_ref_changed",
    "AddedToMergeQueueEvent": "added_to_merge_queue",
    "MergedEvent": "merged",
    "ClosedEvent": "closed",
    "IssueComment": "commented",
    "PullRequestReview": "reviewed",
}


class Views:
    """REST bodies with addresses below ``root``, the address that the client asked."""

    def __init__(self, store: Store, root: str) -> None:
        self.store = store
        self.root = root

    @property
    def _home(self) -> str:
        return f"{self.root}/repos/{self.store.home['nameWithOwner']}"

    def user(self, account: Json | None) -> Json | None:
        """An account; a deleted one is null."""
        if account is None:
            return None
        login = f"{account['login']}[bot]" if account["__typename"] == "Bot" else account["login"]
        return {
            "login": login,
            "id": account.get("databaseId", 0),
            "node_id": account["id"],
            "type": account["__typename"],
            "url": f"{self.root}/users/{login}",
            "html_url": account.get("url", f"https://github.com/{login}"),
        }

    def repository(self, home: Json) -> Json:
        """A repository."""
        branch = home["defaultBranchRef"]
        return {
            "id": home["databaseId"],
            "node_id": home["id"],
            "name": home["name"],
            "full_name": home["nameWithOwner"],
            "owner": self.user(home["owner"]),
            "private": home["isPrivate"],
            "fork": home["isFork"],
            "archived": home["isArchived"],
            "html_url": home["url"],
            "url": f"{self.root}/repos/{home['nameWithOwner']}",
            "default_branch": branch["name"] if branch else "main",
            "created_at": home["createdAt"],
            "permissions": {"admin": False, "push": False, "pull": True},
        }

    def _shared(self, number: int) -> Json:
        pull, record = self.store.document(number), self.store.record(number)
        return {
            "id": pull["databaseId"],
            "node_id": pull["id"],
            "html_url": pull["url"],
            "number": number,
            "state": "open" if pull["state"] == "OPEN" else "closed",
            "locked": False,
            "title": pull["title"],
            "user": self.user(pull["author"]),
            "body": record.get("body"),
            "created_at": pull["createdAt"],
            "updated_at": pull["updatedAt"],
            "closed_at": pull["closedAt"],
            "labels": [{"id": 1, "name": label["name"], "color": label["color"]} for label in pull["labels"]],
            "milestone": {"number": pull["milestone"]["number"], "title": pull["milestone"]["title"]}
            if pull["milestone"]
            else None,
            "author_association": pull["authorAssociation"],
            "comments_url": f"{self._home}/issues/{number}/comments",
            "draft": pull["isDraft"],
        }

    def pull(self, number: int, *, whole: bool) -> Json:
        """A pull request; counts stand only in the answer for a single one."""
        pull = self.store.document(number)
        fork = pull["headRepository"]
        made = self._shared(number) | {
            "url": f"{self._home}/pulls/{number}",
            "issue_url": f"{self._home}/issues/{number}",
            "commits_url": f"{self._home}/pulls/{number}/commits",
            "review_comments_url": f"{self._home}/pulls/{number}/comments",
            "merged_at": pull["mergedAt"],
            "merge_commit_sha": pull["mergeCommit"]["oid"] if pull["mergeCommit"] else None,
            "head": {"ref": pull["headRefName"], "sha": pull["headRefOid"], "repo": self.repository(fork) if fork else None},
            "base": {"ref": pull["baseRefName"], "sha": pull["baseRefOid"], "repo": self.repository(self.store.home)},
        }
        return made | self._counts(pull) if whole else made

    def _counts(self, pull: Json) -> Json:
        return {
            "merged": pull["merged"],
            "merged_by": self.user(pull["mergedBy"]),
            "comments": len(pull["comments"]),
            "review_comments": sum(len(thread["comments"]) for thread in pull["reviewThreads"]),
            "commits": len(pull["commits"]),
            "additions": pull["additions"],
            "deletions": pull["deletions"],
            "changed_files": pull["changedFiles"],
        }

    def issue(self, number: int) -> Json:
        """A pull request as the issues calls show it."""
        pull = self.store.document(number)
        links = {"url": f"{self._home}/pulls/{number}", "html_url": pull["url"], "merged_at": pull["mergedAt"]}
        more = {"url": f"{self._home}/issues/{number}", "repository_url": self._home, "pull_request": links}
        return self._shared(number) | more | {"comments": len(pull["comments"])}

    def review(self, review: Json) -> Json:
        """A review."""
        return {
            "id": review["databaseId"],
            "node_id": review["id"],
            "user": self.user(review["author"]),
            "body": review["body"],
            "state": review["state"],
            "html_url": review["url"],
            "submitted_at": review["submittedAt"],
            "commit_id": review["commit"]["oid"] if review["commit"] else None,
            "author_association": review["authorAssociation"],
        }

    def comment(self, comment: Json) -> Json:
        """A conversation comment."""
        return {
            "id": comment["databaseId"],
            "node_id": comment["id"],
            "user": self.user(comment["author"]),
            "body": comment["body"],
            "created_at": comment["createdAt"],
            "updated_at": comment["updatedAt"],
            "html_url": comment["url"],
            "author_association": comment["authorAssociation"],
            "url": f"{self._home}/issues/comments/{comment['databaseId']}",
        }

    def review_comment(self, comment: Json) -> Json:
        """A comment in a thread; whether the thread is resolved cannot be seen here."""
        more = {
            "path": comment["path"],
            "line": comment["line"],
            "original_line": comment["originalLine"],
            "diff_hunk": comment["diffHunk"],
            "pull_request_review_id": comment["pullRequestReview"]["databaseId"] if comment["pullRequestReview"] else None,
            "url": f"{self._home}/pulls/comments/{comment['databaseId']}",
        }
        if comment["replyTo"]:
            more["in_reply_to_id"] = comment["replyTo"]["databaseId"]
        return self.comment(comment) | more

    def commit(self, node: Json) -> Json:
        """A commit of a pull request."""
        known = node["commit"]
        person = {"name": "Author", "email": "author@example.org", "date": known["authoredDate"]}
        return {
            "sha": known["oid"],
            "node_id": known["id"],
            "commit": {"message": known["message"], "author": person, "committer": person},
            "html_url": known["url"],
            "url": f"{self._home}/commits/{known['oid']}",
            "author": None,
            "parents": [],
        }

    def event(self, item: Json) -> Json:
        """A timeline item."""
        kind = item["__typename"]
        made: Json = {"event": _EVENTS.get(kind, kind), "node_id": item["id"], "created_at": item["createdAt"]}
        if kind == "IssueComment":
            return made | self.comment(item)
        if kind == "PullRequestReview":
            return made | self.review(item) | {"state": item["state"].lower()}
        made["actor"] = self.user(item["actor"])
        if kind == "CrossReferencedEvent":
            source = item["source"]
            issue = {"number": source["number"], "title": source["title"], "html_url": source["url"]}
            made["source"] = {"type": "issue", "issue": issue}
        elif item.get("commit"):
            made["commit_id"] = item["commit"]["oid"]
        return made


def file(node: Json) -> Json:
    """A changed file with its previous name and, for a text of moderate size, an invented patch."""
    added, removed = node.get("additions"), node.get("deletions")
    kind = node["changeType"].upper()
    made: Json = {
        "sha": oid("blob", node["path"]),
        "filename": node["path"],
        "status": _STATUS.get(kind, kind.lower()),
        "additions": added or 0,
        "deletions": removed or 0,
        "changes": (added or 0) + (removed or 0),
    }
    if node.get("previousPath"):
        made["previous_filename"] = node["previousPath"]
    patch = node.get("patch") or (None if added is None or removed is None else _patch(added, removed))
    return made | {"patch": patch} if patch else made


def _patch(added: int, removed: int) -> str | None:
    if not 0 < added + removed <= PATCH_LINES_LIMIT:
        return None
    lines = [f"-old line {index + 1}" for index in range(removed)] + [f"+new line {index + 1}" for index in range(added)]
    return "\n".join([f"@@ -1,{removed + 1} +1,{added + 1} @@", " context", *lines])
