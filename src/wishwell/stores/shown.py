"""A store as the API shows it."""

from msgspec import structs

from wishwell import stores
from wishwell.config import Settings
from wishwell.stores import Store


# contract: store-shown
def in_force(store: Store, settings: Settings) -> Store:
    """The store with all limits and bounds that are in force, whoever set them."""
    bounds = stores.bounds(store, settings)._asdict()
    limits = {
        name: bounds.get(name) or stores.limit(store, settings, name) for name in stores.LIMITS
    }
    return structs.replace(store, limits=limits)
