"""The event log of a home: Dagster's own files, written by fewer transactions, whole batches or none of them."""

import threading
from pathlib import Path

import dagster as dg
import pytest

from pipelines.defs.event_log import BatchingEventLog, together
from pipelines.defs.launch import open_instance, prepared_home
from pipelines.warehouse import Warehouse

KEY = dg.AssetKey(["acme", "lattice", "derived_week"])
WEEKS = dg.StaticPartitionsDefinition(["2026-W12-1", "2026-W13-1", "2026-W14-1"])


def _asset(*, fails_after: int | None = None) -> dg.AssetsDefinition:
    """An asset that logs a materialisation a partition, all of them as one batch."""

    @dg.multi_asset(
        specs=[dg.AssetSpec(KEY, skippable=True)],
        partitions_def=WEEKS,
        backfill_policy=dg.BackfillPolicy.single_run(),
        name="weeks",
    )
    def weeks(context: dg.AssetExecutionContext) -> None:
        with together(context.instance, context.run.run_id):
            for spot, partition in enumerate(context.partition_keys):
                if spot == fails_after:
                    raise ValueError("on purpose")
                context.log_event(dg.AssetMaterialization(KEY, partition=partition))

    return weeks


def _run(instance: dg.DagsterInstance, asset: dg.AssetsDefinition) -> dg.ExecuteInProcessResult:
    first, last = "2026-W12-1", "2026-W14-1"
    tags = {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}
    return dg.materialize([asset], instance=instance, tags=tags, raise_on_error=False)


def test_a_home_is_read_alike_by_dagsters_own_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warehouse = Warehouse(tmp_path)
    with open_instance(warehouse) as instance:
        assert isinstance(instance.event_log_storage, BatchingEventLog)
        run = _run(instance, _asset()).run_id
        ours = [(record.run_id, record.message, record.dagster_event_type) for record in instance.all_logs(run)]
    home = prepared_home(warehouse)
    (home / "dagster.yaml").write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    monkeypatch.setenv("DAGSTER_HOME", str(home))
    with dg.DagsterInstance.get() as plain:
        assert not isinstance(plain.event_log_storage, BatchingEventLog)
        theirs = [(record.run_id, record.message, record.dagster_event_type) for record in plain.all_logs(run)]
        assert plain.get_materialized_partitions(KEY) == {*WEEKS.get_partition_keys()}
        again = _run(plain, _asset()).run_id
    assert ours == theirs
    planned = [event for _, _, event in ours if event == dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED]
    assert len(planned) == len(WEEKS.get_partition_keys())
    (home / "dagster.yaml").unlink()
    with open_instance(warehouse) as instance:
        assert [record.dagster_event_type for record in instance.all_logs(again)] == [event for _, _, event in ours]


def test_a_batch_is_stored_whole_or_not_at_all(tmp_path: Path) -> None:
    with open_instance(Warehouse(tmp_path)) as instance:
        failed = _run(instance, _asset(fails_after=2))
        assert not failed.success
        assert instance.get_materialized_partitions(KEY) == set()
        kinds = {record.dagster_event_type for record in instance.all_logs(failed.run_id)}
        assert dg.DagsterEventType.ASSET_MATERIALIZATION not in kinds
        assert dg.DagsterEventType.RUN_FAILURE in kinds, "what follows the batch is stored"
        assert _run(instance, _asset()).success
        assert instance.get_materialized_partitions(KEY) == {*WEEKS.get_partition_keys()}


def test_another_thread_waits_for_a_batch_and_then_reads_it(tmp_path: Path) -> None:
    with open_instance(Warehouse(tmp_path)) as instance:
        run = _run(instance, _asset()).run_id
        seen: list[int] = []
        reader = threading.Thread(target=lambda: seen.append(len(instance.all_logs(run))))
        with together(instance, run):
            reader.start()
            reader.join(0.2)
            assert seen == [], "it does not use the connection of this thread's batch"
        reader.join()
        assert seen == [len(instance.all_logs(run))]


def test_within_a_batch_other_runs_are_read_and_another_batch_is_part_of_it(tmp_path: Path) -> None:
    with open_instance(Warehouse(tmp_path)) as instance:
        first, second = (_run(instance, _asset()).run_id for _ in range(2))
        seen: list[int] = []

        def ask() -> None:
            with together(instance, first):
                instance.report_engine_event("outside", instance.get_run_by_id(first))
                with together(instance, first):
                    instance.report_engine_event("inside", instance.get_run_by_id(first))
                    seen.append(len(instance.all_logs(second)))

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(20)
        assert not asking.is_alive(), "it waits for itself"
        assert seen == [len(instance.all_logs(second))]
        assert [record.message for record in instance.all_logs(first)][-2:] == ["outside", "inside"]


def test_settings_of_somebodys_own_are_left_alone(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    settings = prepared_home(warehouse) / "dagster.yaml"
    written = settings.read_bytes()
    settings.write_bytes(b"".join(line for line in written.splitlines(keepends=True) if not line.startswith(b"event_log")))
    prepared_home(warehouse)
    assert settings.read_bytes() == written, "what an earlier pullweek wrote is brought up to date"
    settings.write_text("telemetry: {enabled: false}\n", encoding="utf-8")
    prepared_home(warehouse)
    assert settings.read_text(encoding="utf-8") == "telemetry: {enabled: false}\n"
