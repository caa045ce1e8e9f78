"""Attempts, pauses and errors, by hand: the whole of it without a network."""

from typing import Any

import httpx2
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wishwell.client import calls, conversation
from wishwell.client.conversation import Attempt, Lost, Pause, Reply, Terms
from wishwell.client.errors import Invalid, NotFound, RateLimited, Unavailable, WishwellError

ERROR = {"error": {"message": "No.", "error": "x", "statusCode": 1, "requestId": "r-1"}}
LOST = [
    Lost(True, httpx2.ReadError("broken")),
    Lost(True, httpx2.ReadTimeout("silent")),
]
NEVER = Lost(False, httpx2.ConnectError("nobody"))
CALLS: list[calls.Call[Any]] = [
    calls.list_items(None, None, None),
    calls.create_item(1, None, None, None, None, None),
    calls.update_item("i", 1, None, 1, [], None),
    calls.delete_item("i"),
    calls.delete_items(["i"]),
    calls.create_list("a"),
    calls.create_token(None, None),
    calls.create_token("gid://a/Customer/1", None),
]
ONCE = (calls.create_list("a").path, calls.create_token(None, None).path)


def refusal(status, retry_after=None):
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Reply(status, headers, msgspec.json.encode(ERROR))


def hold(call, terms, outcomes, draw=lambda: 1.0):
    """Holds the conversation; its attempts, its pauses, and how it ended."""
    talk = conversation.about(call, terms, draw)
    outcomes = iter(outcomes)
    attempts, pauses, outcome = [], [], None
    while True:
        try:
            step = talk.send(outcome)
        except StopIteration as end:
            return attempts, pauses, end.value
        except WishwellError as error:
            return attempts, pauses, error
        if isinstance(step, Pause):
            pauses.append(step.seconds)
            outcome = None
        else:
            assert isinstance(step, Attempt)
            attempts.append(step)
            outcome = next(outcomes)


outcomes = st.one_of(
    st.sampled_from(LOST),
    st.just(NEVER),
    st.builds(refusal, st.sampled_from([429, 503, 500, 502, 400, 404, 409]),
              st.none() | st.integers(0, 90)),
)  # fmt: skip


def unknown(outcome):
    """Whether an outcome leaves open that the request was done."""
    return outcome.sent if isinstance(outcome, Lost) else outcome.status == 503


@pytest.mark.parametrize("before", [*LOST, refusal(503), refusal(503, 1)])
def test_delete_that_is_gone_after_an_unknown_outcome_is_done(before):
    """Who says 503 may not know: a database that broke off, a proxy that lost the answer."""
    for call in (calls.delete_item("i"), calls.delete_list("l")):
        attempts, _, end = hold(call, Terms(4, 60), [before, refusal(429, 1), refusal(404)])
        assert (len(attempts), end) == (3, None)


@pytest.mark.parametrize("before", [NEVER, refusal(429, 1)])
def test_delete_that_was_not_there_before_anything_was_done_is_not_found(before):
    attempts, _, end = hold(calls.delete_item("i"), Terms(4, 60), [before, refusal(404)])
    assert len(attempts) == 2
    assert isinstance(end, NotFound)


@given(
    call=st.sampled_from(CALLS),
    retries=st.integers(0, 5),
    longest=st.floats(0, 60),
    planned=st.lists(outcomes, min_size=6, max_size=6),
    draw=st.floats(0, 1),
)
def test_bounds_hold_whatever_happens(call, retries, longest, planned, draw):
    """No more attempts than allowed, no pause above the bound, one request id, and never again
    after an outcome that leaves open whether something was done that must be done once."""
    attempts, pauses, end = hold(call, Terms(retries, longest), planned, lambda: draw)
    assert 1 <= len(attempts) <= retries + 1
    assert len(pauses) == len(attempts) - 1
    assert all(0 <= seconds <= longest for seconds in pauses)
    assert len({attempt.request_id for attempt in attempts}) == 1
    assert all(attempt.call == call for attempt in attempts)
    for outcome, seconds in zip(planned, pauses, strict=False):
        if isinstance(outcome, Lost):
            assert call.repeatable or not outcome.sent
        else:
            assert outcome.status == 429 or (outcome.status == 503 and call.repeatable)
            assert seconds >= int(outcome.headers.get("retry-after", 0))
    last = planned[len(attempts) - 1]
    if end is not None:
        assert isinstance(end, WishwellError)
        assert end.status == (last.status if isinstance(last, Reply) else None)
    else:
        assert isinstance(last, Reply) and last.status == 404 and call.gone_is_done
        # It is known of a 429 that nothing was done, and of what was never sent.
        assert any(unknown(before) for before in planned[: len(attempts) - 1])


def test_what_may_not_be_repeated():
    """By name, so that a new call is thought about."""
    assert {call.path for call in CALLS if not call.repeatable} == set(ONCE)
    assert calls.create_token(None, "gid://a/Session/1").repeatable


def test_backoff_doubles_up_to_a_bound_and_is_drawn_from_all_of_it():
    """With the highest draw the bounds themselves; with the lowest no pause at all."""
    terms = Terms(9, 1000)
    _, pauses, _ = hold(CALLS[0], terms, [NEVER] * 10)
    assert pauses == pytest.approx([0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10, 10])
    assert hold(CALLS[0], terms, [NEVER] * 10, lambda: 0.0)[1] == [0] * 9
    assert len(hold(CALLS[0], Terms(2000, 0), [NEVER] * 2001)[0]) == 2001


def test_retry_after_is_waited_for_with_jitter_after_it():
    _, pauses, _ = hold(CALLS[0], Terms(2, 60), [refusal(429, 7), refusal(503, 2), NEVER])
    assert pauses == pytest.approx([7.2, 2.4])


def test_retry_after_beyond_the_patience_ends_at_once():
    attempts, _, error = hold(CALLS[0], Terms(4, 5), [refusal(429, 6)])
    assert len(attempts) == 1
    assert isinstance(error, RateLimited)
    assert error.retry_after == 6


@pytest.mark.parametrize("text", ["", "soon", "-1", "1.5", "²", "9" * 30, "Wed, 21 Oct 2025"])
def test_retry_after_that_is_no_number_is_none(text):
    """Then the pause is that of any other failure."""
    reply = Reply(503, {"retry-after": text}, b"")
    _, pauses, error = hold(CALLS[0], Terms(1, 60), [reply, reply])
    assert pauses == pytest.approx([0.2])
    assert error.retry_after is None


@pytest.mark.parametrize("status", [301, 400, 404, 405, 413, 415, 431, 500, 502, 503, 504])
@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"error":"no"}', b"\xff"])
def test_answer_of_a_proxy_on_the_way(status, body):
    """An error of its status, with what id there is."""
    reply = Reply(status, {"x-request-id": "r-2"}, body)
    _, _, error = hold(CALLS[0], Terms(0, 0), [reply])
    assert (error.status, error.request_id) == (status, "r-2")
    assert error.message
    kinds = {404: NotFound, 503: Unavailable}
    default = Invalid if 400 <= status < 500 else WishwellError
    assert type(error) is kinds.get(status, default)


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b'{"data":{"id":1}}', b"\xff"])
def test_success_that_is_no_record_is_an_error(body):
    attempts, _, error = hold(calls.find_item("i"), Terms(3, 1), [Reply(200, {}, body)] * 4)
    assert len(attempts) == 1
    assert type(error) is WishwellError
    assert error.request_id == attempts[0].request_id
