// Connects the wishlist with the theme's product form and the shop's cart.
(() => {
  const texts = document.currentScript.dataset;
  const service = document.querySelector('script[src$="/assets/wishwell.js"]').src;

  // The heart of a product page saves the variant chosen in the page's form.
  function follow(heart) {
    const form = heart.closest('.shopify-section')?.querySelector('form[action*="/cart/add"]');
    const chosen = form?.elements.namedItem('id')?.value;
    if (chosen && chosen !== heart.getAttribute('variant-id')) heart.setAttribute('variant-id', chosen);
  }

  document.addEventListener('change', ({ target }) => {
    if (target.name === 'id') document.querySelectorAll('[data-follow-form]').forEach(follow);
  });
  // Some themes set the form's variant without an event. A press on a saved heart only removes.
  const press = ({ target }) => target.matches('[data-follow-form]:not([saved])') && follow(target);
  document.addEventListener('click', press, { capture: true });

  document.addEventListener('wishlist-cart', async ({ detail: { item, items } }) => {
    const { wishlist } = await import(service);
    const root = window.Shopify.routes.root;
    const ready = items.filter(({ variantId }) => variantId);
    const page = item?.product?.url;
    if (!ready.length && page) return location.assign(page); // to choose a size there
    if (ready.length) {
      const lines = ready.map(({ variantId, quantity }) => ({ id: variantId, quantity }));
      const answer = await fetch(`${root}cart/add.js`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ items: lines }),
      });
      const { description } = await answer.json(); // of a failure, in the shopper's language
      if (!answer.ok) return wishlist.toast({ text: description });
      if (ready.length === items.length) return location.assign(`${root}cart`);
    }
    const actions = ready.length ? [{ text: texts.cart, href: `${root}cart` }] : [];
    wishlist.toast({ text: ready.length ? texts.added : texts.choose, actions });
  });
})();
