"""The form of mails: headers, parts, texts, prices."""

import email
import email.policy
import re

import msgspec
import pytest

from wishwell import ids, stores
from wishwell.errors import Invalid
from wishwell.mailer import compose, contents
from wishwell.mailer.compose import TEXTS, Frame, Line
from wishwell.products.money import Money

HOSTILE = "Anna\r\nBcc: all@evil.example\u2028\u202e\x00<b>&amp;"
MAIL = {"mail_on": True, "mail_from": "shop@sender.example"}
ID = "019649e4-18b9-7651-8317-1ff4a6a3a450"
WISHLIST, LEAVE = "https://shop.example/apps/wishlist/", "https://shop.example/mail/wwmu_x"
LINE = Line("cheaper", "A lamp", "https://shop.example/1", "", Money("52.90", "EUR"),
            Money("39.90", "EUR"))  # fmt: skip


def shop(**fields):
    patch = stores.StorePatch(mail=MAIL, hosts=("https://shop.example",), **fields)
    return stores.apply_patch(
        stores.blank(ID, "shop", "2026-01-01T00:00:00.000Z"), patch, ids.timestamp(0)
    )


def frame(store, language="en", recipient="ann@shop.example"):
    return Frame(store, language, ID, recipient, 1_800_000_000_000)


def parsed(message):
    """Returns a message as a strict reader reads it."""
    read = email.message_from_bytes(message.as_bytes(), policy=email.policy.strict)
    for part in (read, *read.walk()):
        assert not part.defects
        for header in part.values():
            assert not getattr(header, "defects", ())
    return read


def text_of(message, kind="plain"):
    return message.get_body((kind,)).get_content()


def notices(store, lines=(LINE,), more=0, language="en", **named):
    mail = frame(store, language, **named)
    return parsed(compose.compose_notices(mail, lines, more, WISHLIST, LEAVE))


@pytest.mark.parametrize("language", TEXTS)
def test_every_language_has_all_texts(language):
    """Each language has all texts with the same placeholders, and both kinds of mail.
    Rule: mail-form."""
    placeholders = {name: {*re.findall(r"\{\w+\}", text)} for name, text in TEXTS["en"].items()}
    own = {name: {*re.findall(r"\{\w+\}", text)} for name, text in TEXTS[language].items()}
    assert own == placeholders
    store = shop(look={"shop_name": "Anna’s"})
    confirmation = parsed(compose.compose_confirmation(frame(store, language), WISHLIST))
    mail = notices(store, [LINE, LINE._replace(section="back_in_stock")], 3, language)
    for message in (confirmation, mail):
        assert message["Content-Language"] == language
        for kind in ("plain", "html"):
            body = text_of(message, kind)
            assert "Anna’s" in body.replace("&#39;", "'") and not re.search(r"\{\w+\}", body)
    for word in ("cheaper", "back_in_stock", "wishlist", "unsubscribe"):
        assert TEXTS[language][word] in text_of(mail)


def test_headers_identify_the_mail_and_let_it_be_left():
    """Headers of a mail with notices. Rules: mail-form, mail-unsubscribe."""
    store = shop(look={"shop_name": "Anna’s"})
    message = notices(store)
    assert message["From"] == "Anna’s <shop@sender.example>"
    assert message["Message-ID"] == f"<{ID}@sender.example>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["List-Unsubscribe"] == f"<{LEAVE}>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["To"] == "ann@shop.example"
    confirmation = parsed(compose.compose_confirmation(frame(store), WISHLIST))
    assert confirmation["List-Unsubscribe"] is None


def test_hostile_text_stays_text():
    """No text of a shop or product adds a header or markup. Rule: mail-form."""
    store = shop(look={"shop_name": 'Anna <b>&amp; "x" evil.example'})
    hostile = [LINE._replace(title=HOSTILE), LINE._replace(title="<script>alert(1)</script>")]
    message = notices(store, hostile)
    assert message["Bcc"] is None
    assert len(message.get_all("To")) == len(message.get_all("Subject")) == 1
    html = text_of(message, "html")
    assert "<script>" not in html and "<b>" not in html
    assert "\u202e" not in html and "\u202e" not in text_of(message)


def test_site_in_a_title_is_no_link():
    """A title with the address of a site gets no link of the mail program's, and a long title is shortened.
    Rules: mail-form, mail-links."""
    titles = {
        "https://evil.example/x": "https: //evil. example/x",
        "www.evil.example": "www. evil. example",
        "evil\u3002example": "evil\u3002 example",
        "Mug 0.5 l, St. Ives": "Mug 0.5 l, St. Ives",
        "y" * 101: "y" * 99 + "…",
    }
    for title, shown in titles.items():
        message = notices(shop(), [LINE._replace(title=title)])
        assert f"* {shown}" in text_of(message).splitlines()
        links = re.findall('href="([^"]+)', text_of(message, "html"))
        assert {*links} == {LINE.url, WISHLIST, LEAVE}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("/logo.svg", "https://shop.example/logo.svg"),
        ("https://shop.example/logo.svg", "https://shop.example/logo.svg"),
        ("https://evil.example/logo.svg", ""),
        ("https://shop.example@evil.example/logo.svg", ""),
        ("https://shop.example\\@evil.example/logo.svg", ""),
        ("http://shop.example/logo.svg", ""),
    ],
)
def test_pictures_come_only_from_the_shop(url, shown):
    """A logo or picture on another host isn't loaded: whoever has an admin token could write in it.
    Rule: mail-links."""
    store = shop()
    assert compose.is_picture(store, url) == (url == shown)
    look = msgspec.structs.replace(store.look, logo_url=url)
    message = notices(msgspec.structs.replace(store, look=look))
    assert re.findall('<img src="([^"]+)', text_of(message, "html")) == [shown] * bool(shown)


@pytest.mark.parametrize(
    ("url", "is_shown"),
    [
        ("https://cdn.example/mug.jpg", True),
        ("https://shop.example/mug.jpg", True),
        ("http://cdn.example/mug.jpg", False),
        ("https://cdn.example.evil.example/mug.jpg", False),
        ("https://cdn.example@evil.example/mug.jpg", False),
        ("https://evil.example/cdn.example/mug.jpg", False),
    ],
)
def test_pictures_come_from_the_host_for_pictures_too(url, is_shown):
    """With `--mail-picture-host`, mails load pictures from this host by https. Rule: mail-links."""
    store = shop()
    mail = msgspec.structs.replace(store.mail, mail_picture_host="cdn.example")
    store = msgspec.structs.replace(store, mail=mail)
    assert compose.is_picture(store, url) == is_shown
    assert not compose.is_own(store, "https://cdn.example/mug")


def test_wishlist_of_a_platforms_shop_is_at_its_domain():
    """Without a host, mails link to the shop at the platform's domain, because the service's own URL
    has only the pages of mails. Rule: mail-links."""
    naming = {"platform_shop": "anna.myshopify.example", "service_url": "https://wishes.example"}
    blank = stores.blank(ID, "shop", "2026-01-01T00:00:00.000Z")
    store = stores.apply_patch(blank, stores.StorePatch(naming=naming), ids.timestamp(0))
    assert contents.wishlist_url(store, "/a/w") == "https://anna.myshopify.example/a/w/"
    page = msgspec.structs.replace(store.pages, wishlist_page="/pages/wishlist")
    store = msgspec.structs.replace(store, pages=page)
    assert contents.wishlist_url(store, "/a/w") == "https://anna.myshopify.example/pages/wishlist"
    assert compose.is_own(store, "https://anna.myshopify.example/products/1")
    assert not compose.is_own(store, "https://other.myshopify.example/products/1")


INJECTION = "x\r\nBcc: all@evil.example\r\n\r\n<script>alert(1)</script>\u2028\u202e\x00\x85"


@pytest.mark.parametrize(
    "where", ["shop_name", "logo_url", "subject", "title", "url", "image", "language"]
)
def test_no_text_adds_a_header_or_a_part(where):
    """A line break in any text of a shop, product or shopper adds no header, part or markup, even if
    it was stored by another program, unchecked. Rules: mail-form, mail-links."""
    store, lines, language = shop(look={"shop_name": "Anna’s"}), [LINE], "en"
    if where in ("title", "url", "image"):
        lines = [LINE._replace(**{where: INJECTION})]  # type: ignore[arg-type]
    elif where == "language":
        language = compose.choose_language(f"de{INJECTION}", store)
    elif where == "subject":
        texts = {"en": dict.fromkeys(("mailSubject", "mailOpening", "mailClosing"), INJECTION)}
        store = msgspec.structs.replace(
            store, look=msgspec.structs.replace(store.look, texts=texts)
        )
    else:
        look = msgspec.structs.replace(store.look, **{where: INJECTION})
        store = msgspec.structs.replace(store, look=look)
    expected = notices(shop(look={"shop_name": "Anna’s"})).keys()
    message = notices(store, lines, language=language)
    assert message.keys() == expected and message["Bcc"] is None
    assert [part.get_content_type() for part in message.walk()] == [
        *("multipart/alternative", "text/plain", "text/html")
    ]
    assert "<script>" not in text_of(message, "html")
    assert message["To"] == "ann@shop.example" and "\n" not in message["Subject"]


@pytest.mark.parametrize(
    "address", ["a\r\nBcc: b@evil.example", "a@b.example\nBcc: c@evil.example"]
)
def test_address_with_a_line_break_makes_no_mail(address):
    """A stored address with a line break makes no mail. Rule: mail-form."""
    with pytest.raises(ValueError, match="CR or LF"):
        compose.compose_confirmation(frame(shop(), recipient=address), WISHLIST)


@pytest.mark.parametrize(
    "address",
    ["o'hara%40x@shop.example", "a" * 64 + "@" + "b" * 60 + ".example", "jörg@bücher.example"],
)
def test_unusual_addresses_are_written_as_they_are(address):
    """Percent signs, quotes, long and international addresses stay whole. Rule: mail-form."""
    message = compose.compose_confirmation(frame(shop(), recipient=address), WISHLIST)
    assert message["To"] == address


def test_full_mail_is_small():
    """A mail has at most 12 products, counts the others, and stays below 60 kB.
    Rules: mail-form, mail-collected."""
    lines = [LINE._replace(title="x" * 255, url=f"https://shop.example/{'y' * 200}")] * 15
    message = notices(shop(), lines, more=4)
    assert text_of(message).count("* ") == 12
    assert "Further news on your wishlist: 7" in text_of(message)
    assert len(message.as_bytes()) < 60_000


def test_prices_are_compared_in_words_unless_the_shop_shows_reductions():
    """A lower price is said in words; with `--show-reductions on` it has a percentage.
    Rule: mail-form."""
    assert "Saved at €52.90, now €39.90" in text_of(notices(shop()))
    plain = LINE._replace(saved_price=None)
    assert "Now €39.90" in text_of(notices(shop(), [plain]))
    reducing = stores.StorePatch(mail={"show_reductions": True})
    store = stores.apply_patch(shop(), reducing, ids.timestamp(0))
    message = notices(store)
    assert "€52.90 → €39.90 (−24 %)" in text_of(message)
    assert ">€52.90</s>" in text_of(message, "html")


@pytest.mark.parametrize(
    ("language", "amount", "currency", "expected"),
    [
        ("en", "1234.5", "EUR", "€1,234.50"),
        ("de", "1234.5", "EUR", "1.234,50_€"),
        ("fr", "1234", "JPY", "1\u202f234_¥"),
        ("nl", "0.99", "EUR", "€_0,99"),
        ("pl", "52.9", "PLN", "52,90_zł"),
        ("en", "7", "CHF", "CHF_7.00"),
    ],
)
def test_price_is_written_as_its_readers_write_it(language, amount, currency, expected):
    """Separators, symbol and its place follow the language. Rule: mail-form."""
    shown = compose.format_price(Money(amount, currency), language)
    assert shown == expected.replace("_", "\N{NO-BREAK SPACE}")


def test_stores_texts_are_plain_text():
    """The store's subject, opening and closing may have the shop's name and the count, and no
    addresses of sites; other placeholders stay as they are. Rule: mail-form."""
    own = {
        "mailSubject": "{count} at {shop}",
        "mailOpening": "{{ 7*7 }} {url}",
        "mailClosing": "Bye",
    }
    store = shop(look={"shop_name": "Anna’s", "texts": {"en": own}})
    message = notices(store, more=2)
    assert message["Subject"] == "3 at Anna’s"
    assert "{{ 7*7 }} {url}" in text_of(message) and "Bye" in text_of(message)
    for wrong in ("see https://evil.example", "www.evil.example", "evil.example", "x" * 201):
        with pytest.raises(Invalid, match="mailOpening"):
            shop(look={"texts": {"en": {"mailOpening": wrong}}})


def test_language_is_the_shoppers_else_the_stores_else_english():
    """The shopper's language, else the store's, else English. Rule: mail-form."""
    store = shop(look={"language": "nl"})
    assert [compose.choose_language(one, store) for one in ("de-AT", "pt", "", "fr_FR")] == [
        *("de", "nl", "nl", "fr")
    ]
    assert compose.choose_language("pt-BR", shop()) == "en"
