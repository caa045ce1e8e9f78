/** The settings of the process, from the variables that docs/proxy.md lists. */
import { type Options } from "./settings.js";
/** What the process runs with. */
export interface Process {
    readonly options: Options;
    readonly host: string;
    readonly port: number;
    readonly trusted: readonly string[];
}
/** Reads the variables. Throws `BadSetting` that names every bad one. */
export declare function fromEnvironment(environment: Readonly<Record<string, string | undefined>>): Process;
