"""The client's retries, backoff and errors, tested without a network."""

from typing import Any

import httpx2
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.recorded import call_of
from wishwell_client.calls import Call
from wishwell_client.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    RateLimited,
    Unauthorized,
    Unavailable,
    WishwellError,
)
from wishwell_client.retries import RetryPolicy, RetryState

ERROR = {"error": {"message": "No.", "error": "x", "statusCode": 1, "requestId": "r-1"}}
LOST = [httpx2.ReadError("broken"), httpx2.ReadTimeout("silent")]
NEVER = httpx2.ConnectError("nobody")
DELETE = call_of(lambda of: of.items.delete("i"))
CREATE_LIST = call_of(lambda of: of.lists.create("a"))
NEW_SESSION = call_of(lambda of: of.profiles.token())
CALLS: list[Call[Any]] = [
    call_of(lambda of: of.items.list()),
    call_of(lambda of: of.items.create(1)),
    call_of(lambda of: of.items.update("i", product_id=1, variant_id=None, quantity=1, tags=[])),
    DELETE,
    call_of(lambda of: of.items.delete_many(["i"])),
    CREATE_LIST,
    NEW_SESSION,
    call_of(lambda of: of.profiles.token(customer="gid://a/Customer/1")),
]


def refusal(status, retry_after=None):
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return httpx2.Response(status, headers=headers, content=msgspec.json.encode(ERROR))


def hold(call, policy, outcomes, draw=lambda: 1.0):
    """Plays the outcomes; returns the number of attempts, the pauses, and the result or error."""
    state = RetryState(call, policy, draw)
    pauses = []
    try:
        for attempts, outcome in enumerate(outcomes, 1):
            if isinstance(outcome, httpx2.Response) and state.succeeded(outcome):
                return attempts, pauses, state.result(outcome)
            pauses.append(state.backoff(outcome))
    except WishwellError as error:
        return attempts, pauses, error
    raise AssertionError("it never ends")


outcomes = st.one_of(
    st.sampled_from(LOST),
    st.just(NEVER),
    st.builds(refusal, st.sampled_from([429, 503, 500, 502, 400, 404, 409]),
              st.none() | st.integers(0, 90)),
)  # fmt: skip


def unknown(outcome):
    """Returns whether an outcome leaves it open whether the request was carried out."""
    if isinstance(outcome, httpx2.Response):
        return outcome.status_code == 503
    return outcome is not NEVER


@pytest.mark.parametrize("before", [*LOST, refusal(503), refusal(503, 1)])
def test_404_after_a_delete_of_unknown_outcome_counts_as_done(before):
    """A 404 to a retried delete counts as success if the first outcome was unknown: a broken
    connection, or a 503 whose sender may not know."""
    for call in (DELETE, call_of(lambda of: of.lists.delete("l"))):
        attempts, _, end = hold(call, RetryPolicy(4, 60), [before, refusal(429, 1), refusal(404)])
        assert (attempts, end) == (3, None)


@pytest.mark.parametrize("before", [NEVER, refusal(429, 1)])
def test_404_to_a_delete_is_an_error_when_no_attempt_can_have_deleted(before):
    """A 404 to a delete is an error if no earlier attempt can have deleted the record."""
    attempts, _, end = hold(DELETE, RetryPolicy(4, 60), [before, refusal(404)])
    assert attempts == 2
    assert isinstance(end, NotFound)


@given(
    call=st.sampled_from(CALLS),
    retries=st.integers(0, 5),
    longest=st.floats(0, 60),
    planned=st.lists(outcomes, min_size=6, max_size=6),
    draw=st.floats(0, 1),
)
def test_attempts_and_pauses_stay_within_their_limits(call, retries, longest, planned, draw):
    """Attempts and pauses stay within their limits, and a call that must not happen twice isn't
    retried after an unknown outcome."""
    attempts, pauses, end = hold(call, RetryPolicy(retries, longest), planned, lambda: draw)
    assert 1 <= attempts <= retries + 1
    assert len(pauses) == attempts - 1
    assert all(0 <= seconds <= longest for seconds in pauses)
    for outcome, seconds in zip(planned, pauses, strict=False):
        if isinstance(outcome, httpx2.RequestError):
            assert call.repeatable or not unknown(outcome)
        else:
            status = outcome.status_code
            assert status == 429 or (status == 503 and call.repeatable)
            assert seconds >= int(outcome.headers.get("retry-after", 0))
    last = planned[attempts - 1]
    if end is not None:
        assert isinstance(end, WishwellError)
        assert end.status == (last.status_code if isinstance(last, httpx2.Response) else None)
    else:
        assert isinstance(last, httpx2.Response) and last.status_code == 404
        assert call.gone_is_done
        # A 429 or an unsent request is known not to have been carried out.
        assert any(unknown(before) for before in planned[: attempts - 1])


def test_calls_that_may_not_be_retried_are_the_listed_ones():
    """The calls that may not be retried are listed by name, so that a new one needs a decision."""
    assert [call for call in CALLS if not call.repeatable] == [CREATE_LIST, NEW_SESSION]
    assert call_of(lambda of: of.profiles.token(session="gid://a/Session/1")).repeatable


def test_backoff_doubles_up_to_a_limit_with_full_jitter():
    """Backoff doubles up to a limit, with full jitter: the lowest draw gives no pause."""
    policy = RetryPolicy(9, 1000)
    _, pauses, _ = hold(CALLS[0], policy, [NEVER] * 10)
    assert pauses == pytest.approx([0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10, 10])
    assert hold(CALLS[0], policy, [NEVER] * 10, lambda: 0.0)[1] == [0] * 9
    assert hold(CALLS[0], RetryPolicy(2000, 0), [NEVER] * 2001)[0] == 2001


def test_retry_after_is_waited_for_with_jitter_after_it():
    """A retry waits for Retry-After, plus jitter."""
    _, pauses, _ = hold(CALLS[0], RetryPolicy(2, 60), [refusal(429, 7), refusal(503, 2), NEVER])
    assert pauses == pytest.approx([7.2, 2.4])


def test_retry_after_above_the_longest_wait_ends_the_call():
    """A Retry-After above the longest allowed wait ends the call without a retry."""
    attempts, _, error = hold(CALLS[0], RetryPolicy(4, 5), [refusal(429, 6)])
    assert attempts == 1
    assert isinstance(error, RateLimited)
    assert error.retry_after == 6


@pytest.mark.parametrize("text", ["", "soon", "-1", "1.5", "²", "9" * 30, "Wed, 21 Oct 2025"])
def test_invalid_retry_after_is_ignored(text):
    """An invalid Retry-After is ignored in favour of the usual backoff."""
    reply = httpx2.Response(503, headers={"retry-after": text.encode()})
    _, pauses, error = hold(CALLS[0], RetryPolicy(1, 60), [reply, reply])
    assert pauses == pytest.approx([0.2])
    assert error.retry_after is None


KINDS = {401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 503: Unavailable}


@pytest.mark.parametrize("status", [*KINDS, 301, 400, 415, 500, 504])
@pytest.mark.parametrize("body", [b"", b"<html>", b'{"error":"no"}', b"\xff"])
def test_response_of_a_proxy_becomes_an_error(status, body):
    """A proxy's response that isn't the API's becomes an error with its status and the request id,
    if any."""
    reply = httpx2.Response(status, headers={"x-request-id": "r-2"}, content=body)
    _, _, error = hold(CALLS[0], RetryPolicy(0, 0), [reply])
    assert (error.status, error.request_id, error.code) == (status, "r-2", None)
    assert error.message
    default = Invalid if 400 <= status < 500 else WishwellError
    assert type(error) is KINDS.get(status, default)


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b'{"data":{"id":1}}', b"\xff"])
def test_response_200_without_a_record_is_an_error(body):
    """A 200 whose body isn't the record becomes an error and isn't retried."""
    attempts, _, error = hold(call_of(lambda of: of.items.find("i")), RetryPolicy(3, 1),
                              [httpx2.Response(200, content=body)] * 4)  # fmt: skip
    assert attempts == 1
    assert type(error) is WishwellError
    assert error.request_id
