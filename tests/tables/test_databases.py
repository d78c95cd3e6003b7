from __future__ import annotations

import io
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import bayesfloor as bf
from bayesfloor.tables import read_table

ROWS = [(1, 0.5, "x", "u"), (2, 1, "z", "v"), (2, None, "x", "v"), (3, 2.5, "z", "u")] * 3


def database(folder: Path, *tables: str) -> Path:
    path = folder / "some data.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        for table in tables:
            name = '"' + table.replace('"', '""') + '"'
            connection.execute(f"CREATE TABLE {name} (a INTEGER, b REAL, c TEXT, y)")
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", ROWS)
        connection.execute("CREATE VIEW other AS SELECT 1 AS a, 2 AS y")
        connection.commit()
    return path


def refused(message: str, *read: Any, **options: Any) -> None:
    with pytest.raises(bf.DataError) as caught:
        read_table(*read, label="y", **options)
    assert str(caught.value) == message


def test_the_only_table_of_a_file_is_read(tmp_path: Path) -> None:
    path = database(tmp_path, "flowers")
    before = path.read_bytes()
    for source in (path, str(path), io.BytesIO(before)):
        found = read_table(source, label="y")
        assert found.rows["a"].to_list() == [row[0] for row in ROWS]
        assert found.rows["b"].to_list() == [row[1] for row in ROWS]
        assert found.rows["c"].to_list() == [row[2] for row in ROWS]
        assert found.y.to_list() == [row[3] for row in ROWS]
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_one_of_several_tables_is_named_whatever_its_name(tmp_path: Path) -> None:
    path = database(tmp_path, "flowers", 'a "b"; DROP TABLE flowers --')
    names = "'a \"b\"; DROP TABLE flowers --', 'flowers'"
    assert read_table(path, label="y", table='a "b"; DROP TABLE flowers --').X.height == 12
    assert read_table(path, label="y", table="flowers").X.height == 12
    several = "the database has 2 tables, {}; name one with table=, or pass query="
    refused(f"{path}: {several.format(names)}", path)
    refused(f"{path}: no table 'Flower'; did you mean 'flowers'?", path, table="Flower")
    refused(f"{path}: no table 'x'; choose from {names}", path, table="x")
    both = "both table= and query= are given; pass one of them"
    refused(f"{path}: {both}", path, table="x", query="")


def test_a_query_is_run_and_may_only_read(tmp_path: Path) -> None:
    path = database(tmp_path, "flowers")
    found = read_table(path, label="y", query="SELECT a + 1 AS next, y FROM flowers WHERE a < 3")
    assert found.rows["next"].to_list() == [2, 3, 3] * 3
    refused(
        f"{path}: the query fails (no such table: trees); correct query=",
        path,
        query="SELECT * FROM trees",
    )
    before = path.read_bytes()
    for statement in (
        "DROP TABLE flowers",
        "DELETE FROM flowers",
        f"ATTACH '{tmp_path / 'new.db'}' AS new",
        "PRAGMA journal_mode = WAL",
    ):
        with pytest.raises(bf.DataError, match=r"the query fails \(.*not authorized.*\)"):
            read_table(path, label="y", query=statement)
        with pytest.raises(bf.DataError, match=r"the query fails \(.*not authorized.*\)"):
            read_table(io.BytesIO(before), label="y", query=statement)
    assert path.read_bytes() == before
    assert not (tmp_path / "new.db").exists()


def test_columns_of_several_types_are_text_and_twice_the_same_name_is_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mixed.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a, b, y)")
        rows = [(1, b"x", "u"), ("x", b"y", "v"), (2.5, b"x", "u")]
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows * 3)
        connection.commit()
    assert read_table(path, label="y", drop="b").rows["a"].to_list()[:3] == ["1", "x", "2.5"]
    with pytest.raises(bf.DataError, match="column 'b' holds values of type Binary"):
        read_table(path, label="y")
    with pytest.raises(bf.DataError, match="2 columns are named 'a'; give each its own name"):
        read_table(path, label="y", query="SELECT a, a, y FROM t")


def test_files_that_are_no_database_have_no_query(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,y\n1,u\n2,v\n")
    message = f"{path}: query= is for databases, and this is text; leave it out"
    refused(message, path, query="SELECT 1")
    empty = tmp_path / "empty.db"
    with closing(sqlite3.connect(empty)) as connection:
        connection.execute("VACUUM")
    empty.write_bytes(database(tmp_path).read_bytes())
    refused(f"{empty}: the database has no tables; pass one with tables", empty)


def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    path = database(tmp_path, "flowers")
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(bf.DataError, match="the SQLite file is damaged, truncated or of an"):
        read_table(path, label="y")


# DuckDB and servers, whose readers may not be installed


def test_a_database_is_read_in_place_and_only_its_rows_take_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (a, y)")
        connection.executemany(
            "INSERT INTO t VALUES (?, ?)", [("x" * 9000, 0), ("z" * 9000, 1)] * 50
        )
        connection.commit()
    query = "SELECT length(a) + y AS a, y FROM t"
    assert read_table(path, label="y", query=query, max_memory="200kB", keep="a").X.height == 100
    with pytest.raises(bf.DataError, match=r"the rows would take more than 50 kB.*max_memory="):
        read_table(path, label="y", max_memory="200kB")
    with pytest.raises(bf.DataError, match=r"the file would take|the contents would take"):
        read_table(io.BytesIO(path.read_bytes()), label="y", query=query, max_memory="200kB")


def test_a_duckdb_file_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data.db"
    path.write_bytes(bytes(8) + b"DUCK" + bytes(100))
    monkeypatch.setitem(sys.modules, "duckdb", None)
    install = "DuckDB files need an extra package: pip install duckdb, or save the table as Parquet"
    refused(f"{path}: {install}", path)


def test_a_duckdb_file_is_read_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data.duckdb"
    path.write_bytes(bytes(8) + b"DUCK" + bytes(100))
    asked = []

    def connect(database: str, *, read_only: bool) -> sqlite3.Connection:
        asked.append((database, read_only))
        connection = sqlite3.connect(":memory:")
        connection.execute("ATTACH ':memory:' AS information_schema")
        connection.execute("CREATE TABLE information_schema.tables (table_name, table_type)")
        connection.execute("INSERT INTO tables VALUES ('flowers', 'BASE TABLE')")
        connection.execute("CREATE TABLE flowers (a, b, c, y)")
        connection.executemany("INSERT INTO flowers VALUES (?, ?, ?, ?)", ROWS)
        return connection

    fake = SimpleNamespace(connect=connect, DuckDBPyRelation=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "duckdb", fake)
    assert read_table(path, label="y").rows["a"].to_list() == [row[0] for row in ROWS]
    assert asked == [(str(path), True)]
    advice = "pass its path, not compressed, or save the table as Parquet"
    message = f"a DuckDB file is read in place; {advice}"
    refused(f"open BytesIO: {message}", io.BytesIO(path.read_bytes()))


URL = "postgresql://me:secret@host:5432/flowers"


def test_a_database_server_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "connectorx", None)
    name = "postgresql://host:5432/flowers"
    install = "databases need an extra package: pip install connectorx pyarrow, or save the table"
    refused(f"{name}: {install} as Parquet", URL, query="SELECT 1")
    refused(f"{name}: name a table with table=, or pass query=", [URL])
    refused("a database cannot be combined with files; pass one of them", [URL, "a.csv"])


def test_a_database_server_is_asked_and_its_password_is_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def answer(query: str, uri: str, *, engine: str) -> pl.DataFrame:
        asked.append((query, uri, engine))
        if "fail" in query:
            raise RuntimeError(f"cannot connect to {uri}")
        if "COUNT(*)" in query:
            return pl.DataFrame({"count": [len(ROWS)]})
        return pl.DataFrame(ROWS, schema=["a", "b", "c", "y"], orient="row", strict=False)

    monkeypatch.setitem(sys.modules, "connectorx", SimpleNamespace())
    monkeypatch.setattr(pl, "read_database_uri", answer)
    found = read_table(URL, label="y", query="SELECT * FROM f")
    assert found.name == "postgresql://host:5432/flowers"
    assert asked[-1] == ("SELECT * FROM f", URL, "connectorx")
    read_table(["mysql://host/db"], label="y", table="a`b")
    assert asked[-1][0] == "SELECT * FROM `a``b`"
    with pytest.raises(bf.DataError) as caught:
        read_table(URL, label="y", query="fail")
    assert "secret" not in str(caught.value)
    assert "check the address, the rights and the query" in str(caught.value)


def test_a_database_server_is_asked_how_much_it_would_send(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"a": ["x", "z"] * 8, "y": [0, 1] * 8})
    asked = []

    def answer(query: str, _: str, *, engine: str) -> pl.DataFrame:  # noqa: ARG001
        asked.append(query)
        if "ORDER" in query and query.startswith("SELECT *"):
            raise RuntimeError("a query in order cannot stand inside another")
        if "COUNT(*)" in query:
            return pl.DataFrame({"n": [10**9]})
        return frame.clear() if "1 = 0" in query else frame

    monkeypatch.setitem(sys.modules, "connectorx", SimpleNamespace())
    monkeypatch.setattr(pl, "read_database_uri", answer)
    with pytest.raises(bf.DataError) as caught:
        read_table(URL, label="y", query="SELECT a, y FROM f;", max_memory="1GB")
    assert str(caught.value) == (
        "postgresql://host:5432/flowers: the rows would take more than 250 MB, too much for the"
        " memory there is; pass fewer rows or columns, or a larger max_memory="
    )
    assert asked == [
        "SELECT * FROM (SELECT a, y FROM f) t WHERE 1 = 0",
        "SELECT COUNT(*) FROM (SELECT a, y FROM f) t",
    ]
    assert read_table(URL, label="y", query="SELECT a, y FROM f", max_memory="1TB").X.height == 16
    assert read_table(URL, label="y", query="SELECT y, a FROM f ORDER BY a").X.height == 16
