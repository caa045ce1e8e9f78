"""Files that join e-mail addresses or product handles to ids, such as a customers' export."""

from collections.abc import Callable, Sequence

from wishwell.errors import Invalid
from wishwell.importers import table, wish_columns
from wishwell.importers.table import Table
from wishwell.transfer.spool import Spool, open_unpacked

_CUSTOMER_IDS = (*wish_columns.CUSTOMER_IDS, "id", "entityid")
_PRODUCT_IDS = (*wish_columns.PRODUCT_IDS, "id")


class Unlisted(Invalid):
    """A file of ids has none, or two, for a cell."""


# rule: import-join
class IdFile:
    """The ids in the file at ``path`` by another column, in a temporary file."""

    def __init__(
        self, path: str, keys: Sequence[str], ids: Sequence[str], parse_id: Callable[[str], str]
    ) -> None:
        """``keys``, ``ids``: names of the two columns. ``parse_id`` returns the id in a cell.
        Raises ``Invalid``."""
        self._path, self._spool = path, Spool()
        id_table = Table(path, open_unpacked(path), "utf-8-sig", ())
        key_column, id_column = (
            wish_columns.find_column(path, id_table.header, column_names)
            for column_names in (keys, ids)
        )
        if key_column is None or id_column is None:
            column_names = ", ".join(map(repr, id_table.header))[:500]
            raise Invalid(
                f"{path}: line 1: must have a column {keys[0]!r} and a column {ids[0]!r} or 'id'; "
                f"the columns are {column_names}."
            )
        key_index, id_index = id_table.find_index(key_column), id_table.find_index(id_column)
        for line, cells in id_table.read_rows():
            if isinstance(cells, str):
                raise Invalid(f"{path}: line {line}: {cells}.")
            key, id = (_clean_cell(cells[index]) for index in (key_index, id_index))
            if {key, id}.isdisjoint(table.EMPTY_CELLS) and id != "0":
                try:
                    self._spool.add(key.lower(), line, "", parse_id(id))
                except Invalid as error:
                    message = wish_columns.remove_field_name(error)
                    raise Invalid(
                        f"{path}: line {line}: column {id_column!r}: {message}."
                    ) from error
        self._spool.query("CREATE INDEX records_key_idx ON records (key)")

    def find_id(self, key: str) -> str:
        """Returns the only id of an address or handle, in any case. Raises ``Unlisted``."""
        query = "SELECT DISTINCT text FROM records WHERE key = ? LIMIT 2"
        ids = self._spool.query(query, key.lower()).fetchall()
        if len(ids) != 1:
            raise Unlisted(f"has {'two ids' if ids else 'no id'} in {self._path}")
        return str(ids[0][0])


def _clean_cell(cell: str) -> str:
    """Returns a cell's text, with undecodable bytes replaced, which no id has."""
    return cell.encode("utf-8", "replace").decode().strip().removeprefix("'")


def read_customers(path: str, parse_id: Callable[[str], str]) -> IdFile:
    """Returns the customers' ids by e-mail address."""
    return IdFile(path, wish_columns.EMAILS, _CUSTOMER_IDS, parse_id)


def read_handles(path: str, parse_id: Callable[[str], str]) -> IdFile:
    """Returns the products' ids by handle."""
    return IdFile(path, wish_columns.HANDLES, _PRODUCT_IDS, parse_id)
