"""Dagster as a team would meet it: what it loads, what a run does, when the schedule fires, what the checks say."""

import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from pipelines.defs.assets import partition_key, partitions_of, repository_assets, slug
from pipelines.defs.build import build_definitions
from pipelines.defs.checks import check_coverage, check_themes, check_volume
from pipelines.defs.launch import Launcher, open_instance
from pipelines.defs.resources import SourceResource, WarehouseResource, Watching
from pipelines.settings import Settings, settings_of
from pipelines.tables import DERIVED_TABLES, RAW_TABLES, TABLES
from pipelines.warehouse import Warehouse
from pipelines.weeks import parse_week
from tests.conftest import SAMPLE, Silent, sample_entry, sample_week_list

ROOT = Path(__file__).parents[2]
WEEK = parse_week("2026-W17")


def settings() -> Settings:
    return settings_of(
        {
            "repositories": {
                SAMPLE: {"source": "sample", "first_week": "2026-W12"},
                "sgl-project/sglang": {"timezone": "Asia/Shanghai", "first_week": "2026-W01"},
            }
        },
        "test",
    )


def test_the_workspace_is_valid(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).parent / "dagster"), "definitions", "validate", "-w", str(ROOT / "workspace.yaml")]
    environment = {"PATH": str(Path(sys.executable).parent), "DAGSTER_HOME": str(tmp_path), "HOME": str(tmp_path)}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "All code locations passed validation" in ended.stderr + ended.stdout


def test_keys_jobs_schedules_and_checks() -> None:
    repository = build_definitions(settings()).get_repository_def()
    names = [table.name for table in (*RAW_TABLES, *DERIVED_TABLES)] + ["weekly_report"]
    wanted = {f"{repo}/{name}" for repo in (SAMPLE, "sgl-project/sglang") for name in names}
    assert {key.to_user_string() for key in repository.asset_graph.get_all_asset_keys()} == wanted
    assert sorted(job.name for job in repository.get_all_jobs() if not job.name.startswith("__")) == [
        "weekly__acme__lattice",
        "weekly__sgl_2d_project__sglang",
    ]
    assert [schedule.name for schedule in repository.schedule_defs] == ["monday__sgl_2d_project__sglang"]
    assert len(repository.asset_graph.asset_check_keys) == 6


def test_assets_say_what_they_are() -> None:
    graph = build_definitions(settings()).get_repository_def().asset_graph
    node = graph.get(dg.AssetKey(["acme", "lattice", "derived_importance"]))
    assert node.group_name == "acme__lattice"
    assert node.kinds == {"pandas", "parquet"}
    assert node.owners == ["team:pullweek"]
    schema = node.metadata["dagster/column_schema"]
    assert [column.name for column in schema.columns] == [column.name for column in TABLES["derived_importance"].columns]
    assert (node.description or "").startswith(TABLES["derived_importance"].grain)


def test_names_of_different_repositories_differ() -> None:
    names = ["a/b", "a-b/c", "a_b/c", "a/b-c", "a/b.c", "a/b_c"]
    assert len({slug(name) for name in names}) == len(names)


def test_partitions_are_weeks_of_the_repositorys_zone() -> None:
    shanghai = partitions_of(settings().repository("sgl-project/sglang"))
    window = shanghai.time_window_for_partition_key("2026-W17-1")
    assert window.start.astimezone(UTC) == datetime(2026, 4, 19, 16, tzinfo=UTC)
    assert window.end.astimezone(UTC) == datetime(2026, 4, 26, 16, tzinfo=UTC)


def test_the_schedule_asks_for_the_closed_week_and_the_three_before() -> None:
    repository = build_definitions(settings()).get_repository_def()
    schedule = repository.get_schedule_def("monday__sgl_2d_project__sglang")
    assert (schedule.cron_schedule, schedule.execution_timezone) == ("0 6 * * 1", "Asia/Shanghai")
    monday = datetime(2026, 4, 26, 22, tzinfo=UTC)  # Monday 06:00 in Shanghai
    with dg.build_schedule_context(scheduled_execution_time=monday, repository_def=repository) as context:
        asked = schedule.evaluate_tick(context)
    (request,) = asked.run_requests or []
    assert request.run_key == "2026-W17"
    assert request.tags["dagster/asset_partition_range_start"] == "2026-W14-1"
    assert request.tags["dagster/asset_partition_range_end"] == "2026-W17-1"
    asked_again = ["2026-W14", "2026-W15", "2026-W16", "2026-W17"]
    assert request.run_config == {"ops": {"weeks__sgl_2d_project__sglang": {"config": {"refresh": asked_again}}}}


def test_a_range_in_dagster_and_weeks_one_by_one_give_the_same_files(
    tmp_path: Path, sample_site: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schedule's and the page's way (one run over a range) against one run a week."""
    warehouse = Warehouse(tmp_path / "warehouse")
    weeks = sample_week_list()[:2]
    monkeypatch.setenv("PULLWEEK_WAREHOUSE", str(warehouse.root))
    job = build_definitions(settings()).resolve_job_def("weekly__acme__lattice")
    with open_instance(warehouse) as instance:
        result = job.execute_in_process(
            instance=instance,
            tags={
                "dagster/asset_partition_range_start": partition_key(weeks[0]),
                "dagster/asset_partition_range_end": partition_key(weeks[-1]),
            },
        )
        assert result.success
        key = dg.AssetKey(["acme", "lattice", "weekly_report"])
        assert instance.get_materialized_partitions(key) == {partition_key(week) for week in weeks}
    for week in weeks:
        for table in TABLES.values():
            assert warehouse.file_hash(table, SAMPLE, week) == sample_site.file_hash(table, SAMPLE, week), f"{table.name} {week}"
        for name in ("report.json", "report.ipynb", "report.en.md", "report.zh.html", "report.en.html"):
            if week == weeks[-1] and name.endswith(".html"):
                continue  # the page links to the week after it, which only the other warehouse holds
            ours, theirs = (house.report_folder(SAMPLE, week) / name for house in (warehouse, sample_site))
            assert ours.read_bytes() == theirs.read_bytes(), f"{name} {week}"


def test_a_run_of_the_command_is_seen_in_the_instance_of_the_pages(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "warehouse")
    week = parse_week("2026-W12")
    with open_instance(warehouse) as instance:
        (ended,) = Launcher(instance, warehouse, sample_entry()).run([week], Silent())
        assert (ended.failure, ended.skipped) == (None, frozenset())
        (again,) = Launcher(instance, warehouse, sample_entry()).run([week], Silent())
        assert again.skipped == {"fetch", "derive", "report"}
    with open_instance(warehouse) as seen:
        event = seen.get_latest_materialization_event(dg.AssetKey(["acme", "lattice", "raw_pull_requests"]))
        assert event is not None
        assert event.asset_materialization is not None
        assert event.asset_materialization.partition == "2026-W12-1"
        assert (event.asset_materialization.tags or {})["dagster/data_version"]
        report = seen.get_latest_materialization_event(dg.AssetKey(["acme", "lattice", "weekly_report"]))
        assert report is not None
        assert report.asset_materialization is not None
        link = report.asset_materialization.metadata["report_en"].value
        assert link == "http://127.0.0.1:8010/acme/lattice/2026-W12/report.en.html"


def test_a_failing_week_stops_no_other_and_is_not_shown_as_made(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "warehouse")
    entry = sample_entry().model_copy(update={"first_week": "2026-W01"})
    weeks = [parse_week("2026-W11"), parse_week("2026-W12")]  # the sample knows nothing of the first
    with open_instance(warehouse) as instance:
        failed, good = Launcher(instance, warehouse, entry).run(weeks, Silent())
        made = instance.get_materialized_partitions(dg.AssetKey(["acme", "lattice", "derived_week"]))
    assert failed.failure is not None
    assert "2026-W11" in failed.failure
    assert "\n" not in failed.failure.strip()
    assert good.failure is None
    assert made == {"2026-W12-1"}
    assert warehouse.week_state(SAMPLE, weeks[0]) == "absent"


def test_only_the_derived_tables_can_be_asked_for(tmp_path: Path, sample_tables: Warehouse) -> None:
    warehouse = Warehouse(tmp_path / "warehouse")
    shutil.copytree(sample_tables.root, warehouse.root)
    asked = dg.AssetSelection.assets(*(dg.AssetKey(["acme", "lattice", table.name]) for table in DERIVED_TABLES))
    resources = {
        "warehouse": WarehouseResource(root=str(warehouse.root)),
        "sources": SourceResource(),
        "watching": Watching(),
    }
    with open_instance(warehouse) as instance:
        result = dg.materialize(
            [repository_assets(sample_entry())],
            selection=asked,
            partition_key=partition_key(WEEK),
            instance=instance,
            resources=resources,
        )
    assert {event.asset_key.path[-1] for event in result.get_asset_materialization_events() if event.asset_key} == {
        table.name for table in DERIVED_TABLES
    }
    assert not warehouse.report_folder(SAMPLE, WEEK).exists()


def test_checks_warn_of_what_is_unusual(tmp_path: Path, sample_tables: Warehouse) -> None:
    warehouse = Warehouse(tmp_path / "warehouse")
    shutil.copytree(sample_tables.root, warehouse.root)
    assert check_coverage(warehouse, SAMPLE, WEEK)[0]
    assert check_themes(warehouse, SAMPLE, WEEK)[0]
    within, says = check_volume(warehouse, SAMPLE, WEEK)
    assert within, says
    assert check_volume(warehouse, SAMPLE, parse_week("2026-W13"))[1].endswith("so the usual is unknown")

    frame = warehouse.read(TABLES["derived_week"], SAMPLE, WEEK)
    warehouse.write(TABLES["derived_week"], SAMPLE, WEEK, frame.assign(merged_count=500, without_theme_count=400))
    assert not check_volume(warehouse, SAMPLE, WEEK)[0]
    assert not check_themes(warehouse, SAMPLE, WEEK)[0]
    fetches = warehouse.read(TABLES["raw_fetches"], SAMPLE, WEEK)
    warehouse.write(TABLES["raw_fetches"], SAMPLE, WEEK, fetches.assign(state="partial"))
    assert not check_coverage(warehouse, SAMPLE, WEEK)[0]


@pytest.mark.parametrize("module", ["assets", "checks", "schedules", "build", "launch", "resources"])
def test_no_module_with_context_postpones_annotations(module: str) -> None:
    text = (ROOT / "pipelines" / "defs" / f"{module}.py").read_text(encoding="utf-8")
    assert "from __future__" not in text
