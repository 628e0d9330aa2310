import os
from pathlib import Path

import pytest

from pipelines.errors import WarehouseError
from pipelines.report import folders


def _folder(path: Path, content: str) -> Path:
    path.mkdir(parents=True)
    (path / "a.txt").write_text(content)
    return path


def test_a_first_folder_is_put_in_place(tmp_path: Path) -> None:
    folders.exchange(_folder(tmp_path / "s", "new"), tmp_path / "deep" / "final")
    assert (tmp_path / "deep" / "final" / "a.txt").read_text() == "new"
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("can_swap", [True, False])
def test_a_folder_takes_the_place_of_another_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, can_swap: bool) -> None:
    if not can_swap:
        monkeypatch.setattr(folders, "_swapped", lambda _one, _other: False)
    staged, final = _folder(tmp_path / "s", "new"), _folder(tmp_path / "final", "old")
    (final / "only-old.txt").touch()
    folders.exchange(staged, final)
    assert [path.name for path in final.iterdir()] == ["a.txt"]
    assert (final / "a.txt").read_text() == "new"
    assert (staged / "a.txt").read_text() == "old"


def test_this_machine_exchanges_in_one_step(tmp_path: Path) -> None:
    assert folders._swapped(_folder(tmp_path / "a", "1"), _folder(tmp_path / "b", "2"))


def test_a_disk_that_refuses_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match=r"final: cannot be replaced: .*Make room or mend permissions"):
        folders.exchange(tmp_path / "absent", tmp_path / "final")


def test_a_kill_between_two_renames_is_mended(tmp_path: Path) -> None:
    final = _folder(tmp_path / "2026-W17", "old")
    final.rename(tmp_path / ".old-2026-W17")
    folders.recover(tmp_path)
    assert (final / "a.txt").read_text() == "old"
    _folder(tmp_path / ".old-2026-W17", "older")
    folders.recover(tmp_path)
    assert (final / "a.txt").read_text() == "old"
    assert not (tmp_path / ".old-2026-W17").exists()


def test_a_file_is_rewritten_only_where_it_differs(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert folders.write_if_changed(path, b"1")
    before = path.stat().st_ino
    assert not folders.write_if_changed(path, b"1")
    assert path.stat().st_ino == before
    assert folders.write_if_changed(path, b"2")
    assert path.read_bytes() == b"2"


def test_every_file_and_folder_is_kept_and_a_disk_that_refuses_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _folder(tmp_path / "week" / "pulls", "x")
    kept: list[Path] = []
    monkeypatch.setattr(folders, "_keep", kept.append)
    folders.keep_all(tmp_path / "week")
    assert sorted(kept) == sorted([tmp_path / "week", *(tmp_path / "week").rglob("*")])

    def refuse(_path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders, "_keep", refuse)
    with pytest.raises(OSError, match="No space left"):
        folders.keep_all(tmp_path / "week")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_lock_is_one_clear_line(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(WarehouseError, match="cannot be written"), folders.locked(tmp_path / "lock"):
        pass
