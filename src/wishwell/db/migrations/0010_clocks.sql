-- Where the clock should be, by the uptime of each machine since its start; all in milliseconds (db/clock.py).
-- jump: how far the clock is ahead of that, until hold, the uptime that is left to wait, has passed.
CREATE TABLE clocks (
    boot   text NOT NULL CONSTRAINT clocks_pkey PRIMARY KEY,
    wall   bigint NOT NULL, --postgresql
    wall   INTEGER NOT NULL, --sqlite
    uptime bigint NOT NULL, --postgresql
    uptime INTEGER NOT NULL, --sqlite
    jump   bigint NOT NULL, --postgresql
    jump   INTEGER NOT NULL, --sqlite
    hold   bigint NOT NULL --postgresql
    hold   INTEGER NOT NULL --sqlite
) --postgresql
) STRICT --sqlite
;
