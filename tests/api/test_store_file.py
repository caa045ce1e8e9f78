"""`wishwell store apply` and `wishwell store delete`."""

import secrets

import pytest

from .conftest import refused, save, soon, stores

STORE = "https://{}.example"


@pytest.fixture
def apply(service):
    """Runs `store apply` on the given YAML; returns exit code, stdout and stderr."""

    def run(text, *options):
        path = service.folder / f"{secrets.token_hex(6)}.yaml"
        path.write_text(text)
        return service.attempt("store", "apply", str(path), *options)

    return run


def test_apply_creates_and_changes_the_stores_of_the_file(service, apply, handle):
    """`store apply` shows its changes, then makes them; a second run changes nothing.
    Rule: store-settings."""
    (service.folder / "shop.key").write_text("k" * 40)
    text = f"""
stores:
  - handle: {handle}
    platform: woo
    productIds: text
    authFlow: /signin
    hosts: [{STORE.format(handle)}]
    origins: [https://a.example]
    limits: {{items: 7, lists: 8}}
    events: on
    priceDropPercent: 9
    pages: {{wishlistPage: /wishes}}
    reporting: {{timeZone: Europe/Paris, showWishes: on}}
    naming: {{jwtCookie: session, jwtAudience: {handle}}}
    jwtKeyFiles: [shop.key]
"""
    code, out, _ = apply(text, "--yes")
    assert code == 0
    assert f"+ {handle}: " in out and '"woo"' in out and "1 JWT keys" in out
    assert "k" * 40 not in out
    made = stores(service)[handle]
    assert (made["platform"], made["productIds"], made["authFlow"]) == ("woo", "text", "/signin")
    assert (made["limits"], made["priceDropPercent"]) == ({"items": 7, "lists": 8}, 9)
    assert made["reporting"] == {"timeZone": "Europe/Paris", "showWishes": True}
    assert made["pages"] == {"wishlistPage": "/wishes"}
    assert made["hosts"] == [STORE.format(handle)] and made["eventsSince"]
    assert "nothing to do" in apply(text)[1]
    changed = "limits: {items: null}, hosts: [], events: off"
    code, out, _ = apply(f"stores: [{{handle: {handle}, {changed}}}]", "--yes")
    assert code == 0 and f'~ {handle}: hosts ["' in out and "→ []" in out
    after = stores(service)[handle]
    assert after == made | {"limits": {"lists": 8}, "hosts": [], "eventsSince": None}


def test_apply_changes_nothing_without_a_confirmation(service, handle):
    """Without confirmation nothing changes; if there is nothing to change, `store apply` doesn't
    ask. Rule: store-settings."""
    text = f"stores: [{{handle: {handle}}}]"
    path = service.folder / "asked.yaml"
    path.write_text(text)
    done = service.cli("store", "apply", str(path), input="no\n", check=False)
    assert done.returncode == 1 and f"+ {handle}" in done.stdout
    assert "Nothing was changed" in done.stderr
    assert handle not in stores(service)
    service.cli("store", "apply", str(path), input="yes\n")
    assert handle in stores(service)


WRONG = {
    "no YAML": "stores: [",
    "no stores": "shops: []",
    "an unknown field": "stores: [{handle: HANDLE, colour: red}]",
    "a field that nobody sets": "stores: [{handle: HANDLE, id: 1}]",
    "no handle": "stores: [{platform: woo}]",
    "a number as text": "stores: [{handle: HANDLE, platform: 7}]",
    "a page that is none": "stores: [{handle: HANDLE, pages: {page: /x}}]",
    "no yes or no": "stores: [{handle: HANDLE, reporting: {showWishes: 'on'}}]",
    "a bad name": "stores: [{handle: HANDLE, naming: {cookie: a}}]",
    "a key twice": "stores: [{handle: HANDLE, platform: a, platform: b}]",
    "a store twice": "stores: [{handle: HANDLE}, {handle: HANDLE}]",
    "an object of Python": "stores: [{handle: !!python/name:os.system }]",
    "a second one that is bad": "stores: [{handle: HANDLE}, {handle: x, platform: ''}]",
}


@pytest.mark.parametrize("case", WRONG)
def test_apply_refuses_a_bad_file_and_changes_nothing(service, apply, handle, case):
    """A bad file is refused in one line, and nothing changes. Rule: store-settings."""
    code, _, said = apply(WRONG[case].replace("HANDLE", handle), "--yes")
    assert (code, len(said.strip().splitlines())) == (1, 1), said
    assert handle not in stores(service)


def test_apply_changes_all_or_nothing(service, apply, make_shop, handle):
    """If one store of the file can't be applied, no store changes.
    Rules: store-settings, storefront-hosts, storefront-jwt."""
    taken = STORE.format(secrets.token_hex(6))
    make_shop("--host", taken)
    both = f"{{handle: {handle}}}, {{handle: {handle}-2, hosts: ['{taken}']}}"
    code, _, said = apply(f"stores: [{both}]", "--yes")
    assert code == 1 and "belongs to another store" in said
    issuer = f"{{naming: {{jwtIssuer: {handle}}}, handle: {handle}"
    code, _, said = apply(f"stores: [{issuer}}}, {issuer}-2}}]", "--yes")
    assert code == 1 and "jwt-audience" in said
    assert handle not in stores(service)


def test_store_delete_requires_the_handle_to_be_typed(service, make_shop):
    """`store delete` requires the handle to be typed. Rule: store-delete."""
    shop = make_shop()
    done = service.cli("store", "delete", shop.handle, input="yes\n", check=False)
    assert done.returncode == 1 and "nothing was deleted" in done.stderr
    assert shop.admin.get("/items").status_code == 200
    code, _, said = service.attempt("store", "delete", "nowhere", "--yes")
    assert code == 1 and "doesn't exist" in said


@pytest.mark.slow
def test_tokens_and_host_of_a_deleted_store_stop_working(service, make_shop):
    """A deleted store's tokens fail, its host and handle become free, and other stores aren't
    affected.
    Rule: store-delete."""
    host = STORE.format(secrets.token_hex(6))
    shop, other = make_shop("--host", host), make_shop()
    customer, session = shop.customer(), shop.session()
    for who in (customer, session):
        save(who.http, 1)
    save(other.customer("7").http, 1)
    said = service.cli("store", "delete", shop.handle, input=f"{shop.handle}\n").stdout
    assert "2 profiles" in said
    for http in (customer.http, session.http):
        refused(http.get("/items"), 401, "deleted")
        refused(http.post("/items", json={"productId": 2}), 401, "deleted")
    assert shop.admin.get("/items").status_code == 401
    assert shop.handle not in stores(service)
    assert len(other.admin.get("/items").json()["data"]) == 1
    service.quick("store", "create", shop.handle, "--host", host)
    again = service.client(service.create_token(shop.handle))
    soon(lambda: again.get("/items").status_code == 200)
    assert again.get("/items").json()["data"] == []
    refused(customer.http.get("/items"), 401, "deleted")
