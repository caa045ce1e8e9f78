// Made from src/wishwell/http/openapi.yaml by `npm run types`; do not edit.
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
         *     first, in pages. `query` narrows them. To walk on, repeat the request with `page` set to
         *     `pageInfo.next` or `pageInfo.previous`. While others write, a walk along `next` to the end
         *     shows every item that was there all the time exactly once. A customer that nothing is known
         *     of has an empty page. `HEAD` answers the same without a body.
         */
        get: operations["listItems"];
        /**
         * Save several items
         * @description Saves 1 to 250 items, each as `POST /items` would, all of them or, on an error, none. A
         *     product and variant may be there once. The items come back in the order sent; of the new
         *     ones the first is the newest. It is one request for the limits. An admin token must name
         *     the owner in `Profile`.
         */
        put: operations["saveItems"];
        /**
         * Create an item
         * @description Saves a product or a variant for the profile. Saving twice is saving once: when the profile
         *     has the item already, the answer is 200 with that item, on which the `quantity`, `tags` and
         *     `note` that the body names are set, to whose lists the `listIds` are added, and nothing else
         *     is changed. A list that the profile does not have is answered 404, and nothing is saved. A
         *     profile holds at most 5,000 items, a list at most 1,000, and a profile's items stand on at
         *     most 20,000 places of its lists in all, unless the service is set otherwise; what would pass
         *     one of these is answered 400, and nothing is saved. An admin token must name the owner in
         *     `Profile`.
         */
        post: operations["createItem"];
        /**
         * Delete several items
         * @description Deletes 1 to 250 items, all of them or, on an error, none. Ids that name no item of the
         *     profile are no error. The ids come in the body or, as some intermediaries drop the body of
         *     a `DELETE`, in the query parameter `itemIds`: in one of the two. With neither, and with
         *     both, the answer is 400.
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
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        /**
         * Find an item
         * @description The item with this id. `HEAD` answers the same without a body.
         */
        get: operations["getItem"];
        put?: never;
        post?: never;
        /**
         * Delete an item
         * @description Deletes the item and takes it off its lists.
         */
        delete: operations["deleteItem"];
        options?: never;
        head?: never;
        /**
         * Update an item
         * @description Sets the fields that the body names and leaves the others as they are; a `variantId` of null
         *     clears the variant. An empty object changes nothing, `updatedAt` included. When another item
         *     of the profile has the product and variant that this one would get, the answer is 409 and
         *     nothing is changed.
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
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Set the lists of an item
         * @description Puts the item on exactly these lists; an empty array takes it off all. On a list where it
         *     stays, it keeps its place. A list that the profile does not have is answered 404, and
         *     nothing is changed. By default a list holds at most 1,000 items, and all lists of a profile
         *     together at most 20,000. If either bound would be exceeded, the answer is 400, and nothing
         *     is changed.
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
         *     first, in pages, without their items. Pages are walked as those of `GET /items` are. `HEAD`
         *     answers the same without a body.
         */
        get: operations["listLists"];
        put?: never;
        /**
         * Create a list
         * @description A new, empty list. Names need not be unique. A profile holds at most 250 lists unless the
         *     service is set otherwise; one more is answered 400. An admin token must name the owner in
         *     `Profile`.
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
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        /**
         * Find a list
         * @description The list with this id, and all of its items in the order that `sort` asks for. `HEAD`
         *     answers the same without a body.
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
         * @description Sets the name, if the body has one. An empty object changes nothing, `updatedAt` included.
         */
        patch: operations["updateList"];
        trace?: never;
    };
    "/lists/{listId}/items/order": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Set the order of a list's items
         * @description Places the items of the list in the order given, which `GET /lists/{listId}?sort=customer`
         *     then shows. Items that the body does not name follow: first those that had been placed
         *     before, in the order that they had, then those never placed, most recently saved first. An
         *     id that is not on the list, or is there twice, is answered 400, and nothing is changed.
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
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Put an item on a list
         * @description Puts the item on the list, and leaves its other lists alone. If it is there already, it keeps
         *     its place. With `after`, it is placed behind that item, or first with null: all items before
         *     its new place, in the order `customer`, get a place too. An `after` that is the item itself
         *     or not on the list is answered 400, and nothing is changed. The bounds of lists are those of
         *     `PUT /items/{itemId}/lists`.
         */
        put: operations["putListItem"];
        post?: never;
        /**
         * Remove an item from a list
         * @description Takes the item off the list, and leaves its other lists alone. If it is not on it, the answer
         *     is 404.
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
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        /**
         * List the shares of a list
         * @description The shares of the list, newest first, in pages; also those that have expired. Pages are walked
         *     as those of `GET /items` are. `HEAD` answers the same without a body.
         */
        get: operations["listShares"];
        put?: never;
        /**
         * Share a list
         * @description Makes a link to the list: whoever has its `token` may see the list at `GET /shared/{token}`,
         *     and nothing else of its owner. A list has at most 20 shares; one more is answered 400.
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
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of a share. A malformed one is answered 404, like one that is unknown.
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
         * End a share
         * @description From now on its token is refused everywhere. Other shares of the list go on.
         */
        delete: operations["deleteShare"];
        options?: never;
        head?: never;
        /**
         * Update a share
         * @description Changes the fields that the body names. The token stays the same.
         */
        patch: operations["updateShare"];
        trace?: never;
    };
    "/shared/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `token` of a share. Who has it may see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
            };
            cookie?: never;
        };
        /**
         * See a shared list
         * @description The list that a share's token leads to, with its items in the owner's order. It needs no
         *     `Authorization`; one that is sent must be good. A token that is wrong, has expired or was
         *     revoked, or whose list is gone, is answered 404, always in the same words. Where the share has
         *     reservations, items show how many are reserved and, with a profile token, how many of them by the
         *     caller; for the owner, and an admin token that names them in `Profile`, neither. Reads count per
         *     client address, 120 a minute unless the service is set otherwise, and those of an admin token
         *     as its other reads; a wrong token counts as a request with no valid token does. Answers below
         *     `/shared/` carry `X-Robots-Tag: noindex` and `Referrer-Policy: no-referrer`. `HEAD` answers the
         *     same without a body.
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
                 * @description The `token` of a share. Who has it may see the list, so treat it as a secret.
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
         * @description Makes a list of the caller's with what is on the shared list, in its order: with the quantities
         *     and, where the share shows them, the notes. An item that the caller has already stays as it is
         *     and is put on the new list. What would pass a bound of the caller's is answered 400, and nothing
         *     is changed. An admin token must name the caller in `Profile`.
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
                 * @description The `token` of a share. Who has it may see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
                /**
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        get?: never;
        /**
         * Reserve an item of a shared list
         * @description Says that the caller gives so many of the item, in place of what they had reserved of it before.
         *     A reservation is of the item, over all shares of it, and never takes the sum past the item's
         *     quantity: that is answered 409, and nothing is changed. The owner never learns of it, and is
         *     answered 403; so is everybody where the share has no reservations. A profile has reservations of
         *     at most 1,000 items; one more is answered 400. An admin token must name the caller in `Profile`.
         */
        put: operations["reserveSharedItem"];
        post?: never;
        /**
         * End a reservation
         * @description Ends what the caller has reserved of the item; if that is nothing, the answer is 404. The share
         *     may have ended. An admin token must name the caller in `Profile`.
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
         * @description The profile that the token or `Profile` acts on: how many items and lists it has, and whether
         *     notices are made for them. A customer of whom nothing is stored has zeros and no `createdAt`.
         *     `email` is for admin tokens alone: what somebody typed, and nobody has confirmed. `HEAD`
         *     answers the same without a body.
         */
        get: operations["getProfile"];
        put?: never;
        post?: never;
        /**
         * Erase the profile
         * @description Ends the profile that `Profile` names, with everything of it. From then on, in every process
         *     within 5 seconds, nothing of it is shown or told, and its tokens, cookies and shares are
         *     refused. Steps in the background remove it, usually within a minute; what it writes before is
         *     answered 503, and afterwards a customer may begin anew. The store's feed tells of it by
         *     `profile.erased`. It needs an admin token. A customer of whom there was nothing is 204, too.
         */
        delete: operations["deleteProfile"];
        options?: never;
        head?: never;
        /**
         * Turn notices on or off
         * @description Without `notices`, no `item.price_dropped` and `item.back_in_stock` is made for the profile's
         *     items any more. An empty object changes nothing.
         */
        patch: operations["updateProfile"];
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
         * @description All that is stored of the profile, as one document: its lists with their items in the
         *     customer's order, items, shares, what it has reserved of others' items, and the events that
         *     are still kept. It comes in pieces; if one can't be read, the connection breaks. `HEAD` answers
         *     the same without a body.
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
         * @description The profiles that gave this address, without regard to case, in pages. It needs an admin token,
         *     without `Profile`. Nobody has confirmed an address, so whoever gave it may be somebody else.
         *     Pages are walked as those of `GET /items` are. `HEAD` answers the same without a body.
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
         * @description The store's sign-in path for an e-mail address. Every valid address gets the same kind of
         *     answer, whether or not it is known. With a profile token, or with `Profile`, the address is
         *     stored with that profile. If the store has no sign-in path, the answer is 404.
         */
        post: operations["identifyProfile"];
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
         * @description A token that lasts one day. It needs an admin token.
         *
         *     | Body | Result |
         *     |---|---|
         *     | none, empty or `{}` | a new session and its token |
         *     | `customer` | a token for the customer |
         *     | `session` | a new token for that session; 404 if it was linked to a customer |
         *     | both | links the session to the customer, and gives a token for the customer |
         *
         *     Linking moves the session's items and lists to the customer, with their ids, in one step. If
         *     both have an item, the customer's stays, with the larger quantity, the tags and lists of
         *     both and the earlier `createdAt`. If the customer has a list of the same name, compared
         *     without case, the items of the session's list are added to it where they fit. A profile
         *     keeps at most twice its bounds; the session's oldest beyond that are left behind. The session
         *     is then closed, and its tokens are answered 401. Linking a closed session again moves nothing
         *     and succeeds.
         *
         *     The header `Profile` is the same as naming that profile in the body: a customer's GID as
         *     `customer`, a session's as `session`. A body that names another one of the same kind is
         *     answered 400.
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
         * @description The events of the store, oldest first: a feed, not a page. It needs an admin token, without
         *     `Profile`. To go on, now or tomorrow, repeat the request with `from` set to `resume`, which
         *     is always there: each event comes once and none is missed. A profile's events come in the
         *     order of `sequence`. An event is in the feed within 2 seconds. Events are kept for 7 days,
         *     unless the service is set otherwise. A store that does not tell events has none, or those
         *     that are still kept. `HEAD` answers the same without a body.
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
         * @description The webhooks of the store, newest first, in pages, as of items. `HEAD` answers the same without a
         *     body.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Sends the events of the store to `url` from now on: those whose type is in `types`, or all.
         *     A store has at most 20 webhooks. The store must tell events, else the answer is 409. `url` is
         *     `https`, on port 443 or 8443, and leads to a public address.
         *
         *     Each event is sent at least once, as a `POST` in the form of Standard Webhooks: `webhook-id` is
         *     the id of the event, `webhook-timestamp` the second of the attempt, `webhook-signature` is made
         *     with `secret`, and the body is the event. Any 2xx within 15 s is taken for its delivery. After
         *     anything else it is sent again, up to nine times, after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and
         *     24 h. A 410 turns the webhook off, and so does a week
         *     without a delivery. The order in which events arrive means nothing; their `sequence` does.
         *
         *     `secret` is shown here, and when it is renewed, but nowhere else.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        /**
         * Find a webhook
         * @description A webhook, without its secret. `HEAD` answers the same without a body.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes the webhook, and then its deliveries. What is just being sent still arrives.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook
         * @description Changes the fields that the body names. A webhook that is turned on goes on where it was turned
         *     off, or with the oldest event that is kept.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
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
         * @description Makes a new secret, which is shown here alone. For 24 hours the one before it signs as
         *     well; one more renewal ends that.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
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
         * @description Sends a message of the type `webhook.test`, once. How it went is in the list of deliveries. A
         *     webhook that is off is answered 409.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
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
         * @description Sends every kept event of the webhook's types from `since` on again, with its id, and a minute's
         *     more: events are in the order of their feed, not of their times.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
            };
            cookie?: never;
        };
        /**
         * List deliveries
         * @description The deliveries of the webhook, newest first, in pages, for as long as their events are kept.
         *     `HEAD` answers the same without a body.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
                /**
                 * @description The id of a delivery. A malformed one is answered 404, like one that is unknown.
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
         * @description Sends the event again now, whatever became of the delivery. A webhook that is off, and an event
         *     that is not kept any more, is answered 409.
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
         * @description The settings of the admin token's store, as its operator made them, with the limits that are in
         *     force. None of them is a secret. `HEAD` answers the same without a body.
         */
        get: operations["getStore"];
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
         * @description The store's admin tokens, newest first, in pages: what each is for and when it was last used,
         *     never the token itself. `HEAD` answers the same without a body.
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
                 * @description The id of an admin token. A malformed one is answered 404, like one that is unknown.
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
         * @description From 5 seconds later no process takes the token any more; again, it is the same. The token that
         *     asks is answered 409.
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
         * @description The products of the store without their variants, in pages: the one that was put for the
         *     first time most recently comes first. `query` narrows them. It needs an admin token, without
         *     `Profile`. `HEAD` answers the same without a body.
         */
        get: operations["listProducts"];
        /**
         * Set several products
         * @description The same as `PUT /products/{productId}` for each of 1 to 250 products: for all of them or,
         *     on an error, for none. A product that is named twice is answered 400. It needs an admin
         *     token, without `Profile`.
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
                 * @description The store's id of a product, in the form of the store: with another one the answer is 400.
                 * @example 632910392
                 */
                productId: components["parameters"]["ProductId"];
            };
            cookie?: never;
        };
        /**
         * Find a product
         * @description What is known of the product, and of its variants. It needs an admin token, without
         *     `Profile`. `HEAD` answers the same without a body.
         */
        get: operations["getProduct"];
        /**
         * Set a product
         * @description Says all that is known of a product: what the body does not name, or names with null, is
         *     unknown from then on. What it says of price and availability holds for each variant that
         *     does not say it itself. It needs an admin token, without `Profile`.
         *
         *     In a store that tells events, each profile that wishes for the product gets the event
         *     `item.price_dropped` when the price has dropped by the store's percentage, and
         *     `item.back_in_stock` when `available` goes from false to true: at most one of a kind for an
         *     item in 24 hours. With a wish for a variant it hears of that variant, with one for the
         *     product of any.
         */
        put: operations["putProduct"];
        post?: never;
        /**
         * Delete a product
         * @description Forgets what is known of the product, and what is not told yet of it. Wishes for it stay. It
         *     needs an admin token, without `Profile`.
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
         * @description The products that are most wished for, the largest `sort` first, in pages; with `by=variant` a
         *     row for each variant. Numbers are those of the last count (`asOf`); a walk may see a product twice
         *     or not at all while counts change. `format=csv` is all of it as a spreadsheet. `HEAD` answers
         *     the same without a body.
         */
        get: operations["productReport"];
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
         * @description How many wishes there are, whose, and how many came and went. `format=csv` is the same as a
         *     spreadsheet. `HEAD` answers the same without a body.
         */
        get: operations["summaryReport"];
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
         * @description A row for each day: the wishes at its end, and how many came and went; of all products, or of
         *     `product`. Days before the first count are left out. `format=csv` is the same as a spreadsheet.
         *     `HEAD` answers the same without a body.
         */
        get: operations["daysReport"];
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
         * @description Who wishes for a product now, or for it in one variant, newest first, in pages. Nobody has
         *     confirmed the e-mail address. `format=csv` is all of it as a spreadsheet. `HEAD` answers the
         *     same without a body.
         */
        get: operations["wishersReport"];
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
         * @description About how many wish for each product, to be shown to anybody: the largest of 10, 25, 50, 100, 250,
         *     500, 1,000 and so on that the last count reaches, or 0. A browser may keep it for an hour. 404
         *     until the store has `--show-wishes on`. `HEAD` answers the same without a body.
         */
        get: operations["shownWishes"];
        put?: never;
        post?: never;
        delete?: never;
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
         * @description What the store's platform has asked for, newest first, in pages. A request that is done keeps
         *     its topic, its times, the SHA-256 of its body and how it ended. `HEAD` answers the same without
         *     a body.
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
                 * @description The id of a request. A malformed one is answered 404, like one that is unknown.
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
         * Call a deletion off
         * @description Calls off a `shop/redact` that waits, within 7 days of its coming, so that the store is not
         *     deleted; again, it is the same. Another request is answered 409.
         */
        delete: operations["callOffRequest"];
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
                 * @description The id of a request. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
                 */
                requestId: components["parameters"]["RequestId"];
            };
            cookie?: never;
        };
        /**
         * Export what was asked for
         * @description What was stored of the customer when a `customers/data_request` was done, as `GET
         *     /profile/export` has it. It is kept for 30 days, unless the customer is erased. `HEAD` answers
         *     the same without a body.
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
         * Receive a platform's request
         * @description For the platform alone: its mandatory webhooks `customers/data_request`, `customers/redact` and
         *     `shop/redact`. It needs no token: the body is signed with a platform secret of the store whose
         *     shop it names in `shop_domain`. Whatever is not proven is answered 401, always in the same
         *     words. The topic is one that the body has the fields of; its other fields pass. The same
         *     delivery again does nothing, nor does the same body within 48 hours.
         */
        post: operations["takePlatformWebhook"];
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
         * @description This document as JSON, in OpenAPI 3.1. It needs no token. `HEAD` answers the same without a
         *     body.
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
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A product or variant that a profile saved. */
        Item: {
            id: components["schemas"]["Id"];
            productId: components["schemas"]["ProductId"];
            /** @description Left out when there is none. */
            variantId?: components["schemas"]["ProductId"];
            quantity: components["schemas"]["Quantity"];
            /** @description At most 20, but linking may merge the tags of two items. */
            tags: components["schemas"]["Tag"][];
            /** @description Left out when there is none. */
            note?: components["schemas"]["Note"];
            /** @description The lists that the item is on. */
            listIds: components["schemas"]["Id"][];
            createdAt: components["schemas"]["Time"];
            updatedAt: components["schemas"]["Time"];
            /** @description The owner; only for an admin token without `Profile`. */
            profile?: components["schemas"]["ProfileGid"];
            product?: components["schemas"]["ItemProduct"];
        };
        /**
         * @description What is known of an item's product, only with `include=product`. Address, image, price
         *     and availability are the variant's own where it has them. What is left out is not known.
         */
        ItemProduct: {
            title?: components["schemas"]["Title"];
            variantTitle?: components["schemas"]["Title"];
            url?: components["schemas"]["Url"];
            image?: components["schemas"]["Url"];
            price?: components["schemas"]["Price"];
            available?: boolean;
        };
        /** @description A named collection of items. */
        List: {
            id: components["schemas"]["Id"];
            name: components["schemas"]["ListName"];
            /** @description How many items are on the list. */
            itemCount: number;
            createdAt: components["schemas"]["Time"];
            updatedAt: components["schemas"]["Time"];
            /** @description The owner; only for an admin token without `Profile`. */
            profile?: components["schemas"]["ProfileGid"];
        };
        /** @description A list and all of its items. */
        ListWithItems: {
            id: components["schemas"]["Id"];
            name: components["schemas"]["ListName"];
            /** @description How many items are on the list. */
            itemCount: number;
            createdAt: components["schemas"]["Time"];
            updatedAt: components["schemas"]["Time"];
            /** @description Whole items, in the order that was asked for. */
            items: components["schemas"]["Item"][];
            /** @description The owner; only for an admin token without `Profile`. */
            profile?: components["schemas"]["ProfileGid"];
        };
        /** @description A link that shows a list to whoever has it. */
        Share: {
            id: components["schemas"]["Id"];
            /** @description What leads to the list, at `/shared/{token}`. */
            token: string;
            listId: components["schemas"]["Id"];
            reservations: components["schemas"]["HasReservations"];
            notes: components["schemas"]["ShowsNotes"];
            createdAt: components["schemas"]["Time"];
            /** @description From when on it is no longer good; left out when it is for ever. */
            expiresAt?: components["schemas"]["Time"];
            /** @description The owner; only for an admin token without `Profile`. */
            profile?: components["schemas"]["ProfileGid"];
        };
        /** @description A customer or a visitor's session, and how much it has. */
        Profile: {
            profile: components["schemas"]["ProfileGid"];
            /** @enum {string} */
            kind: "customer" | "session";
            /** @description How many items it has. */
            items: number;
            /** @description How many lists it has. */
            lists: number;
            notices: components["schemas"]["MakesNotices"];
            /** @description Left out for a customer of whom nothing is stored. */
            createdAt?: components["schemas"]["Time"];
            /** @description What somebody typed, and nobody has confirmed; only for an admin token. */
            email?: components["schemas"]["EmailAddress"];
        };
        /** @description Whether notices of lower prices and of returns are made for its items. */
        MakesNotices: boolean;
        /** @description All that is stored of a profile. */
        ProfileExport: {
            profile: components["schemas"]["Profile"];
            lists: components["schemas"]["ExportedList"][];
            items: components["schemas"]["Item"][];
            shares: components["schemas"]["Share"][];
            reservations: components["schemas"]["ExportedReservation"][];
            events: components["schemas"]["Event"][];
        };
        /** @description A list, and what is on it in the customer's order. */
        ExportedList: {
            id: components["schemas"]["Id"];
            name: components["schemas"]["ListName"];
            itemCount: number;
            createdAt: components["schemas"]["Time"];
            updatedAt: components["schemas"]["Time"];
            itemIds: components["schemas"]["Id"][];
        };
        /** @description What the profile has reserved of somebody's item. */
        ExportedReservation: {
            productId: components["schemas"]["ProductId"];
            variantId?: components["schemas"]["ProductId"];
            quantity: components["schemas"]["Quantity"];
            createdAt: components["schemas"]["Time"];
        };
        /** @description A list, as anybody with its link sees it. Nothing else of its owner is shown. */
        SharedList: {
            name: components["schemas"]["ListName"];
            /** @description All items of the list, in the owner's order. */
            items: components["schemas"]["SharedItem"][];
            updatedAt: components["schemas"]["Time"];
            reservations: components["schemas"]["HasReservations"];
        };
        /** @description An item of a shared list. */
        SharedItem: {
            id: components["schemas"]["Id"];
            productId: components["schemas"]["ProductId"];
            /** @description Left out when there is none. */
            variantId?: components["schemas"]["ProductId"];
            quantity: components["schemas"]["Quantity"];
            /** @description Left out when there is none, and where the share shows none. */
            note?: components["schemas"]["Note"];
            /**
             * @description How many are reserved by anybody, which may be more than `quantity` once that was lowered. Only
             *     where the share has reservations, and never for the owner.
             */
            reserved?: number;
            /** @description How many of them the caller has reserved. Only with a profile token. */
            yours?: number;
            product?: components["schemas"]["ItemProduct"];
        };
        /** @description Something that happened to a profile, as it was told then. */
        Event: {
            id: components["schemas"]["Id"];
            type: components["schemas"]["EventType"];
            timestamp: components["schemas"]["Time"];
            profile: components["schemas"]["ProfileGid"];
            /** @description Counts the events of the profile, without a gap, in the order they happened. */
            sequence: number;
            data: components["schemas"]["EventData"];
        };
        /** @description What happened. An item or list is as it is after it, and for a deletion as it last was. */
        EventData: {
            item?: components["schemas"]["Item"];
            list?: components["schemas"]["List"];
            /** @description Of an update, the fields that have changed, but for `updatedAt`. */
            changed?: string[];
            /**
             * @description Of a list that is new or has a new order, the items that have a place on it, in order.
             *     The others follow, most recently saved first.
             */
            itemIds?: components["schemas"]["Id"][];
            /** @description Of a link, the session that is closed now. */
            session?: components["schemas"]["ProfileGid"];
            /** @description Of a link, the customer who has signed in. */
            customer?: components["schemas"]["ProfileGid"];
            /** @description Of a link, how many the session had. */
            items?: number;
            /** @description Of a link, how many the session had. */
            lists?: number;
            /** @description Of a link, how many of the items were left behind. */
            left?: number;
            /** @description Of a notice, the variant that it is about; left out for the product itself. */
            variantId?: components["schemas"]["ProductId"];
            /** @description Of a notice, what is known of the product. */
            product?: {
                title?: components["schemas"]["Title"];
                url?: components["schemas"]["Url"];
                image?: components["schemas"]["Url"];
            };
            /** @description Of a drop, the price that it is compared with. */
            previousPrice?: components["schemas"]["Price"];
            /** @description Of a notice, the price. */
            price?: components["schemas"]["Price"];
        };
        /** @description An address that events are sent to. */
        Webhook: {
            id: components["schemas"]["Id"];
            url: components["schemas"]["WebhookUrl"];
            types: components["schemas"]["EventTypes"];
            /** @description Whether events are sent. */
            enabled: boolean;
            createdAt: components["schemas"]["Time"];
            updatedAt: components["schemas"]["Time"];
            /** @description Since when no attempt has succeeded; left out when the last one has. */
            failingSince?: components["schemas"]["Time"];
            /** @description What signs; only from its creation and its renewal. */
            secret?: string;
        };
        /** @description The sending of one event to one webhook. */
        Delivery: {
            id: components["schemas"]["Id"];
            /** @description The id of the event, which is sent as `webhook-id`. */
            eventId: components["schemas"]["Id"];
            /** @description The type of the event, or `webhook.test`. */
            type: string;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            /** @description How often it was tried. */
            attempts: number;
            /** @description The status of the last answer; left out when there was none. */
            lastStatus?: number;
            lastAttemptAt?: components["schemas"]["Time"];
            /** @description Only of one that is pending. */
            nextAttemptAt?: components["schemas"]["Time"];
        };
        /** @description What the platform has asked for, and how it ended. */
        PlatformRequest: {
            id: components["schemas"]["Id"];
            /** @enum {string} */
            topic: "customers/data_request" | "customers/redact" | "shop/redact";
            /**
             * @description `waiting`, or how it ended: `exported`, `erased`, `called_off`, or `nothing` where the
             *     body names no customer by an id. `deleting` is seen for the last seconds of a store.
             * @enum {string}
             */
            state: "waiting" | "exported" | "erased" | "nothing" | "called_off" | "deleting";
            receivedAt: components["schemas"]["Time"];
            /** @description The SHA-256 of the body, in hex. */
            bodyHash: string;
            /** @description The `X-Shopify-Webhook-Id` of the delivery. */
            deliveryId: string;
            /** @description When it is done at the earliest; only while it waits. */
            dueAt?: components["schemas"]["Time"];
            /** @description When it was done, or called off. */
            doneAt?: components["schemas"]["Time"];
            /** @description The customer; only while it waits. */
            profile?: components["schemas"]["ProfileGid"];
            /** @description Until when the export is kept; only while it is. */
            expiresAt?: components["schemas"]["Time"];
        };
        /** @description A store and its settings, as `wishwell store` makes them. */
        StoreSettings: {
            id: components["schemas"]["Id"];
            handle: string;
            /** @description The platform in the GIDs of its customers. */
            platform: string;
            /** @enum {string} */
            productIds: "integer" | "text";
            /** @description The path of its sign-in page. */
            authFlow: string;
            /** @description The origins of the shop. */
            hosts: string[];
            naming: components["schemas"]["StoreNaming"];
            /** @description Those that may call the API. */
            origins: string[];
            /**
             * @description What is in force: requests a minute by kind of token and operation, and how much a profile
             *     may hold.
             */
            limits: {
                profile_read: number;
                profile_write: number;
                profile_token: number;
                admin_read: number;
                admin_write: number;
                admin_token: number;
                items: number;
                lists: number;
                entries: number;
                list_items: number;
            };
            priceDropPercent: number;
            /** @description From when its events are complete; null while it tells none. */
            eventsSince: components["schemas"]["Time"] | null;
            createdAt: components["schemas"]["Time"];
            /** @description After how many months without a request a customer is erased; null is never. */
            forgetCustomersAfter?: number | null;
            /** @description Since when that is so. */
            forgetSince?: components["schemas"]["Time"] | null;
            pages?: components["schemas"]["StorePages"];
            reporting?: components["schemas"]["StoreReporting"];
        };
        /** @description How the shop names its signed-in customers. What is not set is left out. */
        StoreNaming: {
            jwtCookie?: string;
            jwtHeader?: string;
            jwtIssuer?: string;
            jwtAudience?: string;
            jwtClaim?: string;
            /** @description A URL, or the public keys. */
            jwtKeySet?: string;
            platformShop?: string;
        };
        /** @description A product's page, and pages in place of the storefront's, as far as they are set. */
        StorePages: {
            productUrl?: string;
            wishlistPage?: string;
            sharedPage?: string;
        };
        /** @description How the store's reports are made, as far as it is set. */
        StoreReporting: {
            /** @description Where its days begin. Without it they are those of UTC. */
            timeZone?: string;
            /** @description Whether anybody may ask about how many wish for a product. */
            showWishes?: boolean;
        };
        /** @description An admin token, without the token itself. */
        AdminToken: {
            id: components["schemas"]["Id"];
            /** @description The handle of its store. */
            store: string;
            /**
             * @description What it is for.
             * @enum {string}
             */
            scope: "admin" | "storefront" | "naming" | "reports";
            label: string;
            createdAt: components["schemas"]["Time"];
            expiresAt?: components["schemas"]["Time"] | null;
            lastUsedAt?: components["schemas"]["Time"] | null;
            revokedAt?: components["schemas"]["Time"] | null;
            /** @description Only of the one that asks. */
            current?: boolean;
        };
        /** @description What is known of a product. What is left out is not known. */
        Product: {
            productId: components["schemas"]["ProductId"];
            title?: components["schemas"]["Title"];
            url?: components["schemas"]["Url"];
            image?: components["schemas"]["Url"];
            price?: components["schemas"]["Price"];
            available?: boolean;
            /** @description As they were put; only for a single product. */
            variants?: components["schemas"]["Variant"][];
            /** @description When it was put for the first time. */
            createdAt: components["schemas"]["Time"];
            /** @description When it was put last. */
            updatedAt: components["schemas"]["Time"];
        };
        /** @description What is known of a variant alone. For what is left out, the product's holds. */
        Variant: {
            variantId: components["schemas"]["ProductId"];
            title?: components["schemas"]["Title"];
            image?: components["schemas"]["Url"];
            price?: components["schemas"]["Price"];
            available?: boolean;
            url?: components["schemas"]["Url"];
        };
        /** @description The pages beside this one. */
        PageInfo: {
            /** @description The cursor of the next page; left out when there is none. */
            next?: components["schemas"]["Cursor"];
            /** @description The cursor of the previous page; left out when there is none. */
            previous?: components["schemas"]["Cursor"];
        };
        /** @description The body of every answer that is not 2xx. */
        Error: {
            error: {
                /** @description What is wrong, for a human reader. */
                message: string;
                /** @description The name of the status. */
                error: string;
                /** @description The status. */
                statusCode: number;
                requestId: components["schemas"]["RequestId"];
            };
        };
        ItemResponse: {
            data: components["schemas"]["Item"];
        };
        ItemsResponse: {
            data: components["schemas"]["Item"][];
        };
        ItemPage: {
            data: components["schemas"]["Item"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        ListResponse: {
            data: components["schemas"]["List"];
        };
        ListWithItemsResponse: {
            data: components["schemas"]["ListWithItems"];
        };
        ListPage: {
            data: components["schemas"]["List"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        ShareResponse: {
            data: components["schemas"]["Share"];
        };
        SharePage: {
            data: components["schemas"]["Share"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        ProfileResponse: {
            data: components["schemas"]["Profile"];
        };
        ProfilePage: {
            data: components["schemas"]["Profile"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        ProfileExportResponse: {
            data: components["schemas"]["ProfileExport"];
        };
        SharedItemResponse: {
            data: components["schemas"]["SharedItem"];
        };
        SharedListResponse: {
            data: components["schemas"]["SharedList"];
        };
        Feed: {
            data: components["schemas"]["Event"][];
            resume: components["schemas"]["Resume"];
        };
        WebhookResponse: {
            data: components["schemas"]["Webhook"];
        };
        WebhookPage: {
            data: components["schemas"]["Webhook"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        DeliveryResponse: {
            data: components["schemas"]["Delivery"];
        };
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        /** @description A day, such as 2025-04-18. */
        Day: string;
        /** @description When the last count began; null before the first one. */
        AsOf: components["schemas"]["Time"] | null;
        /** @description The first day that was counted; null before the first count. */
        Since: components["schemas"]["Day"] | null;
        /** @description A product, or one of its variants, and how many wish for it. */
        ProductWishes: {
            productId: components["schemas"]["ProductId"];
            variantId?: components["schemas"]["ProductId"];
            title?: components["schemas"]["Title"];
            variantTitle?: components["schemas"]["Title"];
            image?: components["schemas"]["Url"];
            wishes: number;
            customers: number;
            visitors: number;
            added: number;
            removed: number;
        };
        ProductReport: {
            data: components["schemas"]["ProductWishes"][];
            pageInfo?: components["schemas"]["PageInfo"];
            asOf: components["schemas"]["AsOf"];
            since: components["schemas"]["Since"];
        };
        /** @description The wishes of all products, and the profiles that have one. */
        WishSummary: {
            wishes: number;
            customers: number;
            visitors: number;
            /** @description How many customers and visitors have a wish. */
            profiles: {
                customers: number;
                visitors: number;
            };
            lists: number;
            added: number;
            removed: number;
        };
        SummaryReport: {
            data: components["schemas"]["WishSummary"];
            asOf: components["schemas"]["AsOf"];
            since: components["schemas"]["Since"];
        };
        /** @description The wishes at the end of a day, and how many came and went. */
        WishDay: {
            day: components["schemas"]["Day"];
            wishes: number;
            added: number;
            removed: number;
        };
        DaysReport: {
            data: components["schemas"]["WishDay"][];
            asOf: components["schemas"]["AsOf"];
            since: components["schemas"]["Since"];
        };
        /** @description A wish for the product, and whose it is. */
        Wisher: {
            profile: components["schemas"]["ProfileGid"];
            emailUnconfirmed?: components["schemas"]["EmailAddress"];
            /** @description Whether they want to hear of lower prices and of products that are back. */
            notices: boolean;
            variantId?: components["schemas"]["ProductId"];
            quantity: components["schemas"]["Quantity"];
            savedAt: components["schemas"]["Time"];
        };
        WisherPage: {
            data: components["schemas"]["Wisher"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        /** @description About how many wish for a product. */
        ShownCount: {
            productId: components["schemas"]["ProductId"];
            wishes: number;
        };
        ShownWishes: {
            data: components["schemas"]["ShownCount"][];
        };
        PlatformRequestPage: {
            data: components["schemas"]["PlatformRequest"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        StoreSettingsResponse: {
            data: components["schemas"]["StoreSettings"];
        };
        AdminTokenPage: {
            data: components["schemas"]["AdminToken"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        ProductResponse: {
            data: components["schemas"]["Product"];
        };
        ProductPage: {
            data: components["schemas"]["Product"][];
            pageInfo?: components["schemas"]["PageInfo"];
        };
        IdentifyResult: {
            data: {
                /** @description A path of the store's sign-in flow for this address. */
                authFlow: string;
            };
        };
        TokenResult: {
            /** @description A token, valid for a day, and the profile that it is for. */
            data: {
                /** @description The access token, a JWT. It expires a day after its creation. */
                token: string;
                /** @description The customer or session that the token is for. */
                profile: components["schemas"]["ProfileGid"];
            };
        };
        /** @description An item to save. */
        NewItem: {
            productId: components["schemas"]["ProductId"];
            /** @description null means no variant. */
            variantId?: components["schemas"]["ProductId"] | null;
            /** @description Without it, a new item has 1. */
            quantity?: components["schemas"]["Quantity"];
            tags?: components["schemas"]["Tags"];
            note?: components["schemas"]["NewNote"];
            /** @description Lists of the same profile to put the item on. */
            listIds?: components["schemas"]["ListIds"];
        };
        NewItems: {
            /** @description Each product and variant once. */
            items: components["schemas"]["NewItem"][];
        };
        ItemPatch: {
            productId?: components["schemas"]["ProductId"];
            /** @description null clears it. */
            variantId?: components["schemas"]["ProductId"] | null;
            quantity?: components["schemas"]["Quantity"];
            tags?: components["schemas"]["Tags"];
            note?: components["schemas"]["NewNote"];
        };
        ItemLists: {
            /** @description Exactly the lists that the item is on from now on. */
            listIds: components["schemas"]["ListIds"];
        };
        ItemIds: {
            /** @description The items to delete. */
            itemIds: string[];
        };
        NewList: {
            name: components["schemas"]["NewListName"];
        };
        ListPatch: {
            name?: components["schemas"]["NewListName"];
        };
        ItemOrder: {
            /** @description Items of the list in the wanted order; it need not name all. */
            itemIds: string[];
        };
        ItemPlace: {
            /** @description Another item of the list, behind which this one is placed; null is first. */
            after?: string | null;
        };
        ShareTerms: {
            /**
             * Format: date-time
             * @description From when on the share is no longer good: an RFC 3339 time with its offset, in the future.
             *     null is for ever.
             */
            expiresAt?: string | null;
            reservations?: components["schemas"]["HasReservations"];
            notes?: components["schemas"]["ShowsNotes"];
        };
        Reservation: {
            quantity: components["schemas"]["Quantity"];
        };
        CopyTerms: {
            name?: components["schemas"]["NewListName"];
        };
        /**
         * @description An e-mail address, unquoted: up to 64 characters before the @, a domain name or host
         *     name after it, no spaces and no control characters.
         */
        EmailAddress: string;
        ProfilePatch: {
            notices?: components["schemas"]["MakesNotices"];
        };
        Identify: {
            email: components["schemas"]["EmailAddress"];
        };
        NewProduct: {
            title?: components["schemas"]["NewTitle"];
            url?: components["schemas"]["NewUrl"];
            image?: components["schemas"]["NewUrl"];
            price?: components["schemas"]["NewPrice"];
            available?: components["schemas"]["NewAvailable"];
            variants?: components["schemas"]["NewVariant"][] | null;
        };
        /** @description All that is known of a product. What is left out is not known. */
        NamedProduct: {
            productId: components["schemas"]["ProductId"];
            title?: components["schemas"]["NewTitle"];
            url?: components["schemas"]["NewUrl"];
            image?: components["schemas"]["NewUrl"];
            price?: components["schemas"]["NewPrice"];
            available?: components["schemas"]["NewAvailable"];
            variants?: components["schemas"]["NewVariant"][] | null;
        };
        Products: {
            /** @description Each product once. */
            products: components["schemas"]["NamedProduct"][];
        };
        /** @description One variant of the product; each once. */
        NewVariant: {
            variantId: components["schemas"]["ProductId"];
            title?: components["schemas"]["NewTitle"];
            image?: components["schemas"]["NewUrl"];
            price?: components["schemas"]["NewPrice"];
            available?: components["schemas"]["NewAvailable"];
            url?: components["schemas"]["NewUrl"];
        };
        TokenRequest: {
            /**
             * @description The GID of the customer that the token is for, on the platform of the store; another
             *     platform is answered 400.
             */
            customer?: string;
            /**
             * @description The GID of a session: alone, the session that the token is for; with `customer`, the
             *     session to link to the customer. One that does not exist is answered 404.
             */
            session?: string;
        };
        NewWebhook: {
            url: components["schemas"]["NewWebhookUrl"];
            types?: components["schemas"]["EventTypes"];
        };
        WebhookPatch: {
            url?: components["schemas"]["NewWebhookUrl"];
            types?: components["schemas"]["EventTypes"];
            /** @description Whether events are sent. */
            enabled?: boolean;
        };
        Replay: {
            /**
             * Format: date-time
             * @description An RFC 3339 time, with its offset.
             */
            since: string;
        };
        /** @description Whether who sees the list may reserve what is on it. */
        HasReservations: boolean;
        /** @description Whether the notes of the items are shown. */
        ShowsNotes: boolean;
        /** @description Where events are sent. */
        WebhookUrl: string;
        /**
         * @description Where events are sent: `https`, the port 443 or 8443, a public address; no user name, no
         *     password and no `#`. A service may be set to take `http`, other ports and private addresses
         *     too, for development.
         */
        NewWebhookUrl: string;
        /** @description Which events are sent; with none named, all. */
        EventTypes: ("item.created" | "item.updated" | "item.deleted" | "list.created" | "list.updated" | "list.deleted" | "profile.linked" | "profile.erased" | "item.price_dropped" | "item.back_in_stock")[];
        /** @description An opaque id. */
        Id: string;
        /** @description The id of the request, the same as `X-Request-Id`. */
        RequestId: string;
        /**
         * @description The store's id of a product or variant: an integer, or in a store with text ids a string of
         *     1 to 100 characters `A-Z a-z 0-9 . _ : ~ = -` that begins with a letter or digit.
         * @example 632910392
         * @example prod_01
         */
        ProductId: number | string;
        Quantity: number;
        Tag: string;
        Tags: components["schemas"]["Tag"][];
        /** @description A text of the profile's own, newlines allowed, without other control characters. */
        Note: string;
        /** @description A null or an empty text clears it. */
        NewNote: components["schemas"]["Note"] | null;
        ListIds: string[];
        /** @description 1 to 255 characters, without control characters, trimmed. */
        ListName: string;
        /**
         * @description 1 to 255 characters after trimming, without control characters. White space around it is
         *     removed.
         */
        NewListName: string;
        /** @enum {string} */
        EventType: "item.created" | "item.updated" | "item.deleted" | "list.created" | "list.updated" | "list.deleted" | "profile.linked" | "profile.erased" | "item.price_dropped" | "item.back_in_stock";
        /** @description A place in the feed, from where it goes on. */
        Resume: string;
        /** @description 1 to 255 characters, none a control one. */
        Title: string;
        /** @description An http or https URL in printable ASCII characters. */
        Url: string;
        /** @description A price. */
        Price: {
            /** @description Decimal text, with up to 4 digits after the point. */
            amount: string;
            /** @description The currency's three letters. */
            currency: string;
        };
        /** @description null is the same as leaving it out. */
        NewTitle: components["schemas"]["Title"] | null;
        /** @description null is the same as leaving it out. */
        NewUrl: components["schemas"]["Url"] | null;
        /** @description null is the same as leaving it out. */
        NewPrice: components["schemas"]["Price"] | null;
        /** @description null is the same as leaving it out. */
        NewAvailable: boolean | null;
        /** @description An opaque place in a walk. */
        Cursor: string;
        /** @description The GID of a customer or session. */
        ProfileGid: string;
        /**
         * Format: date-time
         * @description RFC 3339, in UTC, with milliseconds.
         */
        Time: string;
    };
    responses: {
        /**
         * @description The request breaks a rule; the message names the parameter, header or field, and the rule.
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
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description There is no token, or one that is malformed, expired, revoked, of a closed session, or of
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
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The token is valid, but may not do this: a customer or session token was sent with
         *     `Profile`, or to an operation that needs an admin token; or the operation is about the whole
         *     store, and an admin token was sent with `Profile`; or an item of a shared list can't be reserved,
         *     as the list is the caller's own or has no reservations.
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
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description There is no such item, list, share, product or session for this caller, the link to a shared list is
         *     wrong or no longer good, or the store has no sign-in path. Nothing was done.
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
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The path does not support the method. This is the answer to every method that is not
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
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The headers or the body did not arrive in time. Nothing was done, and the connection is
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
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description Another item of the profile has this product and variant; or fewer of an item are left than
         *     would be reserved; or the store, the service or the webhook is in a state in which this can't be
         *     done, as the message says; or an admin token would revoke itself. Nothing was changed.
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
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description Events that came after `from` are no longer kept, or the store has not given it. Read the
         *     records of the store anew, then read the feed without `from`.
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
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than 256 KiB. Nothing was done. */
        ContentTooLarge: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The body was sent without `Content-Type: application/json`, or with a charset other than
         *     UTF-8. Nothing was done.
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
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A rate limit is used up. Nothing was done; try again after `Retry-After` seconds. */
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
                "application/json": components["schemas"]["Error"];
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
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An error in the service. The log has the details. */
        InternalServerError: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The database can't be reached or is too slow, there are too many requests at once, or the
         *     service is shutting down. Try again after `Retry-After` seconds. Nothing was done, unless
         *     the message says that it is not known.
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
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description The id of an item. A malformed one is answered 404, like one that is unknown.
         * @example 01964a1b-0739-7128-a24b-e40ad23f0824
         */
        ItemId: string;
        /**
         * @description The id of a list. A malformed one is answered 404, like one that is unknown.
         * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
         */
        ListId: string;
        /**
         * @description The id of a share. A malformed one is answered 404, like one that is unknown.
         * @example 0196e2b7-5f0c-7a41-9d3e-2b1c4f6a8d90
         */
        ShareId: string;
        /**
         * @description The `token` of a share. Who has it may see the list, so treat it as a secret.
         * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
         */
        ShareToken: string;
        /**
         * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
         * @example 01964a1b-0739-7128-a24b-e40ad23f0824
         */
        WebhookId: string;
        /**
         * @description The id of a delivery. A malformed one is answered 404, like one that is unknown.
         * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
         */
        DeliveryId: string;
        /**
         * @description The id of a request. A malformed one is answered 404, like one that is unknown.
         * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
         */
        RequestId: string;
        /**
         * @description The id of an admin token. A malformed one is answered 404, like one that is unknown.
         * @example 01964a1b-0739-7128-a24b-e40ad23f0824
         */
        TokenId: string;
        /**
         * @description The store's id of a product, in the form of the store: with another one the answer is 400.
         * @example 632910392
         */
        ProductId: components["schemas"]["ProductId"];
        /**
         * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
         *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
         *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
         *     answered 400, an unknown session 404.
         * @example gid://shopify/Customer/7096539482
         */
        Profile: components["schemas"]["ProfileGid"];
        /**
         * @description The address, in any case.
         * @example ann@example.com
         */
        Email: components["schemas"]["EmailAddress"];
        /**
         * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
         *     the profile and to `query`: with others, or when it was changed, the answer is 400.
         * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
         */
        Page: components["schemas"]["Cursor"];
        /**
         * @description The number of records of a page, 1 to 250, by default 50.
         * @example 20
         */
        Limit: number;
        /**
         * @description The `resume` of an earlier answer. Without it, the feed begins with the oldest event that is
         *     kept. If events that came after it are no longer kept, the answer is 410.
         * @example 4711
         */
        From: components["schemas"]["Resume"];
        /**
         * @description The first day, in the time zone of the store; without it, 29 days before `to`.
         * @example 2025-04-01
         */
        FromDay: components["schemas"]["Day"];
        /**
         * @description The last day, at most 365 after `from`; without it, that of the last count or today, the later one.
         * @example 2025-04-18
         */
        ToDay: components["schemas"]["Day"];
        /**
         * @description What the order goes by.
         * @example added
         */
        SortBy: "wishes" | "added" | "removed";
        /**
         * @description What has a row of its own.
         * @example variant
         */
        By: "product" | "variant";
        /**
         * @description A part of the products' titles, without regard to case. Such a report may read all of the store's products.
         * @example shirt
         */
        TitlePart: string;
        /**
         * @description A spreadsheet is all of the report, without pages.
         * @example csv
         */
        Format: "json" | "csv";
        /**
         * @description The product; without it, all.
         * @example 632910392
         */
        OfProduct: components["schemas"]["ProductId"];
        /**
         * @description The product.
         * @example 632910392
         */
        TheProduct: components["schemas"]["ProductId"];
        /**
         * @description The variant; without it, any.
         * @example 808950810
         */
        OfVariant: components["schemas"]["ProductId"];
        /**
         * @description 1 to 250 products, with commas between them.
         * @example 632910392,7
         */
        Products: string;
        /**
         * @description The types of event to read, with commas between them; without it, all.
         * @example item.created,item.deleted
         */
        Type: string;
        /**
         * @description A search expression: 1 to 8 terms, separated by spaces. An item must match all of them. A
         *     term is `<field>:<value>`, with up to 250 values separated by commas. An item must match one
         *     of them.
         *
         *     | Field | Value |
         *     |---|---|
         *     | `product` | a `productId`; an integer without leading zeros |
         *     | `variant` | a `variantId`: the same |
         *     | `tag` | a tag |
         *     | `list` | the id of a list that the item is on |
         *
         *     A term's field ends at its first colon: a product id that is text may have more of them. In
         *     a store whose product ids are integers, text is answered 400.
         * @example product:632910392,788032119 tag:gift
         */
        Query: string;
        /**
         * @description A search expression: 1 to 8 terms `title:<text>`, separated by spaces. The title of a product
         *     must have all of them, in any part, whatever the case of its letters. A term may be several
         *     texts of 1 to 100 characters, separated by commas: the title must have one of them.
         * @example title:shirt title:blue,green
         */
        ProductQuery: string;
        /**
         * @description With `product`, each item of whose product the store has said something carries it as
         *     `product`.
         * @example product
         */
        Include: "product";
        /**
         * @description The ids of 1 to 250 items, with commas between them.
         * @example 01964a1b-0739-7128-a24b-e40ad23f0824,01964a1b-f199-7181-a54c-66175d9dc9f8
         */
        ItemIds: string;
        /**
         * @description The order of the list's items: `recently_saved` and `oldest_saved` go by `createdAt`;
         *     `customer` is the order set with `PUT /lists/{listId}/items/order`, in which items that were
         *     never placed follow the placed ones, most recently saved first.
         * @example customer
         */
        Sort: "recently_saved" | "oldest_saved" | "customer";
    };
    requestBodies: never;
    headers: {
        /**
         * @description How many requests of this kind the caller may make in the current window.
         * @example 600
         */
        "X-RateLimit-Limit": number;
        /**
         * @description How many of them are left in the current window.
         * @example 597
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description When the window resets, in seconds since 1970, UTC.
         * @example 1745000040
         */
        "X-RateLimit-Reset": number;
        /**
         * @description The id of the request, by which the service's log knows it. A request that carries a UUID in
         *     its own `X-Request-Id` keeps that one.
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
         * @description The way to authenticate, RFC 6750.
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
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
                 *     the profile and to `query`: with others, or when it was changed, the answer is 400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description A search expression: 1 to 8 terms, separated by spaces. An item must match all of them. A
                 *     term is `<field>:<value>`, with up to 250 values separated by commas. An item must match one
                 *     of them.
                 *
                 *     | Field | Value |
                 *     |---|---|
                 *     | `product` | a `productId`; an integer without leading zeros |
                 *     | `variant` | a `variantId`: the same |
                 *     | `tag` | a tag |
                 *     | `list` | the id of a list that the item is on |
                 *
                 *     A term's field ends at its first colon: a product id that is text may have more of them. In
                 *     a store whose product ids are integers, text is answered 400.
                 * @example product:632910392,788032119 tag:gift
                 */
                query?: components["parameters"]["Query"];
                /**
                 * @description With `product`, each item of whose product the store has said something carries it as
                 *     `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of items; `pageInfo` is there only when there is another page. */
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewItems"];
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
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewItem"];
            };
        };
        responses: {
            /** @description The profile has this item already; the item as it is now. */
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
                 * @description The ids of 1 to 250 items, with commas between them.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824,01964a1b-f199-7181-a54c-66175d9dc9f8
                 */
                itemIds?: components["parameters"]["ItemIds"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
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
                 * @description With `product`, each item of whose product the store has said something carries it as
                 *     `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
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
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
                 *     the profile and to `query`: with others, or when it was changed, the answer is 400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of lists; `pageInfo` is there only when there is another page. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPage"];
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewList"];
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
                    "application/json": components["schemas"]["ListResponse"];
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
                 * @description The order of the list's items: `recently_saved` and `oldest_saved` go by `createdAt`;
                 *     `customer` is the order set with `PUT /lists/{listId}/items/order`, in which items that were
                 *     never placed follow the placed ones, most recently saved first.
                 * @example customer
                 */
                sort?: components["parameters"]["Sort"];
                /**
                 * @description With `product`, each item of whose product the store has said something carries it as
                 *     `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list and its items. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWithItemsResponse"];
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
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
                    "application/json": components["schemas"]["ListResponse"];
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
    orderListItems: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
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
                    "application/json": components["schemas"]["ListWithItemsResponse"];
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item is not on the list any more. */
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
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
                 *     the profile and to `query`: with others, or when it was changed, the answer is 400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of shares; `pageInfo` is there only when there is another page. */
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ShareTerms"];
            };
        };
        responses: {
            /** @description The list is shared. A share can't be read by itself, so there is no `Location`. */
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of a share. A malformed one is answered 404, like one that is unknown.
                 * @example 0196e2b7-5f0c-7a41-9d3e-2b1c4f6a8d90
                 */
                shareId: components["parameters"]["ShareId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The share has ended. */
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The id of a list. A malformed one is answered 404, like one that is unknown.
                 * @example 019649e4-18b9-7651-8317-1ff4a6a3a450
                 */
                listId: components["parameters"]["ListId"];
                /**
                 * @description The id of a share. A malformed one is answered 404, like one that is unknown.
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
    getSharedList: {
        parameters: {
            query?: {
                /**
                 * @description With `product`, each item of whose product the store has said something carries it as
                 *     `product`.
                 * @example product
                 */
                include?: components["parameters"]["Include"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The `token` of a share. Who has it may see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list, as anybody with its link sees it. */
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The `token` of a share. Who has it may see the list, so treat it as a secret.
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
                    "application/json": components["schemas"]["ListResponse"];
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The `token` of a share. Who has it may see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
                /**
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
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
            /** @description It is reserved. This is the item, as the shared list shows it to the caller. */
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path: {
                /**
                 * @description The `token` of a share. Who has it may see the list, so treat it as a secret.
                 * @example wwshr_6Hn2dQxT0vLkPz8RbYcM3e1a9XfW
                 */
                token: components["parameters"]["ShareToken"];
                /**
                 * @description The id of an item. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                itemId: components["parameters"]["ItemId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is not reserved any more. */
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile has ended. */
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
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
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
    exportProfile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All that is stored. */
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
                 * @description The address, in any case.
                 * @example ann@example.com
                 */
                email: components["parameters"]["Email"];
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
                 *     the profile and to `query`: with others, or when it was changed, the answer is 400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
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
            /** @description A page of profiles; `pageInfo` is there only when there is another page. */
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
    identifyProfile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
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
    createProfileToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
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
            /** @description The token has been created. It has no address, so there is no `Location`. */
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
                 * @description The `resume` of an earlier answer. Without it, the feed begins with the oldest event that is
                 *     kept. If events that came after it are no longer kept, the answer is 410.
                 * @example 4711
                 */
                from?: components["parameters"]["From"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description The types of event to read, with commas between them; without it, all.
                 * @example item.created,item.deleted
                 */
                type?: components["parameters"]["Type"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Some events, perhaps none, and from where to go on. */
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
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
                 *     the profile and to `query`: with others, or when it was changed, the answer is 400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
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
                "application/json": components["schemas"]["NewWebhook"];
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
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
            /** @description The webhook. The events follow. */
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
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
                 *     the profile and to `query`: with others, or when it was changed, the answer is 400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
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
                 * @description The id of a webhook. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                webhookId: components["parameters"]["WebhookId"];
                /**
                 * @description The id of a delivery. A malformed one is answered 404, like one that is unknown.
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
    listTokens: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
                 *     the profile and to `query`: with others, or when it was changed, the answer is 400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
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
                 * @description The id of an admin token. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-0739-7128-a24b-e40ad23f0824
                 */
                tokenId: components["parameters"]["TokenId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token is revoked. */
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
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
                 *     the profile and to `query`: with others, or when it was changed, the answer is 400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description A search expression: 1 to 8 terms `title:<text>`, separated by spaces. The title of a product
                 *     must have all of them, in any part, whatever the case of its letters. A term may be several
                 *     texts of 1 to 100 characters, separated by commas: the title must have one of them.
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
            /** @description A page of products; `pageInfo` is there only when there is another page. */
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
            /** @description What is known of them is stored. */
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
                 * @description The store's id of a product, in the form of the store: with another one the answer is 400.
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
                 * @description The store's id of a product, in the form of the store: with another one the answer is 400.
                 * @example 632910392
                 */
                productId: components["parameters"]["ProductId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProduct"];
            };
        };
        responses: {
            /** @description The product as it is now, whether or not it was known before. */
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
                 * @description The store's id of a product, in the form of the store: with another one the answer is 400.
                 * @example 632910392
                 */
                productId: components["parameters"]["ProductId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The product is forgotten. */
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
    productReport: {
        parameters: {
            query?: {
                /**
                 * @description The first day, in the time zone of the store; without it, 29 days before `to`.
                 * @example 2025-04-01
                 */
                from?: components["parameters"]["FromDay"];
                /**
                 * @description The last day, at most 365 after `from`; without it, that of the last count or today, the later one.
                 * @example 2025-04-18
                 */
                to?: components["parameters"]["ToDay"];
                /**
                 * @description What the order goes by.
                 * @example added
                 */
                sort?: components["parameters"]["SortBy"];
                /**
                 * @description What has a row of its own.
                 * @example variant
                 */
                by?: components["parameters"]["By"];
                /**
                 * @description A part of the products' titles, without regard to case. Such a report may read all of the store's products.
                 * @example shirt
                 */
                title?: components["parameters"]["TitlePart"];
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
                 *     the profile and to `query`: with others, or when it was changed, the answer is 400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description A spreadsheet is all of the report, without pages.
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
    summaryReport: {
        parameters: {
            query?: {
                /**
                 * @description The first day, in the time zone of the store; without it, 29 days before `to`.
                 * @example 2025-04-01
                 */
                from?: components["parameters"]["FromDay"];
                /**
                 * @description The last day, at most 365 after `from`; without it, that of the last count or today, the later one.
                 * @example 2025-04-18
                 */
                to?: components["parameters"]["ToDay"];
                /**
                 * @description A spreadsheet is all of the report, without pages.
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
            /** @description The numbers of all products. */
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
    daysReport: {
        parameters: {
            query?: {
                /**
                 * @description The first day, in the time zone of the store; without it, 29 days before `to`.
                 * @example 2025-04-01
                 */
                from?: components["parameters"]["FromDay"];
                /**
                 * @description The last day, at most 365 after `from`; without it, that of the last count or today, the later one.
                 * @example 2025-04-18
                 */
                to?: components["parameters"]["ToDay"];
                /**
                 * @description The product; without it, all.
                 * @example 632910392
                 */
                product?: components["parameters"]["OfProduct"];
                /**
                 * @description A spreadsheet is all of the report, without pages.
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
    wishersReport: {
        parameters: {
            query: {
                /**
                 * @description The product.
                 * @example 632910392
                 */
                product: components["parameters"]["TheProduct"];
                /**
                 * @description The variant; without it, any.
                 * @example 808950810
                 */
                variant?: components["parameters"]["OfVariant"];
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
                 *     the profile and to `query`: with others, or when it was changed, the answer is 400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description A spreadsheet is all of the report, without pages.
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
    shownWishes: {
        parameters: {
            query: {
                /**
                 * @description 1 to 250 products, with commas between them.
                 * @example 632910392,7
                 */
                products: components["parameters"]["Products"];
            };
            header?: {
                /**
                 * @description The GID of the customer or session to act on: `gid://<platform>/Customer/<customer_id>`,
                 *     with the platform of the store, or `gid://<service>/Session/<uuid>`, as
                 *     `POST /profiles/token` returns it. Only an admin token may send it. Another platform is
                 *     answered 400, an unknown session 404.
                 * @example gid://shopify/Customer/7096539482
                 */
                Profile?: components["parameters"]["Profile"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order in which they were named. */
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
    listRequests: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from `pageInfo.next` or `pageInfo.previous` of an earlier answer. It is bound to
                 *     the profile and to `query`: with others, or when it was changed, the answer is 400.
                 * @example AAGWShsHOXEookvkCtI_CCQ7pX0xZ1sVqB2nE9dR
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description The number of records of a page, 1 to 250, by default 50.
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
    callOffRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a request. A malformed one is answered 404, like one that is unknown.
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
                 * @description The id of a request. A malformed one is answered 404, like one that is unknown.
                 * @example 01964a1b-f199-7181-a54c-66175d9dc9f8
                 */
                requestId: components["parameters"]["RequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All that was stored of the customer. */
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
    takePlatformWebhook: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description HMAC-SHA256 of the body as it is sent, in base64.
                 * @example tWGtyXnETCuk43plF8AZ+Hj9XEkXbWrg+Y+6zSaEN4Y=
                 */
                "X-Shopify-Hmac-Sha256": string;
                /**
                 * @description The `shop_domain` of the body.
                 * @example wishes.myshopify.com
                 */
                "X-Shopify-Shop-Domain": string;
                /**
                 * @description The topic that the body has the fields of.
                 * @example customers/redact
                 */
                "X-Shopify-Topic": "customers/data_request" | "customers/redact" | "shop/redact";
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
                "application/json": {
                    /** @description The store's `--platform-shop`. */
                    shop_domain: string;
                    /** @description Not of `shop/redact`. One without an `id` is nobody here. */
                    customer?: {
                        id?: number | string | null;
                    };
                    /** @description Of `customers/redact` alone. */
                    orders_to_redact?: unknown[];
                    /** @description Of `customers/data_request` alone. */
                    data_request?: Record<string, never>;
                };
            };
        };
        responses: {
            /** @description It is stored, and will be done. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            id: components["schemas"]["Id"];
                        };
                    };
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
                    "application/json": {
                        openapi: string;
                        info: Record<string, never>;
                        servers: Record<string, never>[];
                        paths: Record<string, never>;
                        components: Record<string, never>;
                    };
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
}
