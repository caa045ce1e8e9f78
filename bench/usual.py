"""A typical stack: FastAPI, pydantic, SQLAlchemy 2 ORM and asyncpg, used as their documentation
teaches.

A session per request by dependency injection, a JWT checked in a dependency, relationships loaded
with ``selectinload``, responses through ``response_model``. Separate tables with the keys and
indexes that its requests need.

``USUAL_DATABASE`` names the database; ``uvicorn bench.usual:app``.
"""

import os
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated

import jwt
from fastapi import Depends, FastAPI, Header, HTTPException, Query
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from sqlalchemy import BigInteger, ForeignKey, UniqueConstraint, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship, selectinload

KEY = os.environ.get("USUAL_KEY", "k" * 40)
engine = create_async_engine(
    os.environ["USUAL_DATABASE"].replace("postgresql://", "postgresql+asyncpg://"), pool_size=20
)
sessions = async_sessionmaker(engine, expire_on_commit=False)
app = FastAPI()


class Base(DeclarativeBase):
    """The tables."""


class Entry(Base):
    __tablename__ = "usual_entries"
    list_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("usual_lists.id"), primary_key=True)
    item_id: Mapped[uuid.UUID] = mapped_column(
        ForeignKey("usual_items.id"), primary_key=True, index=True
    )


class ItemRow(Base):
    __tablename__ = "usual_items"
    __table_args__ = (UniqueConstraint("profile_id", "product_id", "variant_id"),)
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    profile_id: Mapped[uuid.UUID] = mapped_column(index=True)
    product_id: Mapped[int] = mapped_column(BigInteger)
    variant_id: Mapped[int] = mapped_column(BigInteger, default=0)
    quantity: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime] = mapped_column(
        default=lambda: datetime.now(UTC).replace(tzinfo=None)
    )
    updated_at: Mapped[datetime] = mapped_column(
        default=lambda: datetime.now(UTC).replace(tzinfo=None)
    )
    entries: Mapped[list[Entry]] = relationship(cascade="all, delete-orphan")


class ListRow(Base):
    __tablename__ = "usual_lists"
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    profile_id: Mapped[uuid.UUID] = mapped_column(index=True)
    name: Mapped[str]
    items: Mapped[list[ItemRow]] = relationship(secondary="usual_entries", viewonly=True)


class Model(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, from_attributes=True)


class Item(Model):
    id: uuid.UUID
    product_id: int
    variant_id: int
    quantity: int
    list_ids: list[uuid.UUID]
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, row: ItemRow) -> "Item":
        return cls(
            id=row.id,
            product_id=row.product_id,
            variant_id=row.variant_id,
            quantity=row.quantity,
            list_ids=[entry.list_id for entry in row.entries],
            created_at=row.created_at,
            updated_at=row.updated_at,
        )


class NewItem(Model):
    product_id: int = Field(ge=1)
    variant_id: int | None = None
    quantity: int = Field(default=1, ge=1)


class Change(Model):
    quantity: int = Field(ge=1)


class One(BaseModel):
    data: Item


class Many(BaseModel):
    data: list[Item]


class WholeList(Model):
    id: uuid.UUID
    name: str
    items: list[Item]


class OneList(BaseModel):
    data: WholeList


async def session() -> AsyncIterator[AsyncSession]:
    async with sessions() as opened:
        yield opened


def profile(authorization: Annotated[str, Header()]) -> uuid.UUID:
    try:
        claims = jwt.decode(authorization.removeprefix("Bearer "), KEY, algorithms=["HS256"])
    except jwt.PyJWTError as error:
        raise HTTPException(401) from error
    return uuid.UUID(claims["sub"])


Session = Annotated[AsyncSession, Depends(session)]
Profile = Annotated[uuid.UUID, Depends(profile)]
LOADED = selectinload(ItemRow.entries)


async def _own(session: AsyncSession, profile: uuid.UUID, id: uuid.UUID) -> ItemRow:
    statement = (
        select(ItemRow).where(ItemRow.profile_id == profile, ItemRow.id == id).options(LOADED)
    )
    row = (await session.scalars(statement)).one_or_none()
    if row is None:
        raise HTTPException(404)
    return row


@app.get("/items", response_model=Many)
async def read_items(
    session: Session, profile: Profile, limit: Annotated[int, Query(ge=1, le=250)] = 50,
    query: str | None = None,
) -> Many:  # fmt: skip
    statement = select(ItemRow).where(ItemRow.profile_id == profile).options(LOADED)
    if query:
        product_ids = [int(text) for text in query.removeprefix("product:").split(",")]
        statement = statement.where(ItemRow.product_id.in_(product_ids))
    rows = await session.scalars(statement.order_by(ItemRow.id.desc()).limit(limit))
    return Many(data=[Item.of(row) for row in rows])


@app.get("/items/{id}", response_model=One)
async def read_item(id: uuid.UUID, session: Session, profile: Profile) -> One:
    return One(data=Item.of(await _own(session, profile, id)))


@app.post("/items", response_model=One, status_code=201)
async def save_item(new: NewItem, session: Session, profile: Profile) -> One:
    statement = select(ItemRow).where(
        ItemRow.profile_id == profile,
        ItemRow.product_id == new.product_id,
        ItemRow.variant_id == (new.variant_id or 0),
    )
    row = (await session.scalars(statement.options(LOADED))).one_or_none()
    if row is None:
        row = ItemRow(
            profile_id=profile,
            product_id=new.product_id,
            variant_id=new.variant_id or 0,
            entries=[],
        )
        session.add(row)
    row.quantity = new.quantity
    await session.commit()
    return One(data=Item.of(row))


@app.patch("/items/{id}", response_model=One)
async def change_item(id: uuid.UUID, change: Change, session: Session, profile: Profile) -> One:
    row = await _own(session, profile, id)
    row.quantity = change.quantity
    row.updated_at = datetime.now(UTC).replace(tzinfo=None)
    await session.commit()
    return One(data=Item.of(row))


class Chosen(Model):
    list_ids: list[uuid.UUID]


@app.put("/items/{id}/lists", response_model=One)
async def set_lists(id: uuid.UUID, chosen: Chosen, session: Session, profile: Profile) -> One:
    row = await _own(session, profile, id)
    statement = select(ListRow.id).where(
        ListRow.profile_id == profile, ListRow.id.in_(chosen.list_ids)
    )
    if set(await session.scalars(statement)) != set(chosen.list_ids):
        raise HTTPException(404)
    kept_entries = [entry for entry in row.entries if entry.list_id in chosen.list_ids]
    kept_ids = {entry.list_id for entry in kept_entries}
    row.entries = kept_entries + [Entry(list_id=at) for at in chosen.list_ids if at not in kept_ids]
    await session.commit()
    return One(data=Item.of(row))


@app.delete("/items/{id}", status_code=204)
async def delete_item(id: uuid.UUID, session: Session, profile: Profile) -> None:
    await session.delete(await _own(session, profile, id))
    await session.commit()


@app.get("/lists/{id}", response_model=OneList)
async def read_list(id: uuid.UUID, session: Session, profile: Profile) -> OneList:
    statement = (
        select(ListRow)
        .where(ListRow.profile_id == profile, ListRow.id == id)
        .options(selectinload(ListRow.items).selectinload(ItemRow.entries))
    )
    row = (await session.scalars(statement)).one_or_none()
    if row is None:
        raise HTTPException(404)
    list_items = [Item.of(item) for item in row.items]
    return OneList(data=WholeList(id=row.id, name=row.name, items=list_items))
