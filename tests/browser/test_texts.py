"""Languages: the texts that a page shows, and the files that it loads for them."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.conftest import slow

from .own_shop import new_visitor as new_visitor
from .own_shop import own_shop as own_shop
from .own_shop import visitor as visitor
from .test_pages import violations

pytestmark = pytest.mark.xdist_group("shop-browser")

HEART = '<wishlist-button product-id="1"></wishlist-button>'
WHOLE = f'{HEART}<wishlist-page></wishlist-page><wishlist-share list-id="x"></wishlist-share>'
SCRIPTS = ("wishwell", "page", "share")
ARABIC = {
    "heart": "أضف إلى قائمة الأمنيات",
    "title": "قائمة الأمنيات",
    "empty": "قائمة أمنياتك فارغة",
    "share": "مشاركة",
    "count": "لا عناصر|عنصر واحد|عنصران|{n} عناصر|{n} عنصرًا|{n} عنصر",
}
# The heart, the page's title, the button of <wishlist-share>.
TEXTS = {
    "en": ("Save to wishlist", "Wishlist", "Share"),
    "de-AT": ("Auf den Merkzettel", "Merkzettel", "Teilen"),
    "fr": ("Ajouter à ma liste d’envies", "Liste d’envies", "Partager"),
    "es": ("Guardar en mi lista de deseos", "Lista de deseos", "Compartir"),
    "it": ("Aggiungi alla lista dei desideri", "Lista dei desideri", "Condividi"),
    "nl": ("Bewaren op verlanglijst", "Verlanglijst", "Delen"),
    "pl": ("Dodaj do listy życzeń", "Lista życzeń", "Udostępnij"),
    "sv": ("Save to wishlist", "Wishlist", "Share"),
}


def override(texts):
    return f"<script type='application/json' data-wishlist-texts>{json.dumps(texts)}</script>"


def shown(page, heart, title, share):
    expect(page.locator("wishlist-button button")).to_have_accessible_name(heart)
    expect(page.locator("wishlist-page").get_by_role("heading").first).to_have_text(title)
    expect(page.locator("wishlist-share button").first).to_have_text(share)


@pytest.mark.parametrize("lang", [lang if lang == "de-AT" else slow(lang) for lang in TEXTS])
def test_page_loads_only_its_own_language(visitor, lang):
    """Hearts, the wishlist page and the share button are in the page's language, of which one file
    is loaded. Other languages are shown in English."""
    loaded = []
    visitor.context.on("request", lambda request: loaded.append(request.url))
    page = visitor.open(WHOLE, lang=lang, scripts=SCRIPTS)
    shown(page, *TEXTS[lang])
    files = {match[0] for url in loaded if (match := re.search("texts-.*", url))}
    assert files == ({f"texts-{lang[:2]}.js"} if lang not in ("en", "sv") else set())
    assert violations(page) == []


@pytest.mark.slow
def test_shop_replaces_texts_and_adds_a_language(visitor):
    """The shop's own texts replace those of a language; a language that it adds falls back to
    English for missing texts, and has its own plural forms."""
    own = override({"ar": ARABIC, "de": {"title": "Wunschliste"}})
    german = visitor.open(WHOLE, lang="de", scripts=SCRIPTS, head=own)
    shown(german, "Auf den Merkzettel", "Wunschliste", "Teilen")
    page = visitor.open(WHOLE, lang="ar", dir="rtl", scripts=SCRIPTS, head=own)
    shown(page, ARABIC["heart"], ARABIC["title"], ARABIC["share"])
    wishlist = page.locator("wishlist-page")
    expect(wishlist.get_by_role("link")).to_have_text("Continue shopping")
    for product in range(1, 4):
        page.evaluate(
            "id => import('/apps/wishlist/assets/wishwell.js')"
            ".then(({ wishlist }) => wishlist.save({ productId: id }))",
            product,
        )
        count = ARABIC["count"].split("|")[product].replace("{n}", str(product))
        digits = str.maketrans("٠١٢٣٤٥٦٧٨٩", "0123456789")
        page.wait_for_function(
            "count => document.querySelector('wishlist-page').shadowRoot"
            ".querySelector('.count').textContent !== ''",
            arg=count,
        )
        expect(wishlist.locator(".card")).to_have_count(product)
        assert wishlist.locator(".count").inner_text().translate(digits) == count
    assert violations(page) == []


@pytest.mark.slow
def test_texts_and_label_attributes_override_the_shops_texts(visitor):
    """The attributes `texts` and `label` replace a text of one element."""
    body = (
        '<wishlist-button product-id="1" label="Keep"></wishlist-button>'
        """<wishlist-page texts='{"title": "Mine"}'></wishlist-page>"""
        '<wishlist-share list-id="x" label="Send"></wishlist-share>'
    )
    page = visitor.open(body, lang="fr", scripts=SCRIPTS)
    shown(page, "Keep", "Mine", "Send")


@pytest.mark.slow
def test_page_is_shown_in_english_when_its_language_is_unreachable(visitor):
    """A language that can't be loaded leaves the elements usable, in English."""
    page = visitor.context.new_page()
    visitor.context.route("**/texts-de.js", lambda route: route.abort())
    visitor.open(WHOLE, lang="de", scripts=SCRIPTS, page=page)
    shown(page, *TEXTS["en"])
