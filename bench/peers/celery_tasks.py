"""The work as Celery tasks: chains and chords on Redis, acknowledged late, so that a lost worker loses nothing."""
import os

from celery import Celery

redis = os.environ["PEER_REDIS"]
app = Celery("bench", broker=redis + "/0", backend=redis + "/1")
app.conf.update(task_acks_late=True, worker_prefetch_multiplier=4, result_expires=3600,
                worker_send_task_events=False, broker_connection_retry_on_startup=True)


def value(workflow, number):
    return {"workflow": workflow + 1_000_000, "step": number, "status": "ok", "v": 12345}


@app.task
def first(workflow, number):
    return value(workflow, number)


@app.task
def following(previous, workflow, number):
    return value(workflow, number)


@app.task
def join(parts):
    return {"parts": len(parts)}
