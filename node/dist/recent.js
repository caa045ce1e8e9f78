/** A map of the last used: what was not asked for the longest time goes first. */
export class Recent {
    // A map keeps the order in which its keys were set.
    #values = new Map();
    #limit;
    constructor(limit) {
        this.#limit = limit;
    }
    get(key) {
        const value = this.#values.get(key);
        if (value !== undefined)
            this.set(key, value);
        return value;
    }
    set(key, value) {
        this.#values.delete(key);
        this.#values.set(key, value);
        if (this.#values.size <= this.#limit)
            return;
        for (const oldest of this.#values.keys()) {
            this.#values.delete(oldest);
            break;
        }
    }
    delete(key) {
        this.#values.delete(key);
    }
}
