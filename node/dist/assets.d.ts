/** The browser library, under a name with the hash of its content. */
import type { Answer } from "./answer.js";
import type { Settings } from "./settings.js";
export declare const isAsset: (name: string) => boolean;
/** Answers for the names under `<base>/assets/`. Throws 404. */
export declare function assetsOf(settings: Settings): (name: string) => Promise<Answer>;
