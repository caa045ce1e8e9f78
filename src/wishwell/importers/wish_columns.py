"""The usual names of columns in exports of wishlist apps and shops, by which fields are guessed."""

import re
from collections.abc import Mapping, Sequence

from wishwell.errors import Invalid

FIELDS = ("customer", "product", "variant", "list", "quantity", "note", "saved", "email")
"""Fields that a column can be mapped to."""

NEEDED_FIELDS = ("customer", "product")
"""Fields that a row needs to be a wish."""

EMAILS = (
    *("email", "customeremail", "useremail", "shopperemail", "emailaddress"),
    *("customeremailaddress", "mail"),
)
HANDLES = ("producthandle", "handle", "urlhandle", "productslug", "slug")
CUSTOMER_IDS = (
    *("customerid", "shopifycustomerid", "customergid", "shopifyuserid", "userid", "idcustomer"),
    *("loggedincustomerid", "shopperid", "author"),
)
PRODUCT_IDS = ("productid", "shopifyproductid", "productgid", "prodid", "idproduct", "empi")

# Names are normalised, the best first. XB Wishlist documents its columns; epi, empi and cts are
# Swym's; author, prodid and dateadded are columns of TI's and YITH's tables.
_NAMES: Mapping[str, Sequence[str]] = {
    "customer": (*CUSTOMER_IDS, "customer", *EMAILS),
    "product": (*PRODUCT_IDS, *HANDLES, "product"),
    "variant": (
        *("variantid", "productvariantid", "shopifyvariantid", "variantgid", "variationid"),
        *("idproductattribute", "epi", "variant"),
    ),
    "list": ("listname", "wishlistname", "wishlisttitle", "listtitle", "list"),
    "quantity": ("quantity", "qty", "desiredquantity"),
    "note": ("note", "notes", "comment", "comments"),
    "saved": (
        *("dateadded", "addedat", "added", "addedon", "addeddate", "dateofaddition", "savedat"),
        *("saved", "createdat", "created", "createdon", "createddate", "datecreated", "dateadd"),
        *("eventtime", "timestamp", "cts", "date"),
    ),
    "email": EMAILS,
}


# rule: import-guess
def complete_columns(
    path: str, header: Sequence[str], mapped_columns: Mapping[str, str]
) -> dict[str, str]:
    """Returns the columns by field: those of ``--map``, and unless it names all that are needed,
    others with usual names. Raises ``Invalid``."""
    if mapped_columns.keys() >= {*NEEDED_FIELDS}:
        return {**mapped_columns}
    unmapped_columns = [name for name in header if name not in mapped_columns.values()]
    columns = {
        field: mapped_columns.get(field) or find_column(path, unmapped_columns, _NAMES[field])
        for field in FIELDS
    }
    if missing := [field for field in NEEDED_FIELDS if not columns[field]]:
        names = ", ".join(map(repr, header))[:500]
        raise Invalid(
            f"{path}: line 1: no column has a usual name for {' and '.join(missing)}; the columns "
            f"are {names}. Name it with --map {missing[0]}=COLUMN."
        )
    return {field: column for field, column in columns.items() if column}


def remove_field_name(error: Invalid) -> str:
    """Returns an error's message without the API's name of the field and without the full stop."""
    return re.sub(r"^\w+: ", "", error.message).removesuffix(".")


def describe_columns(columns: Mapping[str, str], ignored_columns: Sequence[str]) -> str:
    """Returns the lines that list the columns that are read and ignored."""
    columns_read = ", ".join(f"{field} from {column}" for field, column in columns.items())
    return f"columns: {columns_read}" + (
        f"\nignored columns: {', '.join(ignored_columns)[:500]}" if ignored_columns else ""
    )


def find_column(path: str, header: Sequence[str], names: Sequence[str]) -> str | None:
    """Returns the column with the first of these names that a header has, in any spelling. Raises
    ``Invalid`` if several columns have it."""
    for name in names:
        columns = [column for column in header if re.sub(r"[\W_]+", "", column).lower() == name]
        if len(columns) > 1:
            raise Invalid(
                f"{path}: line 1: the columns {columns[0]!r} and {columns[1]!r} have alike names. "
                "Rename one, or name it with --map."
            )
        if columns:
            return columns[0]
    return None
