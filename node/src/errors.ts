/** What can go wrong, and the envelope that the browser gets for it. */

import type { Answer } from "./answer.js";

/** A setting that breaks its rule. */
export interface Broken {
  /** The option's name. */
  readonly setting: string;
  /** Reads on after the name; other options stand in it in braces. */
  readonly rule: string;
  /** It is missing, or goes against another: of no interest while others are bad in themselves. */
  readonly relation?: boolean;
}

/** Settings break their rules: `setting` is the first of them, and the message names them all. */
export class BadSetting extends Error {
  readonly setting: string;
  readonly broken: readonly Broken[];

  /** `nameOf` is what an option is called where it was given. */
  constructor(broken: readonly Broken[], nameOf = (option: string) => option) {
    const told = broken.map(({ setting, rule }) => {
      const named = rule.replace(/\{([A-Za-z.]+)\}/g, (_, option: string) => nameOf(option));
      return `${nameOf(setting)} ${named}`;
    });
    super(told.join("; "));
    this.name = "BadSetting";
    this.setting = nameOf(broken[0]?.setting ?? "");
    this.broken = broken;
  }
}

/** One setting that is bad in itself. */
export function bad(setting: string, rule: string): BadSetting {
  return new BadSetting([{ setting, rule }]);
}

/** Gathers what is bad, so that all of it can be told at once. */
export class Gathered {
  readonly broken: Broken[] = [];

  /** What `read` gives, or `otherwise` when it is bad. */
  try<T>(read: () => T, otherwise: T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error;
      this.broken.push(...error.broken);
      return otherwise;
    }
  }

  /** Throws `BadSetting` when there is anything. What others bring about is told when alone. */
  check(nameOf?: (option: string) => string): void {
    const themselves = this.broken.filter(({ relation }) => !relation);
    const told = themselves.length > 0 ? themselves : this.broken;
    if (told.length > 0) throw new BadSetting(told, nameOf);
  }
}

/** The proxy itself refuses, or can't serve, a request; `message` is for the browser. */
export class Refused extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = "Refused";
    this.status = status;
    this.headers = headers;
  }
}

/** The API's own answer to the proxy says that it can't be served now: 429 or 5xx. */
export class Fault extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`the API answered with ${answer.status}`);
    this.name = "Fault";
    this.answer = answer;
  }
}

/** The API was not reached: the request was not sent, and nothing was done. */
export class Unreached extends Error {}

/** The API no longer knows a session: linked or purged. */
export class Gone extends Error {}
