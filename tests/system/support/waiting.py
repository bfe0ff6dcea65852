# SPDX-License-Identifier: Apache-2.0
"""Waiting for something that can be observed, never for time alone."""
import time

PAUSE = 0.01


def until(condition, seconds, what):
    """Polls `condition` until it returns something true, and returns that. AssertionError with
    `what` (a text or a callable that returns one) after `seconds`."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(
                f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(PAUSE)
