/** How many sessions one address may begin: each costs the admin token, which serves everybody. */
/** Counts one more session of an address, null where it is not known. Throws `Refused`: 429. */
export type Newcomers = (address: string | null | undefined, now: number) => void;
/** Counts by the minute, in this process. `most` sessions of an address; 0 is no bound. */
export declare function newcomersOf(most: number): Newcomers;
