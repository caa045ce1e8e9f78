/** The proxy by itself: the socket, its limits, the log, and the way out. */
/** Serves until SIGTERM or SIGINT. A bad setting is one line on standard error and exit code 1. */
export declare function main(environment: Readonly<Record<string, string | undefined>>): void;
