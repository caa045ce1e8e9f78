// Made from src/wishwell/http/openapi.json by `npm run types`; do not edit.
export interface paths {
    "/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List items
         * @description The items of the profile, or of the whole store for an admin token without `Profile`, newest
         *     first or in the order of `sort`, in pages. `query` filters them. For the next page, repeat the request with `page` set
         *     to `pageInfo.next` or `pageInfo.previous`. While others write, following `next` to the end
         *     returns each item that existed the whole time exactly once. A customer of whom nothing is
         *     stored has an empty page. `HEAD` returns the same response without a body.
         */
        get: operations["listItems"];
        /**
         * Save several items
         * @description Saves 1 to 250 items, each as `POST /items` would: all of them or, on an error, none. A
         *     product and variant must not be repeated. The items are returned in the order sent; the
         *     first of the new ones is the newest. Rate limits count one request. With an admin token,
         *     `Profile` must identify the owner.
         */
        put: operations["saveItems"];
        /**
         * Create an item
         * @description Saves a product or a variant for the profile. The operation is idempotent: if the profile
         *     already has the item, the response is 200 with that item, after setting the `quantity`,
         *     `tags` and `note` that the body contains and adding the item to the lists in `listIds`.
         *     Nothing else is changed. If the profile doesn't have one of the lists, the response is 404
         *     and nothing is saved. By default a profile can have at most 5,000 items, a list at most
         *     1,000, and all lists of a profile together at most 20,000. If a limit would be exceeded, the
         *     response is 400 and nothing is saved. With an admin token, `Profile` must identify the
         *     owner.
         */
        post: operations["createItem"];
        /**
         * Delete several items
         * @description Deletes 1 to 250 items: all of them or, on an error, none. Ids that the profile doesn't have
         *     are ignored. Send the ids either in the body or, because some intermediaries drop the body
         *     of a `DELETE`, in the query parameter `itemIds`. With neither or both of them, the response
         *     is 400.
         */
        delete: operations["deleteItems"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/items/{itemId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        /**
         * Find an item
         * @description The item with this id. `HEAD` returns the same response without a body.
         */
        get: operations["getItem"];
        put?: never;
        post?: never;
        /**
         * Delete an item
         * @description Deletes the item and removes it from its lists.
         */
        delete: operations["deleteItem"];
        options?: never;
        head?: never;
        /**
         * Update an item
         * @description Sets the fields in the body and leaves the others unchanged; a `variantId` of null removes
         *     the variant. An empty object changes nothing, not even `updatedAt`. If another item of the
         *     profile already has the new product and variant, the response is 409 and nothing is changed.
         */
        patch: operations["updateItem"];
        trace?: never;
    };
    "/items/{itemId}/lists": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Set the lists of an item
         * @description Puts the item on exactly these lists; an empty array removes it from all. On a list where it
         *     already is, it keeps its position. If the profile doesn't have one of the lists, the
         *     response is 404 and nothing is changed. By default a list can have at most 1,000 items, and
         *     all lists of a profile together at most 20,000. If a limit would be exceeded, the response
         *     is 400 and nothing is changed.
         */
        put: operations["setItemLists"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List lists
         * @description The lists of the profile, or of the whole store for an admin token without `Profile`, newest
         *     first, in pages, without their items. Pagination works as for `GET /items`. `HEAD` returns
         *     the same response without a body.
         */
        get: operations["listLists"];
        put?: never;
        /**
         * Create a list
         * @description Creates an empty list. Names need not be unique. By default a profile can have at most 250
         *     lists; beyond that, the response is 400. With an admin token, `Profile` must identify the
         *     owner.
         */
        post: operations["createList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists/{listId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        /**
         * Find a list
         * @description The list with this id and all of its items, in the order given by `sort`. With `limit` or
         *     `page`, a page of its items in that order, with `pageInfo` next to `data`; `itemCount` stays
         *     the number of all. Pagination works as for `GET /items`. In the order `customer`, an item
         *     that is moved in the meantime may be missed or come twice. `HEAD` returns the same response
         *     without a body.
         */
        get: operations["getList"];
        put?: never;
        post?: never;
        /**
         * Delete a list
         * @description Deletes the list and keeps its items.
         */
        delete: operations["deleteList"];
        options?: never;
        head?: never;
        /**
         * Update a list
         * @description Sets the name if the body has one. An empty object changes nothing, not even `updatedAt`.
         */
        patch: operations["updateList"];
        trace?: never;
    };
    "/lists/{listId}/items": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the items on a list
         * @description Leaves exactly these items on the list, in this order: at most 1,000, in one transaction, as
         *     one request for the rate limit. Items that leave the list stay saved. If an id is repeated,
         *     the response is 400, for an unknown one 404, and nothing is changed. Each item that joins or
         *     leaves has an event `item.updated`, and the list one `list.updated`.
         */
        put: operations["replaceListItems"];
        post?: never;
        /**
         * Take items off a list
         * @description Takes the items with these ids off the list, at most 1,000, or all: in one transaction, as
         *     one request for the rate limit. The items stay saved. Ids that aren't on the list are
         *     ignored. The response is 400 for an empty array and for a repeated id. Events are those of
         *     `PUT`.
         */
        delete: operations["removeListItems"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists/{listId}/items/order": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Set the order of a list's items
         * @description Sets the order of the items on the list, which `GET /lists/{listId}?sort=customer` then
         *     shows. Items that are not in the body follow: first those with a position, in their previous
         *     order, then those without one, most recently saved first. If an id is not on the list or is
         *     repeated, the response is 400 and nothing is changed.
         */
        put: operations["orderListItems"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists/{listId}/items/{itemId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Put an item on a list
         * @description Puts the item on the list and leaves its other lists unchanged. If the item is already on
         *     it, it keeps its position. With `after`, the item is moved after that item, or to the start
         *     with null; `position` moves it to an end of the list. All items before its new position, in the order `customer`, get a position too.
         *     If `after` is the item itself or is not on the list, the response is 400 and nothing is
         *     changed. The limits of lists are those of `PUT /items/{itemId}/lists`.
         */
        put: operations["putListItem"];
        post?: never;
        /**
         * Remove an item from a list
         * @description Removes the item from the list and leaves its other lists unchanged. If the item is not on
         *     the list, the response is 404.
         */
        delete: operations["removeListItem"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists/{listId}/shares": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        /**
         * List the shares of a list
         * @description The shares of the list, newest first, in pages, including expired ones. Pagination works as
         *     for `GET /items`. `HEAD` returns the same response without a body.
         */
        get: operations["listShares"];
        put?: never;
        /**
         * Share a list
         * @description Creates a link to the list: anyone who has its `token` can see the list at `GET
         *     /shared/{token}`, and nothing else of its owner. A list can have at most 20 shares; beyond
         *     that, the response is 400.
         */
        post: operations["createShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists/{listId}/shares/{shareId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of a share. For a malformed or unknown id, the response is 404.
                 * @example 0196e2b7-5f0c-7a41-9d3e-2b1c4f6a8d90
                 */
                shareId: components["parameters"]["ShareId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a share
         * @description From now on its token is rejected everywhere. Other shares of the list stay valid.
         */
        delete: operations["deleteShare"];
        options?: never;
        head?: never;
        /**
         * Update a share
         * @description Changes the fields in the body. The token stays the same.
         */
        patch: operations["updateShare"];
        trace?: never;
    };
    "/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the shares of the wishlist, or all shares
         * @description The shares of the profile's whole wishlist, or with `of=all` also those of its lists, each with
         *     its `listId`, newest first, in pages, including expired ones.
         *     Pagination works as for `GET /items`. `HEAD` returns the same response without a body.
         */
        get: operations["listWishlistShares"];
        put?: never;
        /**
         * Share the whole wishlist
         * @description Creates a link to all items of the profile, with those saved later: anyone who has its
         *     `token` can see them at `GET /shared/{token}`, without lists and tags. A profile can have at
         *     most 20 such shares; beyond that, the response is 400. Works like `POST
         *     /lists/{listId}/shares` otherwise.
         */
        post: operations["createWishlistShare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shares/{shareId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a share. For a malformed or unknown id, the response is 404.
                 * @example 0196e2b7-5f0c-7a41-9d3e-2b1c4f6a8d90
                 */
                shareId: components["parameters"]["ShareId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a share of the whole wishlist
         * @description Deletes a share of the wishlist or of a list. From now on its token is rejected everywhere. Other shares stay valid.
         */
        delete: operations["deleteWishlistShare"];
        options?: never;
        head?: never;
        /**
         * Update a share of the whole wishlist
         * @description Changes the fields in the body, of a share of the wishlist or of a list. The token stays the
         *     same.
         */
        patch: operations["updateWishlistShare"];
        trace?: never;
    };
    "/reservations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List one's own reservations
         * @description All items of others that the profile has reserved, oldest first, without their owners. `DELETE
         *     /shared/{token}/items/{itemId}/reservation` deletes one, also if its list is no longer shared.
         *     With an admin token, `Profile` must identify the guest. `HEAD` returns the same response
         *     without a body.
         */
        get: operations["listReservations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shared/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `token` of a share. Anyone who has it can see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
            };
            cookie?: never;
        };
        /**
         * Show a shared list
         * @description The list that a share's token belongs to, with its items in the owner's order.
         *     `Authorization` is optional, but must be valid if sent. If the share's token is wrong, has
         *     expired or was revoked, or its list was deleted, the response is 404, always with the same
         *     message. If the share has reservations, items show how many are reserved and, with a profile
         *     token, how many of them by the caller. The owner, and an admin token with the owner in
         *     `Profile`, see neither. Rate limits count reads per client address, 120 per minute by
         *     default, and reads with an admin token as its other reads; a wrong token counts as a request
         *     without a valid token. Responses below `/shared/` have `X-Robots-Tag: noindex` and
         *     `Referrer-Policy: no-referrer`. `HEAD` returns the same response without a body.
         */
        get: operations["getSharedList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shared/{token}/copies": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `token` of a share. Anyone who has it can see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy a shared list
         * @description Creates a list for the caller with the items of the shared list, in the same order, with
         *     their quantities and, if the share shows them, their notes. An item that the caller already
         *     has stays unchanged and is put on the new list. If a limit of the caller would be exceeded,
         *     the response is 400 and nothing is changed. With an admin token, `Profile` must identify the
         *     caller.
         */
        post: operations["copySharedList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/shared/{token}/items/{itemId}/reservation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `token` of a share. Anyone who has it can see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Reserve an item of a shared list
         * @description Sets the quantity of the item that the caller has reserved, replacing the previous one. A
         *     reservation belongs to the item and is shared by all of its shares. If the total would
         *     exceed the item's quantity, the response is 409 and nothing is changed. Reservations are
         *     never shown to the owner. For the owner, and for anyone if the share has no reservations,
         *     the response is 403. A profile can reserve at most 1,000 items; beyond that, the response is
         *     400. With an admin token, `Profile` must identify the caller.
         */
        put: operations["reserveSharedItem"];
        post?: never;
        /**
         * Delete a reservation
         * @description Deletes the caller's reservation of the item; if there is none, the response is 404. It also
         *     works after the share has expired or was deleted. With an admin token, `Profile` must
         *     identify the caller.
         */
        delete: operations["deleteReservation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the profile
         * @description The profile that the token or `Profile` acts on: the number of its items and lists, and
         *     whether and how it gets notices. A customer of whom nothing is stored has zeros and no
         *     `createdAt`. `email` is masked except for admin tokens. `HEAD` returns the same response
         *     without a body.
         */
        get: operations["getProfile"];
        put?: never;
        post?: never;
        /**
         * Erase the profile
         * @description Erases the profile in `Profile` with all its data. Within 5 seconds no process shows its
         *     data or emits its events, and its tokens, cookies and shares are rejected. Background jobs
         *     delete the data, usually within a minute; until then, the profile's writes get 503.
         *     Afterwards a customer can start again with an empty profile. The store's feed contains the
         *     event `profile.erased`. Requires an admin token. For a customer of whom nothing is stored,
         *     the response is 204, too.
         */
        delete: operations["deleteProfile"];
        options?: never;
        head?: never;
        /**
         * Turn notices on or off
         * @description With `notices` set to false, the events `item.price_dropped` and `item.back_in_stock` are no
         *     longer recorded for the profile's items. `true` also confirms a pending address that its
         *     owner had confirmed as a visitor. An empty object changes nothing.
         */
        patch: operations["updateProfile"];
        trace?: never;
    };
    "/profile/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove the e-mail address
         * @description Removes the profile's e-mail address. Mails that wait for it are cancelled. If there is no
         *     address, the response is 204, too.
         */
        delete: operations["deleteProfileEmail"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profile/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the profile
         * @description All data stored about the profile, as one document: its lists with their items in the
         *     customer's order, items, shares, reservations of others' items, the mails of 30 days,
         *     and the events that are still stored. With `include=product`, items have the titles and links
         *     of their products. The response is streamed; if a part can't be read, the connection is closed
         *     early. `HEAD` returns the same response without a body.
         */
        get: operations["exportProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find profiles by e-mail address
         * @description The profiles with this address, compared without case, in pages. Requires an admin token
         *     without `Profile`. Addresses are not verified, so the address may belong to somebody else.
         *     Pagination works as for `GET /items`. `HEAD` returns the same response without a body.
         */
        get: operations["listProfiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what is recorded about a profile
         * @description For "my wishlist is gone": when the profile was stored and last used, the sessions that were
         *     merged into it, its erasure and revocations, and its last 1,000 events that are still stored;
         *     what isn't recorded, and what to ask the shopper. `wishwell profile history` also reads the
         *     journal. Requires an admin token without `Profile`. `HEAD` returns the same response without
         *     a body.
         */
        get: operations["getProfileHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/identify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Identify a profile by e-mail address
         * @description Returns the store's sign-in path for an e-mail address. The response is the same whether or
         *     not the address is known. With a profile token, or with `Profile`, the address is stored
         *     with that profile. If the store has no sign-in path, the response is 404.
         *
         *     With `notices`, the address gets a mail whose link confirms it and turns notices on, in a
         *     store that sends mails. The response is the same whether or not a mail is sent: the limits
         *     are in the rules (`mail-confirm`).
         */
        post: operations["identifyProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Store confirmed addresses
         * @description Stores the addresses of 1 to 250 existing profiles, which the shop has confirmed. They
         *     replace typed ones. Nothing is stored for unknown profiles. Requires an admin token without
         *     `Profile`.
         */
        put: operations["putProfileEmails"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List mails
         * @description The store's mails of the last 30 days, the newest first, without their texts and addresses.
         *     Requires an admin token without `Profile`. Pagination works as for `GET /items`. `HEAD`
         *     returns the same response without a body.
         */
        get: operations["listMails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mails/days": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count mails by day
         * @description The number of mails that were created on each of the last 30 days, by what has become of
         *     them, and of addresses that were unsubscribed. Days are in the time zone of the store.
         *     `HEAD` returns the same response without a body.
         */
        get: operations["listMailDays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mails/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a mail
         * @description A mail with sample products, as the store's shoppers get it now. `HEAD` returns the same
         *     response without a body.
         */
        get: operations["getMailPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mails/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Suppress addresses
         * @description Sends no more mails to 1 to 250 addresses, of which the shop's mail relay has reported a
         *     bounce or a complaint. Requires an admin token without `Profile`.
         */
        put: operations["putSuppressions"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a token for a profile
         * @description Creates a token that is valid for one day. Requires an admin token.
         *
         *     | Body | Result |
         *     |---|---|
         *     | none, empty or `{}` | a new session and its token |
         *     | `customer` | a token for the customer |
         *     | `session` | a new token for that session; 404 if it was linked to a customer |
         *     | both | links the session to the customer and returns a token for the customer |
         *
         *     Linking moves the session's items and lists to the customer in one transaction and keeps
         *     their ids. If both have the same item, the customer's is kept, with the larger quantity, the
         *     tags and lists of both and the earlier `createdAt`. If the customer has a list of the same
         *     name, compared without case, the items of the session's list are added to it where they fit.
         *     A profile can have at most twice its limits after a link; the session's oldest items and
         *     lists beyond that are not moved. The session is then closed, and its tokens get 401. Linking
         *     it again, also to another customer, moves nothing and returns a token for that customer.
         *
         *     The header `Profile` is equivalent to the profile in the body: a customer's GID as
         *     `customer`, a session's as `session`. If the body contains a different one of the same kind,
         *     the response is 400.
         */
        post: operations["createProfileToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description The events of the store, oldest first: a feed, not a page. Requires an admin token without
         *     `Profile`. To continue at any later time, repeat the request with `from` set to `resume`,
         *     which is always included: each event is returned exactly once. A profile's events are in the
         *     order of `sequence`. An event appears in the feed within 2 seconds. By default, events are
         *     stored for 7 days. If the store has events turned off, the feed contains only older events
         *     that are still stored. `HEAD` returns the same response without a body.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description The webhooks of the store, newest first, in pages. `HEAD` returns the same response without
         *     a body.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Sends the events of the store to `url` from now on: those whose type is in `types`, or all.
         *     A store can have at most 20 webhooks. If the store has events turned off, the response is
         *     409. `url` must be `https`, on port 443 or 8443, and lead to a public address.
         *
         *     Each event is sent at least once, as a `POST` in the form of Standard Webhooks: `webhook-id`
         *     is the id of the event, `webhook-timestamp` the second of the attempt, `webhook-signature`
         *     is made with `secret`, and the body is the event. Any 2xx within 15 s counts as delivered.
         *     Otherwise the delivery is retried up to nine times, with a backoff of 5 s, 5 min, 30 min, 2,
         *     5, 10, 14, 20 and 24 h. After an answer with `Retry-After` or a 429, the webhook sends nothing
         *     until then, for 24 h at most. A 410 turns the webhook off, and so does a week without a
         *     successful delivery. Events may arrive in any order; sort them by `sequence`. `secret` is
         *     returned only here and when it is renewed.
         *
         *     With `format`, events are sent as calls of a marketing tool's API instead. `url` is the base
         *     address of the API, and `key` its key.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        /**
         * Find a webhook
         * @description A webhook, without its secret. `HEAD` returns the same response without a body.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes the webhook and then its deliveries. Deliveries in progress may still arrive.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook
         * @description Changes the fields in the body. A webhook that is turned on resumes with the first event
         *     that it hasn't sent, or with the oldest event that is still stored. A webhook with a format
         *     needs its `key` again with a new `url`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/webhooks/{webhookId}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew the secret of a webhook
         * @description Creates a new secret, which is returned only here. For 24 hours deliveries are also signed
         *     with the previous secret, unless the secret is renewed again.
         */
        post: operations["renewWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook
         * @description Sends a message of the type `webhook.test`, without retries. The list of deliveries shows
         *     its outcome. If the webhook is turned off, the response is 409.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay events
         * @description Sends all stored events of the webhook's types since `since` again, with the same ids, and
         *     events of up to a minute before it, because the feed isn't ordered by time.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        /**
         * List deliveries
         * @description The deliveries of the webhook, newest first, in pages, as long as their events are stored.
         *     `HEAD` returns the same response without a body.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}/deliveries/{deliveryId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
                /**
                 * @description The id of a delivery. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
                 */
                deliveryId: components["parameters"]["DeliveryId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a delivery
         * @description Sends the event again now, whatever the state of the delivery. If the webhook is turned off
         *     or the event is no longer stored, the response is 409.
         */
        post: operations["retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the store
         * @description The settings of the admin token's store, with the limits that are in force. They contain no
         *     secrets. `HEAD` returns the same response without a body.
         */
        get: operations["getStore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the look and texts of the store
         * @description Changes the look of the hosted pages, their texts and language, whether shoppers who never
         *     chose get notices, and whether anyone may request the number of wishes. Other settings are
         *     changed by `wishwell store update`; for them the response is 400. Takes effect in every
         *     process within 5 seconds.
         */
        patch: operations["updateStore"];
        trace?: never;
    };
    "/store/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the status of the store
         * @description The version of the running program, and warnings that concern the store: webhooks that fail
         *     or were turned off, mails that wait, old figures, background jobs that fail. `HEAD` returns
         *     the same response without a body.
         */
        get: operations["getStoreStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the admin tokens
         * @description The store's admin tokens, newest first, in pages: the purpose and last use of each, never
         *     the token itself. `HEAD` returns the same response without a body.
         */
        get: operations["listTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an admin token. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                tokenId: components["parameters"]["TokenId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an admin token
         * @description Within 5 seconds every process rejects the token. Revoking it again has no effect. For the
         *     token that sends the request, the response is 409.
         */
        delete: operations["deleteToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List products
         * @description The products of the store without their variants, most recently created first, in pages.
         *     `query` filters them. Requires an admin token without `Profile`. `HEAD` returns the same
         *     response without a body.
         */
        get: operations["listProducts"];
        /**
         * Set several products
         * @description The same as `PUT /products/{productId}` for each of 1 to 250 products: for all of them or,
         *     on an error, for none. If a product is repeated, the response is 400. Requires an admin
         *     token without `Profile`.
         */
        put: operations["putProducts"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/products/{productId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The store's id of a product, of the type that the store uses; otherwise the response is 400.
                 * @example 632910392
                 */
                productId: components["parameters"]["ProductId"];
            };
            cookie?: never;
        };
        /**
         * Find a product
         * @description The data of the product and its variants. Requires an admin token without `Profile`. `HEAD`
         *     returns the same response without a body.
         */
        get: operations["getProduct"];
        /**
         * Set a product
         * @description Replaces all data of a product: fields that are missing or null in the body are removed. The
         *     price and availability of the product apply to each variant without its own. Requires an
         *     admin token without `Profile`.
         *
         *     If the store has events turned on, the event `item.price_dropped` is recorded for each
         *     profile with a wish for the product when the price has dropped by the store's percentage,
         *     and `item.back_in_stock` when `available` changes from false to true: at most one of each
         *     type per item in 24 hours. A wish for a variant gets notices for that variant, a wish for
         *     the product for any variant.
         */
        put: operations["putProduct"];
        post?: never;
        /**
         * Delete a product
         * @description Deletes the data of the product and its pending notices. Wishes for it stay. Requires an
         *     admin token without `Profile`.
         */
        delete: operations["deleteProduct"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report the most wished-for products
         * @description The most wished-for products, sorted by `sort` in descending order, in pages; with
         *     `by=variant` a row for each variant. The figures are those of the last count (`asOf`). If
         *     they change between two pages, a product may appear twice or not at all. `format=csv`
         *     returns a spreadsheet, without `limit` of all rows. `HEAD` returns the same response without
         *     a body.
         */
        get: operations["getProductReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report all wishes
         * @description The number of wishes and of profiles with a wish, how many wishes were added and removed, and
         *     what they are worth. `format=csv` returns the same as a spreadsheet. `HEAD` returns the same response
         *     without a body.
         */
        get: operations["getSummaryReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/days": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report day by day
         * @description A row for each day: the wishes at its end, and how many were added and removed, for all
         *     products or for `product`. Days before the first count are omitted, or, if it found older
         *     wishes, days before the oldest. `format=csv` returns the
         *     same as a spreadsheet. `HEAD` returns the same response without a body.
         */
        get: operations["getDailyReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/purchases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report what wishes earn
         * @description The orders with a wish, the units of these wishes, and what was paid for them, by currency:
         *     for each day, or by product, those first that earned most, in pages. Current, not as last
         *     counted. `limit` and `page` are allowed with `by=product` only. `format=csv` returns a
         *     spreadsheet, without `limit` of all products. `HEAD` returns the same response without a body.
         */
        get: operations["getPurchasesReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/wishers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who wishes for a product
         * @description The profiles that wish for a product, or for one of its variants, newest first, in pages.
         *     E-mail addresses are not verified. `format=csv` returns a spreadsheet,
         *     without `limit` of all rows.
         *     `HEAD` returns the same response without a body.
         */
        get: operations["getWisherReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reports/shoppers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List shoppers
         * @description Up to 100 shoppers: those who saved something last, or those who had the most wishes at the
         *     last count. `HEAD` returns the same response without a body.
         */
        get: operations["getShopperReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/wishes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show how many want a product
         * @description The approximate number of wishes for each product, which may be shown to anyone: the largest
         *     of 10, 25, 50, 100, 250, 500, 1,000 and so on that the last count reaches, or 0. Browsers
         *     may cache it for an hour. Without `--show-wishes on`, the response is 404. `HEAD` returns
         *     the same response without a body.
         */
        get: operations["getWishCounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Send orders
         * @description Matches the lines of 1 to 250 orders with the wishes of their customers, each order by
         *     itself: one that breaks a rule is `refused`, and the others are applied. If all break one, the
         *     response is 400. A line matches the item with the same variant, or else the item without a variant,
         *     that was saved before `placedAt` and not too long ago. Nothing is stored of other lines. A
         *     version with a later `updatedAt` replaces the order; others change nothing. Send every order,
         *     and send it again when it is refunded or cancelled, also before it has any match. Requires an
         *     admin token without `Profile`. While the store has purchases off, the response is 409.
         */
        put: operations["putOrders"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders/{orderId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The shop's id of an order.
                 * @example 1001
                 */
                orderId: components["parameters"]["OrderId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Forget an order
         * @description Deletes everything stored of an order, and takes it out of the reports. To cancel an order,
         *     send it with `status: cancelled`, because an earlier version of a forgotten order may arrive
         *     late and would count. Requires an admin token without `Profile`. While the store has
         *     purchases off, the response is 409.
         */
        delete: operations["deleteOrder"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List data requests
         * @description The privacy requests of the store's platform, newest first, in pages. A completed request
         *     keeps its topic, its times, the SHA-256 of its body and its outcome. `HEAD` returns the same
         *     response without a body.
         */
        get: operations["listRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests/{requestId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a request. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
                 */
                requestId: components["parameters"]["RequestId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Cancel a deletion
         * @description Cancels a pending `shop/redact` within 7 days of its arrival, so that the store is not
         *     deleted. Cancelling it again has no effect. For any other request, the response is 409.
         */
        delete: operations["cancelRequest"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests/{requestId}/export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a request. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
                 */
                requestId: components["parameters"]["RequestId"];
            };
            cookie?: never;
        };
        /**
         * Get the export of a data request
         * @description The data stored about the customer when a `customers/data_request` was completed, in the
         *     form of `GET /profile/export`. It is stored for 30 days, unless the customer is erased.
         *     `HEAD` returns the same response without a body.
         */
        get: operations["getRequestExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/platforms/shopify/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a platform's webhook
         * @description Only for the platform: its mandatory webhooks `customers/data_request`, `customers/redact`
         *     and `shop/redact`, and those about products and orders. No token is required: the body is
         *     signed with a platform secret of the store whose shop the header names. Without a valid
         *     signature, the response is 401, always with the same message. The topic must be one whose
         *     fields the body contains; other fields are allowed. A duplicate delivery has no effect, and
         *     neither has the same body within 48 hours (products and orders: 7 days).
         */
        post: operations["receivePlatformWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/openapi": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this description
         * @description This document as JSON, in OpenAPI 3.1. No token is required. `HEAD` returns the same
         *     response without a body.
         */
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive an event
         * @description The request that each webhook receives, in the format of Standard Webhooks. `type` says
         *     which event it is, and thereby what `data` contains. Verify the signature before you parse
         *     the body, and expect duplicates and types that are newer than this document. The body of a
         *     test is `WebhookTestMessage`.
         */
        post: operations["receiveEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    test: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive a test
         * @description The request that `POST /webhooks/{webhookId}/test` sends to the URL of the webhook, signed
         *     like an event. It is sent only once.
         */
        post: operations["receiveTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description An admin token, without the token itself. */
        AdminToken: {
            id: components["schemas"]["Id"];
            /** @description The handle of its store. */
            store: string;
            /** @description The purpose of the token. */
            scope: components["schemas"]["AdminTokenScope"];
            label: string;
            createdAt: components["schemas"]["Timestamp"];
            /** Format: date-time */
            expiresAt?: string | null;
            /** Format: date-time */
            lastUsedAt?: string | null;
            /** Format: date-time */
            revokedAt?: string | null;
            /** @description Only for the token that sends the request. */
            current?: boolean;
        };
        AdminTokenPage: {
            data: components["schemas"]["AdminToken"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        /** @enum {string} */
        AdminTokenScope: "admin" | "storefront" | "naming" | "reports";
        /** @description The body of every response that is not 2xx. */
        ApiError: {
            error: components["schemas"]["ErrorDetail"];
        };
        /**
         * Format: date-time
         * @description When the last count began; null before the first count.
         */
        AsOf: string | null;
        /**
         * @description Whether and how the product can be ordered.
         * @enum {string}
         */
        Availability: "backorder" | "in_stock" | "out_of_stock" | "preorder";
        /**
         * @description Whether and how the product can be ordered.
         * @enum {string}
         */
        AvailabilityInput: "backorder" | "in_stock" | "out_of_stock" | "preorder";
        /** @description null has the same effect as omitting the field. */
        AvailabilityOrNull: components["schemas"]["AvailabilityInput"] | null;
        /** @description null has the same effect as omitting the field. */
        AvailableOrNull: boolean | null;
        /** @description A field of a body, a query parameter or a header that breaks a rule. */
        BadField: {
            /** @description Its path, such as `items[2].quantity`, or its name. */
            field: string;
            /** @description The rule that it breaks. */
            message: string;
            code: components["schemas"]["FieldCode"];
        };
        /** @description Settings of a copied list (`POST /shared/{token}/copies`). */
        CopyTerms: {
            name?: string | null;
        };
        /** @description An opaque position for pagination. */
        Cursor: string;
        /** @description A day, such as 2025-04-18. */
        Day: string;
        DaysReport: {
            data: components["schemas"]["WishDay"][];
            asOf: components["schemas"]["AsOf"];
            since: components["schemas"]["Since"];
        };
        /** @description The delivery of one event to one webhook. */
        Delivery: {
            id: components["schemas"]["Id"];
            /** @description The id of the event, which is sent as `webhook-id`. */
            eventId: components["schemas"]["Id"];
            /** @description The type of the event, or `webhook.test`. */
            type: string;
            /**
             * @description With a format, `skipped` and `by_hand` mean that nothing was sent, and `answer` says why:
             *     `by_hand` that a person has to do it.
             */
            status: components["schemas"]["DeliveryStatus"];
            /**
             * Format: int64
             * @description The number of attempts, without those answered with 429 or, with a format, 401 or 403.
             */
            attempts: number;
            /**
             * Format: int32
             * @description The status of the last response; omitted if there was none.
             */
            lastStatus?: number;
            lastAttemptAt?: components["schemas"]["Timestamp"];
            /** @description Only for a pending delivery. */
            nextAttemptAt?: components["schemas"]["Timestamp"];
            /**
             * @description With a format, the beginning of the last answer, unless it was a success. Without one, where
             *     a redirect leads: it isn't followed.
             */
            answer?: string;
        };
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        DeliveryResponse: {
            data: components["schemas"]["Delivery"];
        };
        /** @enum {string} */
        DeliveryStatus: "pending" | "delivered" | "failed" | "skipped" | "by_hand";
        /** @description The owner's name as people with the link see it: 1 to 100 characters, without control characters, trimmed. */
        DisplayName: string;
        /** @description The purchases of wishes in a period. */
        Earned: {
            /**
             * Format: int64
             * @description The number of orders with a wish.
             */
            orders: number;
            /**
             * Format: int64
             * @description The number of units of these wishes.
             */
            units: number;
            /** @description What was paid for them, by currency; units without a price add nothing. */
            revenue: components["schemas"]["Revenue"][];
            /**
             * @description Of these, those in the seven days after a mail that named the product to the buyer. Omitted
             *     if there are none.
             */
            mailed?: components["schemas"]["Sales"];
        };
        /** @description The purchases of wishes on a day, or for a product. */
        EarnedRow: {
            /**
             * Format: int64
             * @description The number of orders with a wish.
             */
            orders: number;
            /**
             * Format: int64
             * @description The number of units of these wishes.
             */
            units: number;
            /** @description What was paid for them, by currency; units without a price add nothing. */
            revenue: components["schemas"]["Revenue"][];
            /**
             * @description Of these, those in the seven days after a mail that named the product to the buyer. Omitted
             *     if there are none.
             */
            mailed?: components["schemas"]["Sales"];
            day?: components["schemas"]["Day"];
            productId?: components["schemas"]["ProductId"];
            title?: components["schemas"]["Title"];
            image?: components["schemas"]["Url"];
        };
        /** @description An e-mail address, unquoted: up to 64 characters before the @, a domain name or host name after it, no spaces and no control characters. */
        EmailAddress: string;
        /**
         * @description Whether mails are sent to the address: only if it is `confirmed`. A `pending` one waits for its owner to confirm it, nobody was asked to confirm an `unverified` one, and a `suppressed` one gets no mails, because its owner unsubscribed or mails to it failed.
         * @enum {string}
         */
        EmailStatus: "unverified" | "pending" | "confirmed" | "suppressed";
        /**
         * @description A stable name of an error's cause.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "invalid_cursor" | "placeholder_id" | "profile_required" | "item_limit_reached" | "list_limit_reached" | "list_item_limit_reached" | "list_entry_limit_reached" | "share_limit_reached" | "reservation_limit_reached" | "webhook_limit_reached" | "precondition_unsupported" | "token_missing" | "token_invalid" | "token_expired" | "token_revoked" | "session_closed" | "store_deleted" | "signature_invalid" | "sign_in_required" | "admin_token_required" | "token_kind_not_allowed" | "profile_header_not_allowed" | "host_not_allowed" | "origin_not_allowed" | "own_list" | "reservations_off" | "path_not_found" | "item_not_found" | "item_not_on_list" | "list_not_found" | "share_not_found" | "shared_list_not_found" | "reservation_not_found" | "profile_not_found" | "session_not_found" | "product_not_found" | "webhook_not_found" | "delivery_not_found" | "request_not_found" | "export_not_found" | "token_not_found" | "store_not_found" | "sign_in_path_missing" | "order_not_found" | "wishes_not_published" | "store_off" | "method_not_allowed" | "request_timeout" | "item_exists" | "too_few_left" | "webhook_off" | "webhook_unsigned" | "events_off" | "sealing_keys_missing" | "own_token" | "request_not_pending" | "purchases_off" | "store_in_use" | "events_removed" | "body_too_large" | "unsupported_media_type" | "unsupported_encoding" | "rate_limited" | "rate_limited_without_token" | "headers_too_large" | "internal_error" | "unavailable" | "profile_being_erased" | "journal_unavailable" | "outcome_unknown";
        /** @description An error. */
        ErrorDetail: {
            /** @description A description of the error, for people. */
            message: string;
            /** @description The name of the status. */
            error: string;
            /**
             * Format: int32
             * @description The HTTP status code.
             */
            statusCode: number;
            requestId: components["schemas"]["RequestId"];
            code: components["schemas"]["ErrorCode"];
            /** @description All bad fields of the body, or bad parameters or headers. Only if there are any. */
            details?: components["schemas"]["BadField"][];
        };
        /** @enum {string} */
        EventInclude: "product";
        /** @enum {string} */
        EventIncludeInput: "product";
        /** @description With `product`, the item in each event has the data of its product as `product`, as it is when the event is sent. A format has them anyway. */
        EventIncludes: components["schemas"]["EventInclude"][];
        /** @description For a notice: the published data of the product. */
        EventProduct: {
            title?: components["schemas"]["Title"];
            url?: components["schemas"]["Url"];
            image?: components["schemas"]["Url"];
        };
        /** @enum {string} */
        EventType: "item.created" | "item.updated" | "item.deleted" | "list.created" | "list.updated" | "list.deleted" | "profile.linked" | "profile.erased" | "item.price_dropped" | "item.back_in_stock" | "item.purchased";
        /** @enum {string} */
        EventTypeInput: "item.created" | "item.updated" | "item.deleted" | "list.created" | "list.updated" | "list.deleted" | "profile.linked" | "profile.erased" | "item.price_dropped" | "item.back_in_stock" | "item.purchased";
        /** @description The types of events to send; all if empty. */
        EventTypes: components["schemas"]["EventType"][];
        /** @description A list with its items in the customer's order. */
        ExportedList: {
            id: components["schemas"]["Id"];
            name: components["schemas"]["ListName"];
            /**
             * Format: int64
             * @description The number of items on the list.
             */
            itemCount: number;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            itemIds: components["schemas"]["Id"][];
        };
        /** @description A reservation that the profile has made of somebody's item. */
        ExportedReservation: {
            productId: components["schemas"]["ProductId"];
            variantId?: components["schemas"]["ProductId"];
            quantity: components["schemas"]["Quantity"];
            createdAt: components["schemas"]["Timestamp"];
        };
        /** @description Events, and the position from which the feed continues. */
        Feed: {
            data: components["schemas"]["WishlistEvent"][];
            resume: components["schemas"]["Resume"];
        };
        /**
         * @description Why a field is refused.
         * @enum {string}
         */
        FieldCode: "required" | "unknown" | "not_allowed" | "repeated" | "wrong_type" | "too_long" | "too_short" | "too_large" | "too_small" | "invalid";
        /** @description The data of an event whose type is newer than this description. */
        FutureData: Record<string, never>;
        /** @description An event whose type is newer than this description. */
        FutureEvent: {
            id: components["schemas"]["Id"];
            type: string;
            timestamp: components["schemas"]["Timestamp"];
            profile?: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence?: number;
            data: components["schemas"]["FutureData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        /** @description Whether others may reserve items of the list. */
        HasReservations: boolean;
        /** @description A reservation of somebody's item by the caller. The item's owner isn't shown. */
        HeldReservation: {
            itemId: components["schemas"]["Id"];
            productId: components["schemas"]["ProductId"];
            /** @description Omitted without a variant. */
            variantId?: components["schemas"]["ProductId"];
            /** @description The quantity that the caller has reserved. */
            quantity: components["schemas"]["Quantity"];
            createdAt: components["schemas"]["Timestamp"];
            product?: components["schemas"]["ItemProduct"];
        };
        /** @description Something that happened to a profile, and where it is recorded. */
        HistoryEntry: {
            time: components["schemas"]["Timestamp"];
            /** @description Where it is recorded. */
            source: components["schemas"]["HistorySource"];
            /** @description What happened. */
            says: string;
        };
        /** @enum {string} */
        HistorySource: "profile" | "session" | "erasure" | "revocation" | "journal" | "event";
        /** @description An opaque id. */
        Id: string;
        /** @description The address to sign in with, or to send notices to (`POST /profiles/identify`). */
        Identify: {
            email: components["schemas"]["EmailAddress"];
            /** @description true sends a mail to the address, whose link turns notices on. */
            notices?: boolean;
            /** @description The language of mails, such as `de`; by default the store's. */
            language?: components["schemas"]["Language"];
        };
        IdentifyResult: {
            data: components["schemas"]["SignIn"];
        };
        /** @description A product or variant that a profile saved. */
        Item: {
            id: components["schemas"]["Id"];
            productId: components["schemas"]["ProductId"];
            /** @description Omitted without a variant. */
            variantId?: components["schemas"]["ProductId"];
            quantity: components["schemas"]["Quantity"];
            /** @description At most 20, but linking may merge the tags of two items. */
            tags: components["schemas"]["Tag"][];
            /** @description Omitted without a note. */
            note?: components["schemas"]["Note"];
            /** @description The ids of the lists that contain the item. */
            listIds: components["schemas"]["Id"][];
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            /** @description The product's price when this product or variant was saved; omitted if it was unknown. */
            savedPrice?: components["schemas"]["Price"];
            /** @description Omitted unless an order has matched the item since it was last saved. */
            purchased?: components["schemas"]["Purchased"];
            /** @description The owner; only for an admin token without `Profile`. */
            profile?: components["schemas"]["ProfileGid"];
            product?: components["schemas"]["ItemProduct"];
        };
        /** @description Data of the events `item.price_dropped` and `item.back_in_stock`. */
        ItemBackInStockData: {
            item: components["schemas"]["Item"];
            notices: components["schemas"]["MakesNotices"];
            /** @description For a notice: the variant; omitted for the product itself. */
            variantId?: components["schemas"]["ProductId"];
            product: components["schemas"]["EventProduct"];
            /** @description For a notice: the price. */
            price?: components["schemas"]["Price"];
        };
        /** @description The event `item.back_in_stock`. */
        ItemBackInStockEvent: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "item.back_in_stock";
            timestamp: components["schemas"]["Timestamp"];
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence: number;
            data: components["schemas"]["ItemBackInStockData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        /** @description The item as it was after the change, or before it for a deletion. */
        ItemCreatedData: {
            item: components["schemas"]["Item"];
            /** @description True if a link moved the item or merged it into this one; omitted otherwise. */
            linked?: boolean;
        };
        /** @description The event `item.created`. */
        ItemCreatedEvent: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "item.created";
            timestamp: components["schemas"]["Timestamp"];
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence: number;
            data: components["schemas"]["ItemCreatedData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        /** @description The item as it was after the change, or before it for a deletion. */
        ItemDeletedData: {
            item: components["schemas"]["Item"];
            /** @description True if a link moved the item or merged it into this one; omitted otherwise. */
            linked?: boolean;
        };
        /** @description The event `item.deleted`. */
        ItemDeletedEvent: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "item.deleted";
            timestamp: components["schemas"]["Timestamp"];
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence: number;
            data: components["schemas"]["ItemDeletedData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        /** @description Items to delete (`DELETE /items`). */
        ItemIds: {
            /** @description The items to delete. */
            itemIds: string[];
        };
        /** @description An item to save. */
        ItemInput: {
            productId: components["schemas"]["ProductId"];
            /** @description null means no variant. */
            variantId?: components["schemas"]["ProductId"] | null;
            /**
             * Format: int32
             * @description A new item has 1 by default.
             */
            quantity?: number | null;
            tags?: components["schemas"]["Tag"][] | null;
            note?: components["schemas"]["NoteOrNull"];
            /** @description Lists of the same profile to put the item on. */
            listIds?: string[] | null;
            /**
             * @description The name of a list to put the item on, which is created unless the profile has one with this
             *     name in upper or lower case.
             */
            listName?: string | null;
        };
        /** @description The lists of an item (`PUT /items/{itemId}/lists`). */
        ItemLists: {
            /** @description The new lists of the item, which replace its current ones. */
            listIds: components["schemas"]["ListIds"];
        };
        /** @description An order of a list's items (`PUT /lists/{listId}/items/order`). */
        ItemOrder: {
            /** @description Items of the list in the new order. Items may be omitted. */
            itemIds: string[];
        };
        ItemPage: {
            data: components["schemas"]["Item"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        /** @description Changes to an item (`PATCH /items/{itemId}`). */
        ItemPatch: {
            productId?: components["schemas"]["ProductId"];
            /** @description null removes the variant. */
            variantId?: components["schemas"]["ProductId"] | null;
            quantity?: components["schemas"]["Quantity"];
            tags?: components["schemas"]["Tag"][] | null;
            note?: components["schemas"]["NoteOrNull"];
        };
        /** @description A position on a list (`PUT /lists/{listId}/items/{itemId}`): either field. */
        ItemPlace: {
            /** @description Another item of the list, after which this one is placed; null places it first. */
            after?: string | null;
            /** @description An end of the list, in place of `after`. */
            position?: components["schemas"]["ListPlace"];
        };
        /** @description Data of the events `item.price_dropped` and `item.back_in_stock`. */
        ItemPriceDroppedData: {
            item: components["schemas"]["Item"];
            notices: components["schemas"]["MakesNotices"];
            /** @description For a notice: the variant; omitted for the product itself. */
            variantId?: components["schemas"]["ProductId"];
            product: components["schemas"]["EventProduct"];
            /**
             * @description For a price drop: the price that it is compared with. For a restock: the same, if the price
             *     dropped while the product was sold out.
             */
            previousPrice: components["schemas"]["Price"];
            /** @description For a notice: the price. */
            price: components["schemas"]["Price"];
        };
        /** @description The event `item.price_dropped`. */
        ItemPriceDroppedEvent: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "item.price_dropped";
            timestamp: components["schemas"]["Timestamp"];
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence: number;
            data: components["schemas"]["ItemPriceDroppedData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        /**
         * @description The published data of an item's product; only with `include=product`. URL, image, price and
         *     availability are the variant's if it has its own. Unknown fields are omitted.
         */
        ItemProduct: {
            title?: components["schemas"]["Title"];
            variantTitle?: components["schemas"]["Title"];
            url?: components["schemas"]["Url"];
            image?: components["schemas"]["Url"];
            price?: components["schemas"]["Price"];
            available?: boolean;
            availability?: components["schemas"]["Availability"];
            /** @description true if the store has deleted the product, at most a year ago; then nothing else is known. */
            deleted?: boolean;
        };
        /** @description A purchase of a wish. */
        ItemPurchasedData: {
            productId: components["schemas"]["ProductId"];
            /** @description For a purchase: the ordered variant. */
            variantId?: components["schemas"]["ProductId"];
            quantity: components["schemas"]["Quantity"];
            /** @description For a purchase: when the order was placed. */
            placedAt: components["schemas"]["Timestamp"];
            /** @description For a purchase: what the customer paid per unit, after discounts, including tax. */
            unitPrice?: components["schemas"]["Price"];
            /** @description For the event of a purchase: the item; omitted if it was removed before the order. */
            item?: components["schemas"]["Item"];
        };
        /** @description The event `item.purchased`. */
        ItemPurchasedEvent: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "item.purchased";
            timestamp: components["schemas"]["Timestamp"];
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence: number;
            data: components["schemas"]["ItemPurchasedData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        ItemResponse: {
            data: components["schemas"]["Item"];
        };
        /** @description The item as it was after the change. */
        ItemUpdatedData: {
            item: components["schemas"]["Item"];
            /** @description True if a link moved the item or merged it into this one; omitted otherwise. */
            linked?: boolean;
            /** @description For an update: the fields that changed, except `updatedAt`. */
            changed: string[];
        };
        /** @description The event `item.updated`. */
        ItemUpdatedEvent: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "item.updated";
            timestamp: components["schemas"]["Timestamp"];
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence: number;
            data: components["schemas"]["ItemUpdatedData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        /** @description Items to save (`PUT /items`). */
        ItemsInput: {
            /** @description Each product and variant at most once. */
            items: components["schemas"]["ItemInput"][];
        };
        ItemsResponse: {
            data: components["schemas"]["Item"][];
        };
        /** @description A language such as de or pt-BR. */
        Language: string;
        /** @description The new list. */
        ListCreatedData: {
            list: components["schemas"]["Wishlist"];
            /**
             * @description For a new list or an order set as a whole: the items with a position, in order. The others
             *     follow, most recently saved first.
             */
            itemIds?: components["schemas"]["Id"][];
        };
        /** @description The event `list.created`. */
        ListCreatedEvent: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "list.created";
            timestamp: components["schemas"]["Timestamp"];
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence: number;
            data: components["schemas"]["ListCreatedData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        /** @description The list as it was after the change, or before it for a deletion. */
        ListDeletedData: {
            list: components["schemas"]["Wishlist"];
        };
        /** @description The event `list.deleted`. */
        ListDeletedEvent: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "list.deleted";
            timestamp: components["schemas"]["Timestamp"];
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence: number;
            data: components["schemas"]["ListDeletedData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        ListIds: string[];
        /** @description A list to create (`POST /lists`). */
        ListInput: {
            name: components["schemas"]["ListNameInput"];
        };
        /** @description The items of a list (`PUT /lists/{listId}/items`). */
        ListItems: {
            /** @description Items of the list's owner, in the new order. An empty array empties the list. */
            itemIds: string[];
        };
        /** @description Items to take off a list (`DELETE /lists/{listId}/items`): either field. */
        ListItemsRemoval: {
            /** @description Items to take off the list; null counts as omitted. */
            itemIds?: string[] | null;
            /** @description true takes off all items. */
            all?: boolean;
        };
        /** @description 1 to 255 characters, without control characters, trimmed. */
        ListName: string;
        /** @description 1 to 255 characters after trimming, without control characters. White space around it is removed. */
        ListNameInput: string;
        /** @description Changes to a list (`PATCH /lists/{listId}`). */
        ListPatch: {
            name?: components["schemas"]["ListNameInput"];
        };
        /**
         * @description An end of the list.
         * @enum {string}
         */
        ListPlace: "first" | "last";
        /** @description The list as it was after the change. */
        ListUpdatedData: {
            list: components["schemas"]["Wishlist"];
            /**
             * @description For a new list or an order set as a whole: the items with a position, in order. The others
             *     follow, most recently saved first.
             */
            itemIds?: components["schemas"]["Id"][];
            /** @description For an update: the fields that changed, except `updatedAt`. */
            changed: string[];
            /** @description For a move of one item. */
            moved?: components["schemas"]["MovedItem"];
        };
        /** @description The event `list.updated`. */
        ListUpdatedEvent: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "list.updated";
            timestamp: components["schemas"]["Timestamp"];
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence: number;
            data: components["schemas"]["ListUpdatedData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        /** @description null or an empty text resets the setting. */
        LookTextOrNull: string | null;
        /** @description A mail to a shopper, without its text and address. */
        Mail: {
            id: components["schemas"]["Id"];
            profile: components["schemas"]["ProfileGid"];
            /** @description What the mail is about. */
            kind: components["schemas"]["MailKind"];
            /** @description Whether the mail was sent. */
            state: components["schemas"]["MailState"];
            createdAt: components["schemas"]["Timestamp"];
            /** @description The items that its notices are about. */
            items: components["schemas"]["Id"][];
            sentAt?: components["schemas"]["Timestamp"];
            /** @description Why it failed. */
            problem?: string;
        };
        /** @description The mails that were created on a day, by what has become of them. */
        MailDay: {
            day: components["schemas"]["Day"];
            /** Format: int64 */
            sent?: number;
            /**
             * Format: int64
             * @description Waiting, or being sent.
             */
            waiting?: number;
            /** Format: int64 */
            failed?: number;
            /** Format: int64 */
            cancelled?: number;
            /**
             * Format: int64
             * @description The number of addresses that were unsubscribed on this day, and still are.
             */
            unsubscribed?: number;
        };
        MailDaysResponse: {
            data: components["schemas"]["MailDay"][];
        };
        /** @enum {string} */
        MailKind: "confirmation" | "notices";
        MailPage: {
            data: components["schemas"]["Mail"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        /** @description A mail with sample products. */
        MailPreview: {
            subject: string;
            text: string;
            html: string;
        };
        MailPreviewResponse: {
            data: components["schemas"]["MailPreview"];
        };
        /** @enum {string} */
        MailState: "waiting" | "sending" | "sent" | "failed" | "cancelled";
        /** @description Whether notices of price drops and of products back in stock are recorded for its items. null means that nobody has chosen: then the store's setting `notices` decides. */
        MakesNotices: boolean | null;
        /** @description A move of one item. Items up to and including `after` have a position now. */
        MovedItem: {
            itemId: components["schemas"]["Id"];
            /** @description The item after which it is now; null means that it is first. */
            after: string | null;
        };
        /** @description All data of a product. Fields that are omitted are unknown. */
        NamedProduct: {
            title?: components["schemas"]["TitleOrNull"];
            url?: components["schemas"]["UrlOrNull"];
            image?: components["schemas"]["UrlOrNull"];
            price?: components["schemas"]["PriceOrNull"];
            /** @description Whether it can be ordered: false for `out_of_stock` only. */
            available?: components["schemas"]["AvailableOrNull"];
            /** @description Decides, if `available` differs. */
            availability?: components["schemas"]["AvailabilityOrNull"];
            variants?: components["schemas"]["VariantInput"][] | null;
            productId: components["schemas"]["ProductId"];
        };
        /** @description A text by the profile's owner. Newlines are allowed, other control characters aren't. */
        Note: string;
        /** @description null or an empty text removes the note. */
        NoteOrNull: string | null;
        /**
         * @description Whether those who never chose get notices (opt-out) or not.
         * @enum {string}
         */
        NoticeConsent: "opt-in" | "opt-out";
        /**
         * @description Whether those who never chose get notices (opt-out) or not.
         * @enum {string}
         */
        NoticeConsentInput: "opt-in" | "opt-out";
        /**
         * @description How notices reach the shopper: by a mail to a confirmed address, or by the shop's marketing tool (`webhook`). Otherwise an address or a sign-in is needed first, or the shop sends none.
         * @enum {string}
         */
        NoticesBy: "mail" | "webhook" | "address_needed" | "sign_in_needed" | "none";
        /** @description An OpenAPI document. */
        OpenapiDocument: {
            openapi: string;
            info: Record<string, never>;
            servers: Record<string, never>[];
            paths: Record<string, never>;
            components: Record<string, never>;
        };
        /** @description The shop's id of an order: 1 to 255 printable ASCII characters without space and `/`. Of a GID, send the last part. */
        OrderId: string;
        /** @description A version of an order. */
        OrderInput: {
            orderId: components["schemas"]["OrderId"];
            /** @description The customer who placed the order, or the visitor's session. */
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: date-time
             * @description When the customer placed it: an RFC 3339 time with an offset.
             */
            placedAt: string;
            /**
             * Format: date-time
             * @description When the shop last changed it. A later time replaces the order.
             */
            updatedAt: string;
            status: components["schemas"]["OrderStatus"];
            /** @description What the customer keeps: after a partial refund, fewer units or lines. */
            lines: components["schemas"]["OrderLine"][];
        };
        /** @description A line of an order. */
        OrderLine: {
            productId: components["schemas"]["ProductId"];
            quantity: components["schemas"]["Quantity"];
            /** @description null means no variant. */
            variantId?: components["schemas"]["ProductId"] | null;
            /** @description What the customer paid per unit, after discounts, including tax. */
            unitPrice?: components["schemas"]["PriceOrNull"];
        };
        /** @description What happened to an order. */
        OrderOutcome: {
            /** @description Omitted if the order was refused without a readable id. */
            orderId?: string;
            /**
             * @description `unchanged`: a version with the same or a later `updatedAt` is known. `refused`: the order
             *     breaks a rule, and nothing was done; see `code` and `details`.
             */
            result: components["schemas"]["OrderResult"];
            /**
             * Format: int64
             * @description The number of its lines that match a wish.
             */
            matched: number;
            /** @description Why the order was refused; otherwise omitted. */
            code?: components["schemas"]["OrderRefusalCode"];
            /** @description All bad fields of a refused order, with their path in the body; otherwise omitted. */
            details?: components["schemas"]["BadField"][];
        };
        /** @enum {string} */
        OrderRefusalCode: "invalid_request" | "placeholder_id";
        /** @enum {string} */
        OrderResult: "applied" | "unchanged" | "refused";
        /** @enum {string} */
        OrderStatus: "paid" | "cancelled";
        /** @description Orders to match with wishes (`PUT /orders`). */
        Orders: {
            orders: components["schemas"]["OrderInput"][];
        };
        OrdersResponse: {
            data: components["schemas"]["OrderOutcome"][];
        };
        /** @description Cursors of the adjacent pages. */
        PageInfo: {
            /** @description The cursor of the next page; omitted on the last page. */
            next?: components["schemas"]["Cursor"];
            /** @description The cursor of the previous page; omitted on the first page. */
            previous?: components["schemas"]["Cursor"];
        };
        /** @description A privacy request of the platform, and its outcome. */
        PlatformRequest: {
            id: components["schemas"]["Id"];
            topic: components["schemas"]["PlatformTopic"];
            /**
             * @description `waiting`, or the outcome: `exported`, `erased`, `called_off`, or `nothing` if the body has
             *     no customer id. `deleting` is shown during the last seconds of a store.
             */
            state: components["schemas"]["PlatformRequestState"];
            receivedAt: components["schemas"]["Timestamp"];
            /** @description The SHA-256 of the body, in hex. */
            bodyHash: string;
            /** @description The `X-Shopify-Webhook-Id` of the delivery. */
            deliveryId: string;
            /** @description The earliest time at which it is processed; only while it is waiting. */
            dueAt?: components["schemas"]["Timestamp"];
            /** @description When it was completed or cancelled. */
            doneAt?: components["schemas"]["Timestamp"];
            /** @description The customer; only while it is waiting. */
            profile?: components["schemas"]["ProfileGid"];
            /** @description When the export is deleted; only as long as it is stored. */
            expiresAt?: components["schemas"]["Timestamp"];
        };
        PlatformRequestPage: {
            data: components["schemas"]["PlatformRequest"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        /** @enum {string} */
        PlatformRequestState: "waiting" | "exported" | "erased" | "nothing" | "called_off" | "deleting";
        /**
         * @description Of a product or order. `unchanged`: a later version is known, or the delivery was repeated.
         *     `ignored`: purchases are turned off, or no item can have the id.
         * @enum {string}
         */
        PlatformResult: "applied" | "unchanged" | "ignored";
        /** @enum {string} */
        PlatformTopic: "customers/data_request" | "customers/redact" | "shop/redact";
        /**
         * @description The body that the platform sends: a privacy request as below, or a product or order in the
         *     platform's own format. Other fields are ignored.
         */
        PlatformWebhook: {
            /** @description The store's `--platform-shop`. Only in privacy requests. */
            shop_domain?: string;
            /** @description Not in `shop/redact`. A customer without an `id` is ignored. */
            customer?: {
                id?: number | string | null;
            };
            /** @description Only in `customers/redact`. */
            orders_to_redact?: unknown[];
            /** @description Only in `customers/data_request`. */
            data_request?: Record<string, never>;
        };
        /** @description The stored privacy request, or what happened to the product or order. */
        PlatformWebhookReceipt: {
            /** @description Of a privacy request. */
            id?: components["schemas"]["Id"];
            result?: components["schemas"]["PlatformResult"];
        };
        PlatformWebhookResponse: {
            data: components["schemas"]["PlatformWebhookReceipt"];
        };
        /** @description A price. */
        Price: {
            /** @description Decimal text, with up to 4 digits after the point. */
            amount: string;
            /** @description The three-letter code of the currency. */
            currency: string;
        };
        /** @description A price. */
        PriceInput: {
            /** @description Decimal text, with up to 4 digits after the point. */
            amount: string;
            /** @description The three-letter code of the currency. */
            currency: string;
        };
        /** @description null has the same effect as omitting the field. */
        PriceOrNull: components["schemas"]["PriceInput"] | null;
        /** @description The published data of a product. Unknown fields are omitted. */
        Product: {
            title?: components["schemas"]["Title"];
            url?: components["schemas"]["Url"];
            image?: components["schemas"]["Url"];
            price?: components["schemas"]["Price"];
            /** @description Whether it can be ordered: false for `out_of_stock` only. */
            available?: boolean;
            /** @description Decides, if `available` differs. */
            availability?: components["schemas"]["Availability"];
            productId: components["schemas"]["ProductId"];
            /** @description The variants as they were set; only for a single product. */
            variants?: components["schemas"]["Variant"][];
            /** @description When it was first set. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When it was last set. */
            updatedAt: components["schemas"]["Timestamp"];
        };
        /**
         * @description The store's id of a product or variant: an integer, or in a store with text ids a string of 1 to 100 characters `A-Z a-z 0-9 . _ : ~ = -` that begins with a letter or digit.
         * @example 632910392
         * @example prod_01
         */
        ProductId: number | string;
        /** @description A `productId` or `variantId` as text, because a URL contains nothing else. */
        ProductIdText: string;
        /** @enum {string} */
        ProductIdType: "integer" | "text";
        /** @description All data of a product (`PUT /products/{productId}`). */
        ProductInput: {
            title?: components["schemas"]["TitleOrNull"];
            url?: components["schemas"]["UrlOrNull"];
            image?: components["schemas"]["UrlOrNull"];
            price?: components["schemas"]["PriceOrNull"];
            /** @description Whether it can be ordered: false for `out_of_stock` only. */
            available?: components["schemas"]["AvailableOrNull"];
            /** @description Decides, if `available` differs. */
            availability?: components["schemas"]["AvailabilityOrNull"];
            variants?: components["schemas"]["VariantInput"][] | null;
        };
        ProductPage: {
            data: components["schemas"]["Product"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        ProductReport: {
            data: components["schemas"]["ProductWishes"][];
            pageInfo?: components["schemas"]["PageInfo"];
            asOf: components["schemas"]["AsOf"];
            since: components["schemas"]["Since"];
        };
        ProductResponse: {
            data: components["schemas"]["Product"];
        };
        /** @description A product, or one of its variants, with the number of wishes for it. */
        ProductWishes: {
            productId: components["schemas"]["ProductId"];
            /** Format: int64 */
            wishes: number;
            /** Format: int64 */
            customers: number;
            /** Format: int64 */
            visitors: number;
            /** Format: int64 */
            added: number;
            /** Format: int64 */
            removed: number;
            variantId?: components["schemas"]["ProductId"];
            title?: components["schemas"]["Title"];
            variantTitle?: components["schemas"]["Title"];
            image?: components["schemas"]["Url"];
            /**
             * Format: int64
             * @description The wishes added in the period, minus those added in the period of the same length before;
             *     only with `sort=rising`.
             */
            rise?: number;
            price?: components["schemas"]["Price"];
            availability?: components["schemas"]["Availability"];
        };
        /** @description Products to put (`PUT /products`). */
        Products: {
            /** @description Each product at most once. */
            products: components["schemas"]["NamedProduct"][];
        };
        /** @description A customer or a visitor's session, with the number of its items and lists. */
        Profile: {
            profile: components["schemas"]["ProfileGid"];
            kind: components["schemas"]["ProfileKind"];
            /**
             * Format: int64
             * @description The number of items.
             */
            items: number;
            /**
             * Format: int64
             * @description The number of lists.
             */
            lists: number;
            notices: components["schemas"]["MakesNotices"];
            /** @description Omitted for a customer of whom nothing is stored. */
            createdAt?: components["schemas"]["Timestamp"];
            /** @description The e-mail address; masked except for an admin token. */
            email?: components["schemas"]["EmailAddress"];
            /** @description Omitted without an address, and for pages of profiles. */
            emailStatus?: components["schemas"]["EmailStatus"];
            /** @description Omitted for pages of profiles. */
            noticesBy?: components["schemas"]["NoticesBy"];
            /** @description Whether notices reach the profile now; omitted for pages of profiles. */
            notified?: boolean;
            /** @description The language of mails; only for an admin token. */
            language?: string;
            /** @description When the profile chose about notices; only for an admin token. */
            noticesChosenAt?: components["schemas"]["Timestamp"];
            /** @description Where: on the `page`, by the `api`, or by the `link` in a mail; only for an admin token. */
            noticesSource?: string;
            /**
             * @description When the address was confirmed; only for an admin token, and for a pending address that its
             *     owner had confirmed as a visitor.
             */
            emailConfirmedAt?: components["schemas"]["Timestamp"];
            /**
             * @description Who confirmed it: its owner by the `link` in a mail or on the `page`, or the `shop`; only for
             *     an admin token.
             */
            emailSource?: string;
            /**
             * Format: int64
             * @description The number of items that were bought since they were last saved; omitted in a store with
             *     purchases off, and for pages of profiles.
             */
            purchased?: number;
            /**
             * @description Whether the store's pages strike earlier prices through, with a percentage; omitted
             *     otherwise, and for pages of profiles.
             */
            showReductions?: boolean;
        };
        /** @description A customer's address, which the shop has confirmed. */
        ProfileEmail: {
            profile: components["schemas"]["ProfileGid"];
            email: components["schemas"]["EmailAddress"];
            /** @description The language of mails; by default the last one stays. */
            language?: components["schemas"]["Language"];
        };
        /** @description Addresses that the shop has confirmed (`PUT /profiles/email`). */
        ProfileEmails: {
            profiles: components["schemas"]["ProfileEmail"][];
        };
        /** @description Empty. */
        ProfileErasedData: Record<string, never>;
        /** @description The event `profile.erased`. */
        ProfileErasedEvent: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "profile.erased";
            timestamp: components["schemas"]["Timestamp"];
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence: number;
            data: components["schemas"]["ProfileErasedData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        /** @description All data stored about a profile. */
        ProfileExport: {
            profile: components["schemas"]["Profile"];
            lists: components["schemas"]["ExportedList"][];
            items: components["schemas"]["Item"][];
            shares: components["schemas"]["Share"][];
            reservations: components["schemas"]["ExportedReservation"][];
            purchases: components["schemas"]["ItemPurchasedData"][];
            mails: components["schemas"]["Mail"][];
            events: components["schemas"]["WishlistEvent"][];
        };
        ProfileExportResponse: {
            data: components["schemas"]["ProfileExport"];
        };
        /** @description The GID of a customer or session. */
        ProfileGid: string;
        /** @description What is recorded about a profile, and what isn't. */
        ProfileHistory: {
            profile: components["schemas"]["ProfileGid"];
            /** @description The profile's key in the journal. */
            key: components["schemas"]["Id"];
            /** @description Whether it is stored, and which data it has. */
            state: string;
            /** @description What is recorded, the oldest first. */
            entries: components["schemas"]["HistoryEntry"][];
            /** @description What isn't recorded, and why. */
            unrecorded: string[];
            /** @description What to ask the shopper. */
            questions: string[];
        };
        ProfileHistoryResponse: {
            data: components["schemas"]["ProfileHistory"];
        };
        /** @enum {string} */
        ProfileKind: "customer" | "session";
        /** @description Data of the event `profile.linked`: both GIDs, and how much the session had. */
        ProfileLinkedData: {
            /** @description For a link: the session, which is now closed. */
            session: components["schemas"]["ProfileGid"];
            /** @description For a link: the customer who has signed in. */
            customer: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description For a link: the number of items of the session.
             */
            items: number;
            /**
             * Format: int64
             * @description For a link: the number of lists of the session.
             */
            lists: number;
            /**
             * Format: int64
             * @description For a link: the number of items that were not moved.
             */
            left: number;
        };
        /** @description The event `profile.linked`. */
        ProfileLinkedEvent: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "profile.linked";
            timestamp: components["schemas"]["Timestamp"];
            profile: components["schemas"]["ProfileGid"];
            /**
             * Format: int64
             * @description The number of the event within its profile, in the order they happened and without gaps.
             */
            sequence: number;
            data: components["schemas"]["ProfileLinkedData"];
            traceparent?: components["schemas"]["Traceparent"];
        };
        ProfilePage: {
            data: components["schemas"]["Profile"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        /** @description Changes to a profile (`PATCH /profile`). */
        ProfilePatch: {
            /** @description null changes nothing, because a choice can't be taken back. */
            notices?: components["schemas"]["MakesNotices"];
        };
        ProfileResponse: {
            data: components["schemas"]["Profile"];
        };
        /** @description A token, valid for a day, and its profile. */
        ProfileToken: {
            /** @description The access token, a JWT. It expires a day after its creation. */
            token: string;
            /** @description The customer or session that the token is for. */
            profile: components["schemas"]["ProfileGid"];
        };
        /** @description The purchases of an item since it was last saved. */
        Purchased: {
            /**
             * Format: int64
             * @description The number of units in all these orders.
             */
            quantity: number;
            /** @description When the last of these orders was placed. */
            at: components["schemas"]["Timestamp"];
        };
        /** @enum {string} */
        PurchasedChoice: "mark" | "remove";
        /** @description The body of a response with what wishes earn; by product it has pages. */
        PurchasesReport: {
            data: components["schemas"]["EarnedRow"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        /** Format: int32 */
        Quantity: number;
        /** @description The first events to send again (`POST /webhooks/{webhookId}/replays`). */
        Replay: {
            /**
             * Format: date-time
             * @description An RFC 3339 time with an offset.
             */
            since: string;
        };
        /** @description The id of the request, the same as `X-Request-Id`. */
        RequestId: string;
        /** @description A reservation (`PUT /shared/{token}/items/{itemId}/reservation`). */
        Reservation: {
            quantity: components["schemas"]["Quantity"];
        };
        ReservationsResponse: {
            data: components["schemas"]["HeldReservation"][];
        };
        /** @description A position in the feed, from which it continues. */
        Resume: string;
        /** @description What was paid in one currency. */
        Revenue: {
            /** @description Decimal text; exact. */
            amount: string;
            currency: string;
        };
        /** @description Purchases of wishes. */
        Sales: {
            /**
             * Format: int64
             * @description The number of orders with a wish.
             */
            orders: number;
            /**
             * Format: int64
             * @description The number of units of these wishes.
             */
            units: number;
            /** @description What was paid for them, by currency; units without a price add nothing. */
            revenue: components["schemas"]["Revenue"][];
        };
        /** @description A link that shows a list, or a whole wishlist, to anyone who has it. */
        Share: {
            id: components["schemas"]["Id"];
            /** @description The token in the path of the list, `/shared/{token}`. */
            token: string;
            /** @description Omitted for the whole wishlist. */
            listId?: components["schemas"]["Id"];
            reservations: components["schemas"]["HasReservations"];
            notes: components["schemas"]["ShowsNotes"];
            displayName?: components["schemas"]["DisplayName"];
            createdAt: components["schemas"]["Timestamp"];
            /** @description When the share expires; omitted if it never does. */
            expiresAt?: components["schemas"]["Timestamp"];
            /** @description The owner; only for an admin token without `Profile`. */
            profile?: components["schemas"]["ProfileGid"];
            /** @description The page that shows the list; omitted if the store has no page that does. */
            url?: string;
        };
        /**
         * @description Settings of a share (`POST /shares`, `POST /lists/{listId}/shares`). null is the
         *     default.
         */
        ShareInput: {
            /**
             * Format: date-time
             * @description When the share expires: an RFC 3339 time with an offset, in the future. null means never.
             */
            expiresAt?: string | null;
            reservations?: boolean | null;
            notes?: boolean | null;
            /** @description The owner's name as people with the link see it; null or an empty text for none. */
            displayName?: string | null;
        };
        SharePage: {
            data: components["schemas"]["Share"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        ShareResponse: {
            data: components["schemas"]["Share"];
        };
        /**
         * @description Changes to a share (`PATCH /shares/{shareId}`, `PATCH
         *     /lists/{listId}/shares/{shareId}`).
         */
        ShareTerms: {
            /**
             * Format: date-time
             * @description When the share expires: an RFC 3339 time with an offset, in the future. null means never.
             */
            expiresAt?: string | null;
            reservations?: components["schemas"]["HasReservations"];
            notes?: components["schemas"]["ShowsNotes"];
            /** @description The owner's name as people with the link see it; null or an empty text for none. */
            displayName?: string | null;
        };
        /** @description An item of a shared list. */
        SharedItem: {
            id: components["schemas"]["Id"];
            productId: components["schemas"]["ProductId"];
            /** @description Omitted without a variant. */
            variantId?: components["schemas"]["ProductId"];
            quantity: components["schemas"]["Quantity"];
            /** @description Omitted if there is no note or the share doesn't show notes. */
            note?: components["schemas"]["Note"];
            /**
             * Format: int64
             * @description The quantity reserved by all profiles, which may exceed `quantity` after that was lowered.
             *     Only if the share has reservations, and never for the owner.
             */
            reserved?: number;
            /**
             * Format: int64
             * @description The quantity that the caller has reserved. Only with a profile token.
             */
            yours?: number;
            product?: components["schemas"]["ItemProduct"];
        };
        SharedItemResponse: {
            data: components["schemas"]["SharedItem"];
        };
        /**
         * @description A list or whole wishlist, as anyone with its link sees it. Nothing else of its owner is
         *     shown.
         */
        SharedList: {
            /** @description Omitted for a whole wishlist. */
            name?: components["schemas"]["ListName"];
            /** @description All items of the list, in the owner's order, or the newest 1,000 of the wishlist. */
            items: components["schemas"]["SharedItem"][];
            updatedAt: components["schemas"]["Timestamp"];
            reservations: components["schemas"]["HasReservations"];
            displayName?: components["schemas"]["DisplayName"];
        };
        SharedListResponse: {
            data: components["schemas"]["SharedList"];
        };
        /** @description A shopper with wishes. */
        Shopper: {
            profile: components["schemas"]["ProfileGid"];
            kind: components["schemas"]["ProfileKind"];
            /**
             * Format: int64
             * @description The number of wishes now.
             */
            items: number;
            /** @description When the shopper saved for the first time. */
            createdAt: components["schemas"]["Timestamp"];
            /** @description When the shopper's newest wish was saved; only with `sort=recent`. */
            savedAt?: components["schemas"]["Timestamp"];
        };
        ShoppersResponse: {
            data: components["schemas"]["Shopper"][];
        };
        /** @description The approximate number of wishes for a product. */
        ShownCount: {
            productId: components["schemas"]["ProductId"];
            /** Format: int64 */
            wishes: number;
        };
        ShownWishes: {
            data: components["schemas"]["ShownCount"][];
        };
        /** @description Whether the notes of the items are shown. */
        ShowsNotes: boolean;
        /** @description Where to sign in with an e-mail address. */
        SignIn: {
            /**
             * @description A path of the store's sign-in flow for this address; omitted if the store has none and the
             *     request was about notices.
             */
            authFlow?: string;
        };
        /** @description The first day that was counted; null before the first count. */
        Since: string | null;
        /**
         * @description The limits in force: requests per minute by kind of token and operation, and the maximum size
         *     of a profile.
         */
        StoreLimits: {
            /** Format: int64 */
            profile_read: number;
            /** Format: int64 */
            profile_write: number;
            /** Format: int64 */
            profile_token: number;
            /** Format: int64 */
            admin_read: number;
            /** Format: int64 */
            admin_write: number;
            /** Format: int64 */
            admin_token: number;
            /** Format: int64 */
            items: number;
            /** Format: int64 */
            lists: number;
            /** Format: int64 */
            entries: number;
            /** Format: int64 */
            list_items: number;
        };
        /** @description The look of the hosted pages. Settings that are not set are omitted. */
        StoreLook: {
            shopName?: string;
            logoUrl?: string;
            /** @description The colour of buttons, such as `#0a7d5a`. */
            accent?: string;
            /** @description Where the header leads. */
            shopUrl?: string;
            /** @description Adds a product to the cart; has `{variantId}` or `{productId}`, and possibly `{quantity}`. */
            cartUrl?: string;
            /** @description The pages' language; by default the browser decides. */
            language?: string;
            texts?: components["schemas"]["StoreTexts"];
        };
        /** @description Changes to the look of the hosted pages. Fields that are left out stay. */
        StoreLookPatch: {
            shopName?: components["schemas"]["LookTextOrNull"];
            logoUrl?: components["schemas"]["LookTextOrNull"];
            accent?: components["schemas"]["LookTextOrNull"];
            shopUrl?: components["schemas"]["LookTextOrNull"];
            cartUrl?: components["schemas"]["LookTextOrNull"];
            language?: components["schemas"]["LookTextOrNull"];
            /** @description All texts, which replace the current ones. */
            texts?: components["schemas"]["StoreTextsInput"];
        };
        /**
         * @description Settings of the store's mails to shoppers, and why none are sent. Settings that are not set
         *     are omitted.
         */
        StoreMail: {
            /** @description Whether mails are sent. */
            on?: boolean;
            /** @description The sender's address. */
            sender?: string;
            /** @description The address for answers (default: the sender's). */
            replyTo?: string;
            /**
             * Format: int32
             * @description Minutes during which notices of a shopper are collected for one mail.
             */
            delay?: number;
            /**
             * Format: int32
             * @description The most mails with notices to an address in 24 hours.
             */
            perDay?: number;
            /**
             * Format: int32
             * @description The most mails of the store in 24 hours.
             */
            limit?: number;
            /** @description A host besides the store's own from which mails load pictures. */
            pictureHost?: string;
            /** @description Whether pages and mails strike earlier prices through and show reductions in percent. */
            showReductions?: boolean;
            /** @description Since when mails are paused. */
            pausedAt?: components["schemas"]["Timestamp"];
            /**
             * @description Why mails wait, in English. Omitted if there is no reason, or if a command has paused
             *     them.
             */
            problem?: string;
        };
        /** @description How the shop identifies its signed-in customers. Settings that are not set are omitted. */
        StoreNaming: {
            jwtCookie?: string;
            jwtHeader?: string;
            jwtIssuer?: string;
            jwtAudience?: string;
            jwtClaim?: string;
            jwtEmailClaim?: string;
            jwtVerifiedClaim?: string;
            jwtLocaleClaim?: string;
            /** @description A URL, or the public keys. */
            jwtKeySet?: string;
            platformShop?: string;
            /**
             * @description The origin at which browsers reach this service, for visitors of a platform that removes
             *     cookies.
             */
            serviceUrl?: string;
        };
        /**
         * @description URLs of product pages, and of pages that replace the storefront's. Settings that are not set
         *     are omitted.
         */
        StorePages: {
            productUrl?: string;
            wishlistPage?: string;
            sharedPage?: string;
        };
        /** @description Changes to the store (`PATCH /store`). Fields that are left out stay. */
        StorePatch: {
            look?: components["schemas"]["StoreLookPatch"];
            notices?: components["schemas"]["NoticeConsentInput"];
            reporting?: components["schemas"]["StoreReportingPatch"];
            /** @description false turns the storefront and the store's mails off. */
            active?: boolean;
        };
        /** @description Settings of the store's reports. Settings that are not set are omitted. */
        StoreReporting: {
            /** @description The time zone of its days (default: UTC). */
            timeZone?: string;
            /** @description Whether anyone may request the approximate number of wishes for a product. */
            showWishes?: boolean;
            /** @description Whether the shop's orders are matched with wishes. */
            purchases?: boolean;
            /** @description What an order does with the items that it matches. */
            purchased?: components["schemas"]["PurchasedChoice"];
            /**
             * Format: int32
             * @description The number of days after a save during which an order matches the item.
             */
            attributionDays?: number;
            /** @description The currency of the shop's prices where they have none, as in the platform's webhooks. */
            currency?: string;
        };
        /** @description Changes to a store's reports. */
        StoreReportingPatch: {
            showWishes?: boolean;
            /** @description May only be repeated; `wishwell store update` changes it. */
            timeZone?: string;
            /** @description May only be repeated. */
            purchases?: boolean;
            /** @description May only be repeated. */
            purchased?: string;
            /**
             * Format: int32
             * @description May only be repeated.
             */
            attributionDays?: number;
            /** @description May only be repeated. */
            currency?: string;
        };
        /** @description A store and its settings, which `wishwell store` changes. */
        StoreSettings: {
            id: components["schemas"]["Id"];
            handle: string;
            /** @description The platform in the GIDs of its customers. */
            platform: string;
            productIds: components["schemas"]["ProductIdType"];
            /** @description The path of its sign-in page. */
            authFlow: string;
            /** @description The origins of the shop. */
            hosts: string[];
            naming: components["schemas"]["StoreNaming"];
            /** @description The browser origins that may call the API. */
            origins: string[];
            limits: components["schemas"]["StoreLimits"];
            /** Format: int32 */
            priceDropPercent: number;
            /**
             * Format: date-time
             * @description Time from which its events are complete; null while events are turned off.
             */
            eventsSince: string | null;
            createdAt: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Months without a request after which a customer is erased; null means never.
             */
            forgetCustomersAfter?: number | null;
            /**
             * Format: date-time
             * @description When this setting was turned on.
             */
            forgetSince?: string | null;
            pages?: components["schemas"]["StorePages"];
            reporting?: components["schemas"]["StoreReporting"];
            notices?: components["schemas"]["NoticeConsent"];
            look?: components["schemas"]["StoreLook"];
            mail?: components["schemas"]["StoreMail"];
            /** @description Whether the storefront is served and mails are sent. */
            active?: boolean;
        };
        StoreSettingsResponse: {
            data: components["schemas"]["StoreSettings"];
        };
        /** @description The running program, and what needs attention in the store. */
        StoreStatus: {
            /** @description The version of the program that answered. */
            version: string;
            /** @description The commit that it was built from, or `unknown`. */
            commit: string;
            /** @description In English, a sentence or two each. The first are about the whole service. */
            warnings: string[];
        };
        StoreStatusResponse: {
            data: components["schemas"]["StoreStatus"];
        };
        /** @description Texts that replace those of the pages, by language and name. */
        StoreTexts: {
            [key: string]: {
                [key: string]: string;
            };
        };
        /** @description Texts that replace those of the pages, by language and name. */
        StoreTextsInput: {
            [key: string]: {
                [key: string]: string;
            };
        };
        /** @description How many addresses were stored, and how many profiles don't exist. */
        StoredEmails: {
            /** Format: int64 */
            stored: number;
            /**
             * Format: int64
             * @description The number of profiles that don't exist; nothing is stored for them.
             */
            unknown: number;
        };
        StoredEmailsResponse: {
            data: components["schemas"]["StoredEmails"];
        };
        /** @description How many addresses were stored. */
        StoredSuppressions: {
            /** Format: int64 */
            stored: number;
        };
        StoredSuppressionsResponse: {
            data: components["schemas"]["StoredSuppressions"];
        };
        SummaryReport: {
            data: components["schemas"]["WishSummary"];
            asOf: components["schemas"]["AsOf"];
            since: components["schemas"]["Since"];
        };
        /** @description An address that gets no mails any more. */
        Suppression: {
            email: components["schemas"]["EmailAddress"];
            reason: components["schemas"]["SuppressionReason"];
        };
        /**
         * @description What the mail relay has reported: a bounce, or a complaint as spam.
         * @enum {string}
         */
        SuppressionReason: "bounced" | "complained";
        /** @description Addresses that get no mails any more (`PUT /mails/suppressions`). */
        Suppressions: {
            suppressions: components["schemas"]["Suppression"][];
        };
        Tag: string;
        /**
         * Format: date-time
         * @description RFC 3339, in UTC, with milliseconds.
         */
        Timestamp: string;
        /** @description 1 to 255 characters, without control characters. */
        Title: string;
        /** @description null has the same effect as omitting the field. */
        TitleOrNull: string | null;
        /** @description The profile to make a token for (`POST /profiles/token`). */
        TokenRequest: {
            /**
             * @description The GID of the customer that the token is for, on the platform of the store; for another
             *     platform the response is 400.
             */
            customer?: string | null;
            /**
             * @description The GID of a session: alone, the session that the token is for; with `customer`, the session
             *     to link to the customer. For an unknown session, the response is 404.
             */
            session?: string | null;
        };
        TokenResult: {
            data: components["schemas"]["ProfileToken"];
        };
        /** @description The `traceparent` of the request that caused the event (W3C Trace Context); omitted if it had none, and for events that the service records by itself, such as notices. */
        Traceparent: string;
        /** @description An http or https URL in printable ASCII characters. */
        Url: string;
        /** @description null has the same effect as omitting the field. */
        UrlOrNull: string | null;
        /** @description The data of a single variant. For omitted fields, those of the product apply. */
        Variant: {
            variantId: components["schemas"]["ProductId"];
            title?: components["schemas"]["Title"];
            image?: components["schemas"]["Url"];
            price?: components["schemas"]["Price"];
            /** @description Whether it can be ordered: false for `out_of_stock` only. */
            available?: boolean;
            url?: components["schemas"]["Url"];
            /** @description Decides, if `available` differs. */
            availability?: components["schemas"]["Availability"];
        };
        /** @description A variant of the product. Each must occur at most once. */
        VariantInput: {
            variantId: components["schemas"]["ProductId"];
            title?: components["schemas"]["TitleOrNull"];
            image?: components["schemas"]["UrlOrNull"];
            price?: components["schemas"]["PriceOrNull"];
            /** @description Whether it can be ordered: false for `out_of_stock` only. */
            available?: components["schemas"]["AvailableOrNull"];
            url?: components["schemas"]["UrlOrNull"];
            /** @description Decides, if `available` differs. */
            availability?: components["schemas"]["AvailabilityOrNull"];
        };
        /** @description A URL that events are sent to. */
        Webhook: {
            id: components["schemas"]["Id"];
            url: components["schemas"]["WebhookUrl"];
            types: components["schemas"]["EventTypes"];
            /** @description Whether events are sent. */
            enabled: boolean;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            /** @description Time since which no attempt has succeeded; omitted if the last one has. */
            failingSince?: components["schemas"]["Timestamp"];
            format?: components["schemas"]["WebhookFormat"];
            include?: components["schemas"]["EventIncludes"];
            /**
             * Format: int64
             * @description The number of events for which the format has no request, since the creation of the webhook;
             *     omitted if there are none.
             */
            skipped?: number;
            /** @description Why the service turned the webhook off; omitted otherwise. */
            problem?: string;
            /**
             * @description The secret that deliveries are signed with; returned only on creation and renewal, and not
             *     for a webhook with a format.
             */
            secret?: string;
        };
        /**
         * @description The API that events are sent to: `segment` (RudderStack and Customer.io have the same), `klaviyo`, `brevo`, or `listmonk`, for which use `wishwell webhook create`. Without a format, events are sent in the form of Standard Webhooks.
         * @enum {string}
         */
        WebhookFormat: "segment" | "klaviyo" | "brevo" | "listmonk";
        /**
         * @description The API that events are sent to: `segment` (RudderStack and Customer.io have the same), `klaviyo`, `brevo`, or `listmonk`, for which use `wishwell webhook create`. Without a format, events are sent in the form of Standard Webhooks.
         * @enum {string}
         */
        WebhookFormatInput: "segment" | "klaviyo" | "brevo" | "listmonk";
        /** @description A webhook to create (`POST /webhooks`). */
        WebhookInput: {
            url: components["schemas"]["WebhookUrlInput"];
            /** @description The types of events to send; all if empty. */
            types?: components["schemas"]["EventTypeInput"][] | null;
            format?: components["schemas"]["WebhookFormatInput"] | null;
            key?: string | null;
            /** @description With `product`, the item in each event has the data of its product as `product`, as it is when the event is sent. A format has them anyway. */
            include?: components["schemas"]["EventIncludeInput"][] | null;
        };
        /** @description The key of the format's API, which no response shows. Required with a format, and again with a new `url`. */
        WebhookKey: string;
        WebhookPage: {
            data: components["schemas"]["Webhook"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        /** @description Changes to a webhook (`PATCH /webhooks/{webhookId}`). */
        WebhookPatch: {
            url?: components["schemas"]["WebhookUrlInput"];
            /** @description The types of events to send; all if empty. */
            types?: components["schemas"]["EventTypeInput"][] | null;
            /** @description Whether events are sent. */
            enabled?: boolean;
            key?: components["schemas"]["WebhookKey"];
            /** @description With `product`, the item in each event has the data of its product as `product`, as it is when the event is sent. A format has them anyway. */
            include?: components["schemas"]["EventIncludeInput"][] | null;
        };
        WebhookResponse: {
            data: components["schemas"]["Webhook"];
        };
        /** @description Empty. */
        WebhookTestData: Record<string, never>;
        /** @description A test of the webhook. No event is behind it. */
        WebhookTestMessage: {
            id: components["schemas"]["Id"];
            /** @constant */
            type: "webhook.test";
            timestamp: components["schemas"]["Timestamp"];
            data: components["schemas"]["WebhookTestData"];
        };
        /** @description The URL that events are sent to. */
        WebhookUrl: string;
        /** @description The URL that events are sent to: `https`, port 443 or 8443, a public address, and without a user name, a password or a `#`. For development, a service can be configured to allow `http`, other ports and private addresses. */
        WebhookUrlInput: string;
        /** @description The wishes at the end of a day, and how many were added and removed. */
        WishDay: {
            day: components["schemas"]["Day"];
            /** Format: int64 */
            wishes: number;
            /** Format: int64 */
            added: number;
            /** Format: int64 */
            removed: number;
        };
        /** @description The number of customers and visitors with a wish. */
        WishHolders: {
            /** Format: int64 */
            customers: number;
            /** Format: int64 */
            visitors: number;
        };
        /** @description The number of wishes for all products, and of profiles with a wish. */
        WishSummary: {
            /** Format: int64 */
            wishes: number;
            /** Format: int64 */
            customers: number;
            /** Format: int64 */
            visitors: number;
            /** @description The number of customers and visitors with a wish. */
            profiles: components["schemas"]["WishHolders"];
            /** Format: int64 */
            lists: number;
            /** Format: int64 */
            added: number;
            /** Format: int64 */
            removed: number;
            /** @description The purchases of wishes in the period; only in a store with purchases on. */
            purchases?: components["schemas"]["Earned"];
            /**
             * @description What the wishes were worth at the prices of the last count in the period, by currency.
             *     Omitted if no price is known.
             */
            value?: components["schemas"]["WishValue"][];
        };
        /** @description The value of wishes in one currency: price times quantity. */
        WishValue: {
            /** @description Decimal text; exact. Without products that are sold out. */
            amount: string;
            /** @description The same of products that are sold out. */
            soldOut: string;
            currency: string;
        };
        /** @description A wish for the product, and its owner. */
        Wisher: {
            profile: components["schemas"]["ProfileGid"];
            notices: components["schemas"]["MakesNotices"];
            quantity: components["schemas"]["Quantity"];
            savedAt: components["schemas"]["Timestamp"];
            variantId?: components["schemas"]["ProductId"];
        };
        WisherPage: {
            data: components["schemas"]["Wisher"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        /** @description A named collection of items. */
        Wishlist: {
            id: components["schemas"]["Id"];
            name: components["schemas"]["ListName"];
            /**
             * Format: int64
             * @description The number of items on the list.
             */
            itemCount: number;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            /** @description The owner; only for an admin token without `Profile`. */
            profile?: components["schemas"]["ProfileGid"];
        };
        /** @description A change to a profile, as it was when it was recorded. */
        WishlistEvent: components["schemas"]["ItemCreatedEvent"] | components["schemas"]["ItemUpdatedEvent"] | components["schemas"]["ItemDeletedEvent"] | components["schemas"]["ListCreatedEvent"] | components["schemas"]["ListUpdatedEvent"] | components["schemas"]["ListDeletedEvent"] | components["schemas"]["ProfileLinkedEvent"] | components["schemas"]["ProfileErasedEvent"] | components["schemas"]["ItemPriceDroppedEvent"] | components["schemas"]["ItemBackInStockEvent"] | components["schemas"]["ItemPurchasedEvent"] | components["schemas"]["FutureEvent"];
        WishlistPage: {
            data: components["schemas"]["Wishlist"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        WishlistResponse: {
            data: components["schemas"]["Wishlist"];
        };
        /** @description A list and all of its items. */
        WishlistWithItems: {
            id: components["schemas"]["Id"];
            name: components["schemas"]["ListName"];
            /**
             * Format: int64
             * @description The number of items on the list.
             */
            itemCount: number;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            /** @description The items, in the requested order. */
            items: components["schemas"]["Item"][];
            /** @description The owner; only for an admin token without `Profile`. */
            profile?: components["schemas"]["ProfileGid"];
        };
        WishlistWithItemsResponse: {
            data: components["schemas"]["WishlistWithItems"];
            /** @description Cursors of the adjacent pages of items; only in responses to `limit` or `page`. */
            pageInfo?: components["schemas"]["PageInfo"];
        };
    };
    responses: {
        /**
         * @description The request is invalid; the message names the parameter, header or field, and the rule.
         *     Nothing was done.
         */
        BadRequest: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The token is missing, malformed, expired or revoked, or belongs to a closed session or
         *     another deployment.
         */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The token is valid but doesn't allow this: a customer or session token was sent with
         *     `Profile`, or to an operation that requires an admin token; or an admin token was sent with
         *     `Profile` to an operation that acts on the whole store; or an item of a shared list can't be
         *     reserved, because it is the caller's own list or the share has no reservations.
         */
        Forbidden: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The caller has no such item, list, share, product or session, the link to a shared list is
         *     wrong or has expired, or the store has no sign-in path. Nothing was done.
         */
        NotFound: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The path doesn't support the method. This is the response to every method that is not
         *     described here for the path.
         */
        MethodNotAllowed: {
            headers: {
                Allow: components["headers"]["Allow"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The headers or the body didn't arrive in time. Nothing was done, and the connection is
         *     closed.
         */
        RequestTimeout: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description Another item of the profile has this product and variant; or the quantity to reserve exceeds
         *     the quantity that is left; or the state of the store, the service or the webhook doesn't
         *     allow this, as the message says; or an admin token would revoke itself. Nothing was changed.
         */
        Conflict: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description Events after `from` are no longer stored, or this store never issued this position. Read all
         *     records of the store again, then read the feed without `from`.
         */
        Gone: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The body is larger than 256 KiB (a platform's webhook, 2 MiB). Nothing was done. */
        ContentTooLarge: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The body was sent without `Content-Type: application/json`, with a charset other than UTF-8,
         *     or compressed. Nothing was done.
         */
        UnsupportedMediaType: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description A rate limit was exceeded. Nothing was done; try again after `Retry-After` seconds. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The request line and the headers together are larger than 16 KiB, or there are more than 150
         *     headers. Nothing was done, and the connection is closed.
         */
        HeadersTooLarge: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description An error in the service. The log shows the details. */
        InternalServerError: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /**
         * @description The database can't be reached or is too slow, too many requests are in progress, or the
         *     service is shutting down. Try again after `Retry-After` seconds. Nothing was done, unless
         *     the message says that the outcome is unknown.
         */
        ServiceUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
    };
    parameters: {
        /**
         * @description The id of an item. For a malformed or unknown id, the response is 404.
         * @example 01964a1b-0739-7128-a24b-e40ad23f0824
         */
        ItemId: string;
        /**
         * @description The id of a list. For a malformed or unknown id, the response is 404.
         * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
         */
        ListId: string;
        /**
         * @description The id of a share. For a malformed or unknown id, the response is 404.
         * @example 0196e2b7-5f0c-7a41-9d3e-2b1c4f6a8d90
         */
        ShareId: string;
        /**
         * @description The `token` of a share. Anyone who has it can see the list, so treat it as a secret.
         * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
         */
        ShareToken: string;
        /**
         * @description The id of a webhook. For a malformed or unknown id, the response is 404.
         * @example 01964a1b-0739-7128-a24b-e40ad23f0824
         */
        WebhookId: string;
        /**
         * @description The id of a delivery. For a malformed or unknown id, the response is 404.
         * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
         */
        DeliveryId: string;
        /**
         * @description The id of a request. For a malformed or unknown id, the response is 404.
         * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
         */
        RequestId: string;
        /**
         * @description The id of an admin token. For a malformed or unknown id, the response is 404.
         * @example 01964a1b-0739-7128-a24b-e40ad23f0824
         */
        TokenId: string;
        /**
         * @description The shop's id of an order.
         * @example 1001
         */
        OrderId: components["schemas"]["OrderId"];
        /**
         * @description The store's id of a product, of the type that the store uses; otherwise the response is 400.
         * @example 632910392
         */
        ProductId: components["schemas"]["ProductIdText"];
        /**
         * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
         *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
         *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
         *     response is 400, for an unknown session 404.
         * @example gid://shopify/Customer/7096539482
         */
        Profile: components["schemas"]["ProfileGid"];
        /**
         * @description The GID of a customer or session.
         * @example gid://shopify/Customer/7096539482
         */
        Shopper: components["schemas"]["ProfileGid"];
        /**
         * @description The address; upper and lower case don't matter.
         * @example ann@example.com
         */
        Email: components["schemas"]["EmailAddress"];
        /**
         * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
         *     only for the same profile and `query`; otherwise, or if it was modified, the response is
         *     400.
         * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
         */
        Page: components["schemas"]["Cursor"];
        /**
         * @description The maximum number of records on a page, 1 to 250 (default: 50).
         * @example 20
         */
        Limit: number;
        /**
         * @description The maximum number of the list's items on a page, 1 to 250. Without `limit` and `page`, the
         *     response has all items.
         * @example 20
         */
        ListLimit: number;
        /**
         * @description The `resume` value of an earlier response. Without it, the feed begins with the oldest
         *     stored event. If events after this position are no longer stored, the response is 410. With
         *     `latest`, the response is the end of the feed, without events.
         * @example 4711
         */
        From: string;
        /**
         * @description The first day, in the time zone of the store (default: 29 days before `to`).
         * @example 2025-04-01
         */
        FromDay: components["schemas"]["Day"];
        /**
         * @description The last day, at most 365 days after `from` (default: the day of the last count or today,
         *     whichever is later).
         * @example 2025-04-18
         */
        ToDay: components["schemas"]["Day"];
        /**
         * @description The figure to sort by. `rising` is the number added, minus the number added in the period of
         *     the same length before; of equal ones, the product whose wishes changed last comes first.
         * @example added
         */
        SortBy: "wishes" | "added" | "removed" | "rising" | "customers" | "visitors";
        /**
         * @description Whether products or variants have rows of their own.
         * @example variant
         */
        By: "product" | "variant";
        /**
         * @description The kind of mail.
         * @example confirmation
         */
        PreviewKind: "notices" | "confirmation";
        /**
         * @description The language of the mail (default: the store's, or else English).
         * @example de
         */
        PreviewLanguage: "en" | "de" | "fr" | "es" | "it" | "nl" | "pl";
        /**
         * @description Only with `by=product`: the maximum number of products, 1 to 250 (default: 50; without a
         *     default with `format=csv`).
         * @example 20
         */
        EarnedLimit: number;
        /**
         * @description Whether days or products have rows.
         * @example product
         */
        EarnedBy: "day" | "product";
        /**
         * @description Whether those come first who saved last, or those with the most wishes.
         * @example wishes
         */
        ShopperSort: "recent" | "wishes";
        /**
         * @description Only products that are sold out now, or whose price was higher when a wish was saved: at the
         *     last count, and at most the 1,000 with the most units of such wishes.
         * @example sold_out
         */
        OnlyProducts: "sold_out" | "price_dropped";
        /**
         * @description A part of the products' titles, compared without case, or the whole id of a product. Such a
         *     report may read all products of the store.
         * @example shirt
         */
        TitlePart: string;
        /**
         * @description A spreadsheet has no pages.
         * @example csv
         */
        Format: "json" | "csv";
        /**
         * @description The product (default: all).
         * @example 632910392
         */
        OfProduct: components["schemas"]["ProductIdText"];
        /**
         * @description The product.
         * @example 632910392
         */
        TheProduct: components["schemas"]["ProductIdText"];
        /**
         * @description The variant (default: any).
         * @example 808950810
         */
        OfVariant: components["schemas"]["ProductIdText"];
        /**
         * @description 1 to 250 product ids, separated by commas.
         * @example [
         *       "632910392",
         *       "7"
         *     ]
         */
        Products: components["schemas"]["ProductIdText"][];
        /**
         * @description The event types to read, separated by commas (default: all).
         * @example [
         *       "item.created",
         *       "item.deleted"
         *     ]
         */
        Type: components["schemas"]["EventTypeInput"][];
        /**
         * @description The GID of a customer or session, whose events alone are returned (default: all). `from` and
         *     `resume` are positions in the feed of the whole store.
         * @example gid://shopify/Customer/7096539482
         */
        OfProfile: components["schemas"]["ProfileGid"];
        /**
         * @description A search expression: up to 8 terms, separated by spaces. An item must match all of them. A
         *     term is `<field>:<value>`, with up to 250 values separated by commas. An item must match one
         *     of them.
         *
         *     | Field | Value |
         *     |---|---|
         *     | `product` | a `productId`; an integer without leading zeros |
         *     | `variant` | a `variantId`: the same |
         *     | `tag` | a tag |
         *     | `list` | the id of a list that the item is on |
         *     | `title` | a text of 1 to 100 characters that the product's title contains, compared without case |
         *     | `available` | `true`, `false` or `unknown`: whether the product or variant can be ordered |
         *
         *     With an admin token, `title` and `available` need `Profile`.
         *     A term's field ends at the first colon; a product id that is text may contain further
         *     colons. In a store with integer product ids, the response to text is 400.
         * @example product:632910392,788032119 tag:gift
         */
        Query: string;
        /**
         * @description A search expression: up to 8 terms `name:<text>`, separated by spaces. The name of a list
         *     must contain all of them, compared without case. A term may have several texts of 1 to 100
         *     characters, separated by commas; the name must contain one of them. With an admin token,
         *     `Profile` is required.
         * @example name:birthday
         */
        ListQuery: string;
        /**
         * @description With `all`, the shares of the profile's lists, too. With `wishlist`, the default, those of
         *     the whole wishlist.
         * @example all
         */
        SharesOf: "wishlist" | "all";
        /**
         * @description Only deliveries with this status.
         * @example failed
         */
        WithStatus: "pending" | "delivered" | "failed" | "skipped" | "by_hand";
        /**
         * @description A search expression: up to 8 terms `title:<text>`, separated by spaces. The title of a
         *     product must contain all of them, compared without case. A term may have several texts of 1
         *     to 100 characters, separated by commas; the title must contain one of them.
         * @example title:shirt title:blue,green
         */
        ProductQuery: string;
        /**
         * @description With `product`, each item whose product has published data contains it as `product`.
         * @example product
         */
        Include: "product";
        /**
         * @description The ids of 1 to 250 items, separated by commas.
         * @example [
         *       "01964a1b-0739-7128-a24b-e40ad23f0824",
         *       "01964a1b-f199-7181-a54c-66175d9dc9f8"
         *     ]
         */
        ItemIds: string[];
        /**
         * @description The order of the items: by `createdAt`; by the `price` of their products, the lowest first;
         *     or by their `title`, ignoring case and accents. Unknown prices and titles come last, equal
         *     ones newest first. `price` and `title` need one profile. `custom` is the same as `newest`,
         *     because only a list has an order of its own.
         * @example price
         */
        ItemSort: "newest" | "custom" | "oldest" | "price" | "title";
        /**
         * @description The order of the list's items: `recently_saved` (or `newest`) and `oldest_saved` (`oldest`)
         *     sort by `createdAt`; `customer` (`custom`) is the order set with `PUT
         *     /lists/{listId}/items/order`, in which items without a position follow the others, most
         *     recently saved first; `price` and `title` sort as in `GET /items`.
         * @example customer
         */
        Sort: "recently_saved" | "oldest_saved" | "customer" | "newest" | "oldest" | "custom" | "price" | "title";
    };
    requestBodies: never;
    headers: {
        /**
         * @description The number of requests of this kind that the caller may make in the current window.
         * @example 600
         */
        "X-RateLimit-Limit": number;
        /**
         * @description The number of requests of this kind that are left in the current window.
         * @example 597
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description When the window resets, in seconds since 1970, UTC.
         * @example 1745000040
         */
        "X-RateLimit-Reset": number;
        /**
         * @description The id of the request, which is also in the service's log. A UUID in the `X-Request-Id` of
         *     the request is kept, with hyphens or without.
         * @example 795b929e-9a9a-40fd-aa7b-5bf55eb561a4
         */
        "X-Request-Id": components["schemas"]["RequestId"];
        /**
         * @description The path of the new item.
         * @example /api/2025-04/items/01964a1b-0739-7128-a24b-e40ad23f0824
         */
        ItemLocation: string;
        /**
         * @description The path of the new list.
         * @example /api/2025-04/lists/019649e4-18b9-7651-8317-1ff4a6a3a450
         */
        ListLocation: string;
        /**
         * @description The path of the new webhook.
         * @example /api/2025-04/webhooks/01964a1b-0739-7128-a24b-e40ad23f0824
         */
        WebhookLocation: string;
        /**
         * @description How to authenticate (RFC 6750).
         * @example Bearer realm="wishwell"
         */
        "WWW-Authenticate": string;
        /**
         * @description The methods that this path supports.
         * @example GET, POST, PUT, DELETE, HEAD
         */
        Allow: string;
        /**
         * @description The seconds to wait before trying again.
         * @example 33
         */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listItems: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description A search expression: up to 8 terms, separated by spaces. An item must match all of them. A
                 *     term is `<field>:<value>`, with up to 250 values separated by commas. An item must match one
                 *     of them.
                 *
                 *     | Field | Value |
                 *     |---|---|
                 *     | `product` | a `productId`; an integer without leading zeros |
                 *     | `variant` | a `variantId`: the same |
                 *     | `tag` | a tag |
                 *     | `list` | the id of a list that the item is on |
                 *     | `title` | a text of 1 to 100 characters that the product's title contains, compared without case |
                 *     | `available` | `true`, `false` or `unknown`: whether the product or variant can be ordered |
                 *
                 *     With an admin token, `title` and `available` need `Profile`.
                 *     A term's field ends at the first colon; a product id that is text may contain further
                 *     colons. In a store with integer product ids, the response to text is 400.
                 * @example product:632910392,788032119 tag:gift
                 */
                query?: components["parameters"]["Query"];
                /**
                 * @description The order of the items: by `createdAt`; by the `price` of their products, the lowest first;
                 *     or by their `title`, ignoring case and accents. Unknown prices and titles come last, equal
                 *     ones newest first. `price` and `title` need one profile. `custom` is the same as `newest`,
                 *     because only a list has an order of its own.
                 * @example price
                 */
                sort?: components["parameters"]["ItemSort"];
                /**
                 * @description With `product`, each item whose product has published data contains it as `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of items; `pageInfo` is included only if there is another page. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    saveItems: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ItemsInput"];
            };
        };
        responses: {
            /** @description The items as they are now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createItem: {
        parameters: {
            query?: {
                /**
                 * @description With `product`, each item whose product has published data contains it as `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ItemInput"];
            };
        };
        responses: {
            /** @description The profile already had this item. Returns the item as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemResponse"];
                };
            };
            /** @description The item was created. */
            201: {
                headers: {
                    Location: components["headers"]["ItemLocation"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteItems: {
        parameters: {
            query?: {
                /**
                 * @description The ids of 1 to 250 items, separated by commas.
                 * @example [
                 *       "01964a1b-0739-7128-a24b-e40ad23f0824",
                 *       "01964a1b-f199-7181-a54c-66175d9dc9f8"
                 *     ]
                 */
                itemIds?: components["parameters"]["ItemIds"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ItemIds"];
            };
        };
        responses: {
            /** @description The items are deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getItem: {
        parameters: {
            query?: {
                /**
                 * @description With `product`, each item whose product has published data contains it as `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteItem: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item was deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateItem: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ItemPatch"];
            };
        };
        responses: {
            /** @description The item as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    setItemLists: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ItemLists"];
            };
        };
        responses: {
            /** @description The item as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listLists: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description A search expression: up to 8 terms `name:<text>`, separated by spaces. The name of a list
                 *     must contain all of them, compared without case. A term may have several texts of 1 to 100
                 *     characters, separated by commas; the name must contain one of them. With an admin token,
                 *     `Profile` is required.
                 * @example name:birthday
                 */
                query?: components["parameters"]["ListQuery"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of lists; `pageInfo` is included only if there is another page. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WishlistPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createList: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListInput"];
            };
        };
        responses: {
            /** @description The list was created. */
            201: {
                headers: {
                    Location: components["headers"]["ListLocation"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WishlistResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getList: {
        parameters: {
            query?: {
                /**
                 * @description The order of the list's items: `recently_saved` (or `newest`) and `oldest_saved` (`oldest`)
                 *     sort by `createdAt`; `customer` (`custom`) is the order set with `PUT
                 *     /lists/{listId}/items/order`, in which items without a position follow the others, most
                 *     recently saved first; `price` and `title` sort as in `GET /items`.
                 * @example customer
                 */
                sort?: components["parameters"]["Sort"];
                /**
                 * @description With `product`, each item whose product has published data contains it as `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of the list's items on a page, 1 to 250. Without `limit` and `page`, the
                 *     response has all items.
                 * @example 20
                 */
                limit?: components["parameters"]["ListLimit"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list and its items; `pageInfo` is included only if there is another page of items. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WishlistWithItemsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteList: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list was deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateList: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListPatch"];
            };
        };
        responses: {
            /** @description The list as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WishlistResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replaceListItems: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListItems"];
            };
        };
        responses: {
            /** @description The list and its items, in that order. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WishlistWithItemsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeListItems: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListItemsRemoval"];
            };
        };
        responses: {
            /** @description The items are off the list. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    orderListItems: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ItemOrder"];
            };
        };
        responses: {
            /** @description The list and its items, in that order. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WishlistWithItemsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putListItem: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ItemPlace"];
            };
        };
        responses: {
            /** @description The item as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeListItem: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item was removed from the list. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listShares: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of shares; `pageInfo` is included only if there is another page. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createShare: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ShareInput"];
            };
        };
        responses: {
            /**
             * @description The share was created. A single share can't be requested, so the response has no
             *     `Location`.
             */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteShare: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of a share. For a malformed or unknown id, the response is 404.
                 * @example 0196e2b7-5f0c-7a41-9d3e-2b1c4f6a8d90
                 */
                shareId: components["parameters"]["ShareId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The share was deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateShare: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. For a malformed or unknown id, the response is 404.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of a share. For a malformed or unknown id, the response is 404.
                 * @example 0196e2b7-5f0c-7a41-9d3e-2b1c4f6a8d90
                 */
                shareId: components["parameters"]["ShareId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShareTerms"];
            };
        };
        responses: {
            /** @description The share as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWishlistShares: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description With `all`, the shares of the profile's lists, too. With `wishlist`, the default, those of
                 *     the whole wishlist.
                 * @example all
                 */
                of?: components["parameters"]["SharesOf"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of shares; `pageInfo` is included only if there is another page. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWishlistShare: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ShareInput"];
            };
        };
        responses: {
            /**
             * @description The share was created. A single share can't be requested, so the response has no
             *     `Location`.
             */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWishlistShare: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a share. For a malformed or unknown id, the response is 404.
                 * @example 0196e2b7-5f0c-7a41-9d3e-2b1c4f6a8d90
                 */
                shareId: components["parameters"]["ShareId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The share was deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWishlistShare: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a share. For a malformed or unknown id, the response is 404.
                 * @example 0196e2b7-5f0c-7a41-9d3e-2b1c4f6a8d90
                 */
                shareId: components["parameters"]["ShareId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShareTerms"];
            };
        };
        responses: {
            /** @description The share as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listReservations: {
        parameters: {
            query?: {
                /**
                 * @description With `product`, each item whose product has published data contains it as `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All reservations of the profile. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReservationsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSharedList: {
        parameters: {
            query?: {
                /**
                 * @description With `product`, each item whose product has published data contains it as `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The `token` of a share. Anyone who has it can see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list, as anyone with its link sees it. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedListResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    copySharedList: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The `token` of a share. Anyone who has it can see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CopyTerms"];
            };
        };
        responses: {
            /** @description The list was created. */
            201: {
                headers: {
                    Location: components["headers"]["ListLocation"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WishlistResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    reserveSharedItem: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The `token` of a share. Anyone who has it can see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reservation"];
            };
        };
        responses: {
            /** @description The item is reserved. Returns it as the shared list shows it to the caller. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedItemResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteReservation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The `token` of a share. Anyone who has it can see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
                /**
                 * @description The id of an item. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reservation was deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteProfile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile was erased. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfilePatch"];
            };
        };
        responses: {
            /** @description The profile as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteProfileEmail: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile has no address. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exportProfile: {
        parameters: {
            query?: {
                /**
                 * @description With `product`, each item whose product has published data contains it as `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All stored data. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileExportResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProfiles: {
        parameters: {
            query: {
                /**
                 * @description The address; upper and lower case don't matter.
                 * @example ann@example.com
                 */
                email: components["parameters"]["Email"];
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of profiles; `pageInfo` is included only if there is another page. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfilePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProfileHistory: {
        parameters: {
            query: {
                /**
                 * @description The GID of a customer or session.
                 * @example gid://shopify/Customer/7096539482
                 */
                profile: components["parameters"]["Shopper"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is recorded, also about a profile that isn't stored. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileHistoryResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    identifyProfile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Identify"];
            };
        };
        responses: {
            /** @description The profile has been identified. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentifyResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putProfileEmails: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileEmails"];
            };
        };
        responses: {
            /** @description How many addresses were stored. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredEmailsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listMails: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of mails; `pageInfo` is included only if there is another page. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listMailDays: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description 30 days, today last. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailDaysResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getMailPreview: {
        parameters: {
            query?: {
                /**
                 * @description The kind of mail.
                 * @example confirmation
                 */
                kind?: components["parameters"]["PreviewKind"];
                /**
                 * @description The language of the mail (default: the store's, or else English).
                 * @example de
                 */
                language?: components["parameters"]["PreviewLanguage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subject and both parts of the mail. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailPreviewResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putSuppressions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Suppressions"];
            };
        };
        responses: {
            /** @description How many addresses were stored. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredSuppressionsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createProfileToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description The token was created. It has no URL, so the response has no `Location`. */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description The `resume` value of an earlier response. Without it, the feed begins with the oldest
                 *     stored event. If events after this position are no longer stored, the response is 410. With
                 *     `latest`, the response is the end of the feed, without events.
                 * @example 4711
                 */
                from?: components["parameters"]["From"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The event types to read, separated by commas (default: all).
                 * @example [
                 *       "item.created",
                 *       "item.deleted"
                 *     ]
                 */
                type?: components["parameters"]["Type"];
                /**
                 * @description With `product`, each item whose product has published data contains it as `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
                /**
                 * @description The GID of a customer or session, whose events alone are returned (default: all). `from` and
                 *     `resume` are positions in the feed of the whole store.
                 * @example gid://shopify/Customer/7096539482
                 */
                profile?: components["parameters"]["OfProfile"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, possibly none, and the position from which to continue. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feed"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            410: components["responses"]["Gone"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookInput"];
            };
        };
        responses: {
            /** @description The webhook was created. */
            201: {
                headers: {
                    Location: components["headers"]["WebhookLocation"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook is deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookPatch"];
            };
        };
        responses: {
            /** @description The webhook as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    renewWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook with its new secret. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery of the test. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Replay"];
            };
        };
        responses: {
            /** @description The webhook. The events are sent in the background. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description Only deliveries with this status.
                 * @example failed
                 */
                status?: components["parameters"]["WithStatus"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
                /**
                 * @description The id of a delivery. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
                 */
                deliveryId: components["parameters"]["DeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getStore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The store. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreSettingsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateStore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StorePatch"];
            };
        };
        responses: {
            /** @description The store as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreSettingsResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getStoreStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status of the store. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreStatusResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of tokens. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminTokenPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an admin token. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                tokenId: components["parameters"]["TokenId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token was revoked. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProducts: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description A search expression: up to 8 terms `title:<text>`, separated by spaces. The title of a
                 *     product must contain all of them, compared without case. A term may have several texts of 1
                 *     to 100 characters, separated by commas; the title must contain one of them.
                 * @example title:shirt title:blue,green
                 */
                query?: components["parameters"]["ProductQuery"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of products; `pageInfo` is included only if there is another page. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putProducts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Products"];
            };
        };
        responses: {
            /** @description The product data was stored. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProduct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The store's id of a product, of the type that the store uses; otherwise the response is 400.
                 * @example 632910392
                 */
                productId: components["parameters"]["ProductId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The product. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putProduct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The store's id of a product, of the type that the store uses; otherwise the response is 400.
                 * @example 632910392
                 */
                productId: components["parameters"]["ProductId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProductInput"];
            };
        };
        responses: {
            /** @description The product as it is now, whether or not it existed before. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteProduct: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The store's id of a product, of the type that the store uses; otherwise the response is 400.
                 * @example 632910392
                 */
                productId: components["parameters"]["ProductId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The product was deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProductReport: {
        parameters: {
            query?: {
                /**
                 * @description The first day, in the time zone of the store (default: 29 days before `to`).
                 * @example 2025-04-01
                 */
                from?: components["parameters"]["FromDay"];
                /**
                 * @description The last day, at most 365 days after `from` (default: the day of the last count or today,
                 *     whichever is later).
                 * @example 2025-04-18
                 */
                to?: components["parameters"]["ToDay"];
                /**
                 * @description The figure to sort by. `rising` is the number added, minus the number added in the period of
                 *     the same length before; of equal ones, the product whose wishes changed last comes first.
                 * @example added
                 */
                sort?: components["parameters"]["SortBy"];
                /**
                 * @description Whether products or variants have rows of their own.
                 * @example variant
                 */
                by?: components["parameters"]["By"];
                /**
                 * @description A part of the products' titles, compared without case, or the whole id of a product. Such a
                 *     report may read all products of the store.
                 * @example shirt
                 */
                title?: components["parameters"]["TitlePart"];
                /**
                 * @description Only products that are sold out now, or whose price was higher when a wish was saved: at the
                 *     last count, and at most the 1,000 with the most units of such wishes.
                 * @example sold_out
                 */
                only?: components["parameters"]["OnlyProducts"];
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description A spreadsheet has no pages.
                 * @example csv
                 */
                format?: components["parameters"]["Format"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of products. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProductReport"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSummaryReport: {
        parameters: {
            query?: {
                /**
                 * @description The first day, in the time zone of the store (default: 29 days before `to`).
                 * @example 2025-04-01
                 */
                from?: components["parameters"]["FromDay"];
                /**
                 * @description The last day, at most 365 days after `from` (default: the day of the last count or today,
                 *     whichever is later).
                 * @example 2025-04-18
                 */
                to?: components["parameters"]["ToDay"];
                /**
                 * @description A spreadsheet has no pages.
                 * @example csv
                 */
                format?: components["parameters"]["Format"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures of all products. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SummaryReport"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDailyReport: {
        parameters: {
            query?: {
                /**
                 * @description The first day, in the time zone of the store (default: 29 days before `to`).
                 * @example 2025-04-01
                 */
                from?: components["parameters"]["FromDay"];
                /**
                 * @description The last day, at most 365 days after `from` (default: the day of the last count or today,
                 *     whichever is later).
                 * @example 2025-04-18
                 */
                to?: components["parameters"]["ToDay"];
                /**
                 * @description The product (default: all).
                 * @example 632910392
                 */
                product?: components["parameters"]["OfProduct"];
                /**
                 * @description A spreadsheet has no pages.
                 * @example csv
                 */
                format?: components["parameters"]["Format"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The days. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DaysReport"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPurchasesReport: {
        parameters: {
            query?: {
                /**
                 * @description The first day, in the time zone of the store (default: 29 days before `to`).
                 * @example 2025-04-01
                 */
                from?: components["parameters"]["FromDay"];
                /**
                 * @description The last day, at most 365 days after `from` (default: the day of the last count or today,
                 *     whichever is later).
                 * @example 2025-04-18
                 */
                to?: components["parameters"]["ToDay"];
                /**
                 * @description Whether days or products have rows.
                 * @example product
                 */
                by?: components["parameters"]["EarnedBy"];
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description Only with `by=product`: the maximum number of products, 1 to 250 (default: 50; without a
                 *     default with `format=csv`).
                 * @example 20
                 */
                limit?: components["parameters"]["EarnedLimit"];
                /**
                 * @description A spreadsheet has no pages.
                 * @example csv
                 */
                format?: components["parameters"]["Format"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The days or products. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PurchasesReport"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWisherReport: {
        parameters: {
            query: {
                /**
                 * @description The product.
                 * @example 632910392
                 */
                product: components["parameters"]["TheProduct"];
                /**
                 * @description The variant (default: any).
                 * @example 808950810
                 */
                variant?: components["parameters"]["OfVariant"];
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description A spreadsheet has no pages.
                 * @example csv
                 */
                format?: components["parameters"]["Format"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of wishes. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WisherPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getShopperReport: {
        parameters: {
            query?: {
                /**
                 * @description Whether those come first who saved last, or those with the most wishes.
                 * @example wishes
                 */
                sort?: components["parameters"]["ShopperSort"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shoppers. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShoppersResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWishCounts: {
        parameters: {
            query: {
                /**
                 * @description 1 to 250 product ids, separated by commas.
                 * @example [
                 *       "632910392",
                 *       "7"
                 *     ]
                 */
                products: components["parameters"]["Products"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as `POST
                 *     /profiles/token` returns it. Allowed only with an admin token. For another platform the
                 *     response is 400, for an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of the request. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownWishes"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putOrders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Orders"];
            };
        };
        responses: {
            /** @description What happened to each order, in the order of the request. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrdersResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The shop's id of an order.
                 * @example 1001
                 */
                orderId: components["parameters"]["OrderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order was forgotten. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listRequests: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier response. It is valid
                 *     only for the same profile and `query`; otherwise, or if it was modified, the response is
                 *     400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The maximum number of records on a page, 1 to 250 (default: 50).
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of requests. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformRequestPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a request. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
                 */
                requestId: components["parameters"]["RequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The store is not deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getRequestExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a request. For a malformed or unknown id, the response is 404.
                 * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
                 */
                requestId: components["parameters"]["RequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All data that was stored about the customer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileExportResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    receivePlatformWebhook: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description HMAC-SHA256 of the body as it is sent, in base64.
                 * @example tWGtyXnETCuk43plF8AZ+Hj9XEkXbWrg+Y+6zSaEN4Y=
                 */
                "X-Shopify-Hmac-Sha256": string;
                /**
                 * @description The store's `--platform-shop`, and in a privacy request also its `shop_domain`.
                 * @example wishes.myshopify.com
                 */
                "X-Shopify-Shop-Domain": string;
                /**
                 * @description The topic, whose fields the body contains.
                 * @example customers/redact
                 */
                "X-Shopify-Topic": "customers/data_request" | "customers/redact" | "shop/redact" | "products/create" | "products/update" | "products/delete" | "orders/paid" | "orders/updated" | "orders/cancelled" | "customers/create" | "customers/update";
                /**
                 * @description The id of the delivery.
                 * @example b54557e4-8bdd-4b37-8a5f-bf7d70bcd043
                 */
                "X-Shopify-Webhook-Id": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlatformWebhook"];
            };
        };
        responses: {
            /** @description The privacy request was stored and will be processed, or the product or order was read. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformWebhookResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The OpenAPI document. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenapiDocument"];
                };
            };
            400: components["responses"]["BadRequest"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    receiveEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `id` of the body. A duplicate has the same one.
                 * @example 5d2c2f6e-4f0e-5f57-9f6f-4a0f3f3c1f0a
                 */
                "webhook-id": components["schemas"]["Id"];
                /**
                 * @description The time of this attempt, in seconds since 1970, UTC.
                 * @example 1745000007
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more signatures of id, timestamp and body, separated by spaces.
                 * @example v1,xWGtyXnETCuk43plF8AZ+Hj9XEkXbWrg+Y+6zSaEN4Y=
                 */
                "webhook-signature": string;
                /**
                 * @description The `traceparent` of the event, if it has one.
                 * @example 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
                 */
                traceparent?: components["schemas"]["Traceparent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WishlistEvent"];
            };
        };
        responses: {
            /** @description Turns the webhook off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received. Any other status is retried with backoff. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTest: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `id` of the body. A duplicate has the same one.
                 * @example 5d2c2f6e-4f0e-5f57-9f6f-4a0f3f3c1f0a
                 */
                "webhook-id": components["schemas"]["Id"];
                /**
                 * @description The time of this attempt, in seconds since 1970, UTC.
                 * @example 1745000007
                 */
                "webhook-timestamp": string;
                /**
                 * @description One or more signatures of id, timestamp and body, separated by spaces.
                 * @example v1,xWGtyXnETCuk43plF8AZ+Hj9XEkXbWrg+Y+6zSaEN4Y=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01964a1b-f199-7181-a54c-66175d9dc9f8",
                 *       "type": "webhook.test",
                 *       "timestamp": "2025-04-18T18:13:27.481Z",
                 *       "data": {}
                 *     }
                 */
                "application/json": components["schemas"]["WebhookTestMessage"];
            };
        };
        responses: {
            /** @description The test was received. The list of deliveries shows this and any other status. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
