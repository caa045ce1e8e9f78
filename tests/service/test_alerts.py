"""`promtool test rules`: each alert of deploy/alerts.yaml fires on its cause, and is silent otherwise."""

import shutil
import subprocess
from typing import NamedTuple

import pytest
import yaml

from tests.conftest import missing
from tests.service.test_metrics import ALERTS

NOW, NEVER, ONE = "0+60x400", "0x400", "1x400"
"""Values a minute: a time that is always the present, 0, and 1."""

STEP = "0x355 1x400"
"""A counter that rises once, 5 minutes before the evaluation."""


class Case(NamedTuple):
    """Series with which an alert fires, and with which it is silent. ``minutes`` are between two
    samples; the alert is evaluated after ``hours``."""

    fires: dict[str, str]
    silent: dict[str, str]
    minutes: int = 1
    hours: int = 6


def metric(name: str, **labels: str) -> str:
    """Returns a series of the service; ``instance`` is "a" unless given."""
    known = {"job": "wishwell", "instance": "a"} | labels
    listed = ",".join(f'{key}="{text}"' for key, text in known.items())
    return f"wishwell_{name}{{{listed}}}"


def requests(status: str, route: str = "/items", **labels: str) -> str:
    return metric("requests_total", status=status, route=route, **labels)


def gauge_case(name: str, high: str = "1", low: str = "0", **labels: str) -> Case:
    """Returns the case of an alert about a gauge."""
    series = metric(name, **labels)
    return Case({series: f"{high}x400"}, {series: f"{low}x400"})


def counter_case(name: str) -> Case:
    """Returns the case of an alert about a counter that should not rise."""
    return Case({metric(name): "0+9x400"}, {metric(name): "9x400"})


def stale_time_case(name: str, **labels: str) -> Case:
    """Returns the case of an alert about a time that must not become old."""
    return Case({metric(name, **labels): ONE}, {metric(name, **labels): NOW})


UP = 'up{job="wishwell",instance="a"}'
ANSWERED = metric("database_answered_timestamp_seconds")
BUCKETS = [metric("request_seconds_bucket", route="/items", le=le) for le in ("0.5", "1", "+Inf")]
DELIVERED, RETRIED = (metric("deliveries_total", outcome=o) for o in ("delivered", "retried"))
REFUSED = metric("refused_jwts_total", store="shop")
OF_STORE = metric("store_requests_total", store="shop", result="answered")
BACKUP = metric("backup_timestamp_seconds")
COUNTED = "counted_timestamp_seconds"
CASES = {
    "WishwellDown": Case({UP: NEVER}, {UP: ONE, 'up{job="another"}': NEVER}),
    "WishwellMissing": Case({UP: NEVER}, {ANSWERED: NOW}),
    "WishwellErrors": Case(
        {
            requests("503"): "0+2x400",
            requests("200"): "0+98x400",
            requests("200", "/livez"): "0+9999x400",
        },
        {requests("503"): "0+1x400", requests("200"): "0+199x400"},
    ),
    "WishwellSlow": Case(
        dict(zip(BUCKETS, ("0+90x400", "0+100x400", "0+100x400"), strict=True)),
        dict(zip(BUCKETS, ["0+100x400"] * 3, strict=True)),
    ),
    "WishwellDatabaseAway": stale_time_case("database_answered_timestamp_seconds"),
    "WishwellWaitsForConnections": gauge_case("pool_waiting"),
    "WishwellSheds": counter_case("shed_total"),
    "WishwellLimitsStoreAway": gauge_case("limits_store_away"),
    "WishwellLogLost": counter_case("log_lines_lost_total"),
    "WishwellBackgroundStuck": stale_time_case("background_done_timestamp_seconds", task="feed"),
    "WishwellEventsWait": gauge_case("events_waiting_seconds", "61", "59"),
    "WishwellNoticesWait": Case(
        {metric("notices_products_waiting"): ONE, metric("notices_total"): ONE},
        {metric("notices_products_waiting"): ONE, metric("notices_total"): NOW},
    ),
    "WishwellDeliveriesWait": gauge_case("deliveries_oldest_seconds", "61", "59"),
    "WishwellDeliveriesFail": Case(
        {RETRIED: "0+6x400", DELIVERED: "0+4x400"}, {RETRIED: "0+4x400", DELIVERED: "0+6x400"}
    ),
    "WishwellStoreWillBeDeleted": gauge_case("platform_requests_waiting", kind="shop/redact"),
    "WishwellPlatformRequestsWait": gauge_case(
        "platform_requests_oldest_seconds", "601", "599", kind="customers/redact"
    ),
    "WishwellPurgeNotRunning": stale_time_case("purge_finished_timestamp_seconds"),
    "WishwellClockSuspect": gauge_case("clock_suspect"),
    "WishwellUnauthorised": Case(
        {requests("401"): "0+30x400", requests("200"): "0+70x400"},
        {
            requests("401"): "0+10x400",
            requests("200"): "0+90x400",
            requests("401", instance="idle"): "0+1x400",
        },
    ),
    "WishwellUnknownProxy": counter_case("unknown_proxy_requests_total"),
    "WishwellWorkersEnd": Case(
        {metric("worker_restarts_total"): STEP}, {metric("worker_restarts_total"): ONE}
    ),
    "WishwellReloadFailed": Case(
        {metric("reloads_failed_total"): STEP}, {metric("reloads_failed_total"): ONE}
    ),
    "WishwellMailsPaused": gauge_case("mails_paused"),
    "WishwellWebhooksFailing": gauge_case("webhooks_failing"),
    "WishwellCountsWait": Case(
        {metric(COUNTED): ONE}, {metric(COUNTED): NOW, metric(COUNTED, instance="b"): NEVER}
    ),
    "WishwellJournalAway": Case(
        {metric("unrecorded_acts_total"): STEP}, {metric("unrecorded_acts_total"): ONE}
    ),
    "WishwellSignInsRefused": Case(
        {REFUSED: "0+20x400", OF_STORE: "0+100x400"}, {REFUSED: "0+5x400", OF_STORE: "0+100x400"}
    ),
    "WishwellDiskFull": gauge_case("disk_free_bytes", "1000000000", "3000000000", file="database"),
    "WishwellDatabaseLarge": gauge_case("database_bytes", "60000000000", "40000000000"),
    "WishwellClockOff": gauge_case("clock_offset_seconds", "6", "4"),
    "WishwellBackupOld": Case({BACKUP: "1x500"}, {BACKUP: "0+300x500"}, minutes=5, hours=40),
    "WishwellBackupOld without a report": Case({UP: ONE}, {BACKUP: NOW}),
}


def rule_test(name: str, case: Case, series: dict[str, str], count: int) -> dict:
    """Returns promtool's test that the alert has ``count`` firing instances."""
    alert = name.partition(" ")[0]
    return {
        "interval": f"{case.minutes}m",
        "input_series": [{"series": one, "values": values} for one, values in series.items()],
        "promql_expr_test": [
            {
                "expr": f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})',
                "eval_time": f"{case.hours}h",
                "exp_samples": [{"labels": "{}", "value": count}] if count else [],
            }
        ],
    }


@pytest.mark.slow
def test_each_alert_fires_on_its_cause_and_only_then(tmp_path):
    """Each alert fires if its series show the cause, and is silent if they are as usual."""
    assert {name.partition(" ")[0] for name in CASES} == {rule["alert"] for rule in ALERTS}
    if shutil.which("promtool") is None:
        missing("promtool isn't installed")
    files = []
    for name, case in CASES.items():
        # With a file for each alert, promtool evaluates it alone rather than all of them.
        [rule] = [rule for rule in ALERTS if rule["alert"] == name.partition(" ")[0]]
        rules, tests = (tmp_path / f"{name} {kind}.yaml" for kind in ("rules", "tests"))
        rules.write_text(yaml.safe_dump({"groups": [{"name": name, "rules": [rule]}]}))
        cases = [rule_test(name, case, case.fires, 1), rule_test(name, case, case.silent, 0)]
        head = {"rule_files": [str(rules)], "evaluation_interval": "5m"}
        tests.write_text(yaml.safe_dump(head | {"tests": cases}))
        files.append(tests)
    argv = ["promtool", "test", "rules", *files]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
