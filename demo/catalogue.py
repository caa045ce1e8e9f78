"""The shop's products. A real shop has them in its database."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Variant:
    """A colour of a product. ``tint``: its class in shop.css."""

    id: int
    name: str
    tint: str


@dataclass(frozen=True, slots=True)
class Product:
    """A product. ``picture``: the id of its drawing in pictures.svg; ``price``: in euros."""

    id: int
    picture: str
    name: str
    price: int
    text: str
    variants: tuple[Variant, ...]


def _product(id: int, picture: str, name: str, price: int, tints: str, text: str) -> Product:
    variants = tuple(
        Variant(id * 10 + number, tint.capitalize(), tint)
        for number, tint in enumerate(tints.split(), 1)
    )
    return Product(id, picture, name, price, text, variants)


PRODUCTS = (
    _product(101, "mug", "Morning mug", 18, "clay sage ink",
             "Stoneware with room for a slow start: 35 cl, and a handle for the whole hand."),
    _product(102, "lamp", "Dome lamp", 89, "honey oat ink",
             "Spun steel on a foot of oiled oak. Dims from reading to dozing."),
    _product(103, "blanket", "Wool throw", 75, "sky rose ink",
             "Woven from the wool of one small flock; 130 by 180 cm, and warm beyond its weight."),
    _product(104, "plant", "Windowsill fig", 24, "clay oat plum",
             "A fig that forgives a forgotten week, in a pot that lets its roots breathe."),
    _product(105, "kettle", "Gooseneck kettle", 64, "sage ink oat",
             "Pours as thin as a thread. A litre, on any stove."),
    _product(106, "clock", "Mantel clock", 52, "plum sky ink",
             "Sweeps instead of ticking, so that a quiet room stays one."),
    _product(107, "cushion", "Linen cushion", 32, "rose sage honey",
             "Washed linen over feathers, 50 by 50 cm. The cover comes off and gets softer."),
    _product(108, "candle", "Evening candle", 21, "oat rose plum",
             "Beeswax and cedar; forty hours in a glass that makes a good tumbler after."),
    _product(109, "chair", "Studio chair", 145, "sage clay ink",
             "Solid ash, five joints, no screws. Light enough for one hand."),
    _product(110, "vase", "Bud vase", 28, "sky clay plum",
             "For three stems and no more. Thrown, so no two are quite alike."),
    _product(111, "bowl", "Fruit bowl", 39, "ink sage sky",
             "Wide, deep and glazed inside only. Lemons are not included."),
    _product(112, "notebook", "Field notebook", 14, "plum honey sage",
             "192 pages that take a fountain pen, and a cover that takes the rain."),
)  # fmt: skip

BY_PICTURE = {product.picture: product for product in PRODUCTS}


COLUMNS = ("product", "variant", "title", "price", "url", "image")


def picture(product: Product, variant: Variant) -> str:
    """Returns the path of a product's picture."""
    return f"/pictures/{product.picture}-{variant.tint}.svg"


def lowered(product: Product) -> Product:
    """Returns a product at a fifth below its price."""
    return replace(product, price=product.price * 4 // 5)


def lines(origin: str, products: Iterable[Product] = PRODUCTS) -> str:
    """Returns products of the shop at ``origin`` as JSON Lines for `wishwell products`."""
    return "\n".join(
        json.dumps(
            {
                "product": product.id,
                "variant": variant.id,
                "title": f"{product.name} - {variant.name}",
                "price": f"{product.price} EUR",
                "url": f"{origin}/products/{product.picture}?variant={variant.id}",
                "image": origin + picture(product, variant),
            }
        )
        for product in products
        for variant in product.variants
    )


def many(count: int) -> list[Product]:
    """Returns ``count`` products for a long page: the twelve repeated, with unique ids."""
    rounds = (divmod(number, len(PRODUCTS)) for number in range(count))
    return [replace(PRODUCTS[at], id=PRODUCTS[at].id + turn * 1000) for turn, at in rounds]
