"""Asks Celery for the work: celery_work.py W1 RUNS IN_FLIGHT | W2 STEPS | W3 WIDTH TIMES | W4 RUNS. Prints JSON."""
import json
import sys
import time
from collections import deque

from celery import chain, chord
from celery.exceptions import TimeoutError

from celery_tasks import app, first, following, join


def wait(result, seconds):
    """A result that came while its channel was being subscribed to is never announced: look from time to time."""
    end = time.monotonic() + seconds
    while True:
        try:
            return result.get(timeout=2)
        except TimeoutError:
            if result.ready():
                return result.result
            if time.monotonic() > end:
                raise


def sequence(workflow, steps):
    return chain(first.s(workflow, 0), *[following.s(workflow, i) for i in range(1, steps)])


def pump(runs, in_flight):
    took, under_way, started = [], deque(), 0
    while len(took) < runs:
        while started < runs and len(under_way) < in_flight:
            under_way.append((sequence(started, 10).apply_async(), time.perf_counter()))
            started += 1
        result, since = under_way.popleft()
        wait(result, 300)
        took.append(time.perf_counter() - since)
    return took


def w1(runs, in_flight):
    pump(50, 50)  # warm
    start = time.perf_counter()
    took = sorted(pump(runs, in_flight))
    seconds = time.perf_counter() - start
    return {"steps_per_s": runs * 10 / seconds, "run_p50_ms": took[len(took) // 2] * 1000}


def w2(steps):
    wait(sequence(0, 5).apply_async(), 60)
    start = time.perf_counter()
    wait(sequence(1, steps).apply_async(), 600)
    return {"ms_per_step": (time.perf_counter() - start) * 1000 / steps}


def w3(width, times):
    def one(workflow):
        wait(chord([first.s(workflow, i) for i in range(width)])(join.s()), 300)

    one(0)
    took = []
    for i in range(times):
        start = time.perf_counter()
        one(i)
        took.append(time.perf_counter() - start)
    return {"ms_per_chord": sorted(took)[len(took) // 2] * 1000}


def w4(runs):
    start = time.perf_counter()
    with app.producer_pool.acquire() as producer:
        for i in range(runs):
            first.apply_async((i, 0), countdown=3600, producer=producer)
    return {"accepted_s": time.perf_counter() - start}


work = sys.argv[1]
figures = {"W1": w1, "W2": w2, "W3": w3, "W4": w4}[work](*map(int, sys.argv[2:]))
print(json.dumps({"work": work, **figures}))
