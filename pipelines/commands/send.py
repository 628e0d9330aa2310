"""``pullweek send``: a published week as mail or as a post to a chat's webhook."""

import argparse
import json
import os
from datetime import UTC, datetime

from pipelines.commands.asking import asked_repository, asked_week, open_warehouse
from pipelines.errors import WarehouseError
from pipelines.settings import warehouse_root


def run(options: argparse.Namespace) -> int:
    """Send the stored report; nothing is rendered or fetched for it."""
    from pipelines.report.message import chat_message, mail_message
    from pipelines.report.send import mail_server, send_email, send_webhook, webhook

    warehouse = open_warehouse()
    entry = asked_repository(options, warehouse)
    week = asked_week(options.week, entry)
    path = warehouse.report_folder(entry.name, week) / "report.json"
    if not path.exists():
        raise WarehouseError(
            f"{path}: no report is published. Run pullweek report {entry.name} {week}, with PULLWEEK_WAREHOUSE={warehouse_root()}."
        )
    report = json.loads(path.read_bytes())
    root = os.environ.get("PULLWEEK_REPORTS_URL", "").rstrip("/")
    url = f"{root}/{entry.name}/{week}/report.{options.language}.html" if root else ""
    if options.by == "mail":
        server = mail_server(os.environ)
        send_email(mail_message(report, options.language, url), server, datetime.now(UTC))
        sent_to = f"{len(server.recipients)} recipients through {server.host}:{server.port}"
    else:
        hook = webhook(os.environ)
        send_webhook(chat_message(report, options.language, url, hook.style), hook)
        sent_to = hook.place
    answer = {"repo": entry.name, "week": str(week), "by": options.by, "language": options.language, "sent_to": sent_to}
    print(json.dumps(answer) if options.json else f"sent {entry.name} {week} ({options.language}) to {sent_to}")
    return 0
