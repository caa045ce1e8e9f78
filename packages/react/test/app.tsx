// A page of a shop that uses all of the package; React 18 and 19 render it, on a server and in a browser.
import type { Wishlist } from '@wishwell/browser';
import { StrictMode, Suspense, useState } from 'react';
import {
  useCount,
  useItems,
  useLists,
  useSaved,
  useSharedList,
  useShares,
  useWishlist,
  useWishlistEvents,
  WishlistButton,
  WishlistCount,
  WishlistPage,
  WishlistProvider,
  WishlistShare,
  WishlistToast,
  WishlistWanted,
} from '../src/index.js';

export function App({ wishlist }: { wishlist: Wishlist }) {
  return (
    <StrictMode>
      <WishlistProvider wishlist={wishlist}>
        <Header />
        <Product />
        <Wishes />
        <Suspense>
          <WishlistButton productId={1} match="product" className="later" />
        </Suspense>
      </WishlistProvider>
    </StrictMode>
  );
}

function Header() {
  const count = useCount();
  const [said, say] = useState('');
  const add = (what: string) => say((before) => `${before}${what};`);
  useWishlistEvents({
    added: ({ productId, variantId, product }) =>
      add(`added ${productId} ${variantId} ${product?.title}`),
    removed: ({ productId }) => add(`removed ${productId}`),
  });
  return (
    <header>
      <a href="/wishlist">
        Wishlist <WishlistCount className="count" />
      </a>
      <output id="count">{count}</output>
      <output id="events">{said}</output>
      <WishlistToast page="/wishlist" signIn="/sign-in" className="toast" />
    </header>
  );
}

function Product() {
  const [colour, choose] = useState(11);
  const [told, tell] = useState('nothing');
  const [page, open] = useState(false);
  const { saved, pending, item, toggle } = useSaved({ productId: 1 });
  return (
    <section>
      <WishlistButton
        productId={1}
        variantId={colour}
        match="product"
        label="Save the mug"
        labelSaved="Remove the mug"
        className="wide"
        data-shelf="top"
        onWishlistChange={(change) => tell(`${change.productId} ${change.saved}`)}
      >
        Save
      </WishlistButton>
      <WishlistButton productId="2" variantId={null} label="Save the lamp" disabled />
      <button onClick={() => choose(colour + 1)}>Next colour</button>
      <button onClick={toggle} aria-pressed={saved}>
        Mug
      </button>
      <button onClick={() => open(true)}>Page</button>
      <WishlistWanted productId={1} label="{count} want it" className="wanted" />
      {page && (
        <WishlistPage
          cart
          texts={{ cart: 'Buy' }}
          className="page"
          onWishlistCart={({ detail: { item } }) => tell(`cart ${item?.productId}`)}
        />
      )}
      <output id="told">{told}</output>
      <output id="mug">{`${saved} ${pending} ${item?.variantId ?? 'none'}`}</output>
    </section>
  );
}

function Wishes() {
  const { lists: api } = useWishlist();
  const [listId, open] = useState<string>();
  const { items, loading, error } = useItems({ listId });
  const newest = useItems({ limit: 1, include: 'product' });
  const { lists } = useLists();
  const shown = items.map(({ productId, variantId }) => `${productId}/${variantId ?? ''}`);
  return (
    <section>
      <output id="items">{loading ? 'loading' : error ? 'failed' : shown.join(' ')}</output>
      <output id="newest">{newest.items.map(({ product }) => product?.title).join(' ')}</output>
      <button onClick={() => api.create({ name: 'Birthday' })}>New list</button>
      {lists.map(({ id, name, itemCount }) => (
        <button key={id} onClick={() => open(id)}>
          {`${name} ${itemCount}`}
        </button>
      ))}
      {listId && <Links listId={listId} />}
    </section>
  );
}

function Links({ listId }: { listId: string }) {
  const wishlist = useWishlist();
  const { shares, loading } = useShares(listId);
  return (
    <>
      <button onClick={() => wishlist.share(listId)}>Make a link</button>
      <WishlistShare listId={listId} page="/shared" className="share" />
      <output id="links">{loading ? 'loading' : shares.length}</output>
      {shares.map(({ token }) => (
        <Shared key={token} token={token} />
      ))}
    </>
  );
}

function Shared({ token }: { token: string }) {
  const { list, loading, error, copy } = useSharedList(token);
  const shown = list?.items.map(({ productId, variantId }) => `${productId}/${variantId ?? ''}`);
  return (
    <>
      <output id="shared">
        {loading ? 'loading' : error ? 'failed' : `${list?.name} ${shown}`}
      </output>
      <button onClick={() => copy('For me')}>Copy</button>
    </>
  );
}
