/** A map of the last used: what was not asked for the longest time goes first. */
export declare class Recent<Value> {
    #private;
    constructor(limit: number);
    get(key: string): Value | undefined;
    set(key: string, value: Value): void;
    delete(key: string): void;
}
