"""forge.py — records that somebody else wrote: a run's history with one value replaced, as a fork would leave it.

The doors of a server refuse to write such records. What a step makes of them when they are there all the same is asked
here, behind the doors' back: copies of finished runs are put into the database of a server that is not running, each
with one forged value in its input or in what a step recorded, to go on from there when the server starts."""

import json
import sqlite3


def leaves(value, path=()):
    """(path, value) of everything in JSON that is not a list or an object; of an empty list, the list."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, path + (name,))
    elif isinstance(value, list) and value:
        for place, inner in enumerate(value):
            yield from leaves(inner, path + (place,))
    else:
        yield path, value


def at(value, path):
    for step in path:
        value = value[step]
    return value


def replaced(value, path, by):
    copy = json.loads(json.dumps(value))
    if not path:
        return by
    at(copy, path[:-1])[path[-1]] = by
    return copy


def forgeries(own, theirs, left_out, trap):
    """(what, forged) for each value of `own` in which `theirs`, recorded at the same place by somebody else, differs;
    then all of them at once; then, wherever a part of a host's name is recorded, the trap. Left out is what has a
    secret in it, so that who sees it afterwards did not get it from here, and what is nobody's, as an address."""
    every, changed = own, 0
    for path, value in leaves(own):
        try:
            other = at(theirs, path)
        except (KeyError, IndexError, TypeError):
            continue
        if other == value or isinstance(other, (dict, list)) != isinstance(value, (dict, list)):
            continue
        if any(text in json.dumps(other) for text in left_out):
            continue
        yield ".".join(map(str, path)) or "the whole", replaced(own, path, other)
        every, changed = replaced(every, path, other), changed + 1
    if changed > 1:
        yield "all of it", every
    for path, value in leaves(own):
        if path and isinstance(value, str) and any(word in str(path[-1]) for word in ("instance", "host")):
            forged = replaced(own, path, f"someone@{trap}?/production")
            for name, inner in (at(forged, path[:-1])).items():
                if "platform" in name:
                    forged = replaced(forged, path[:-1] + (name,), "sanity")
            yield ".".join(map(str, path)) + " as a host", forged


def order(path):
    return tuple(int(part) if part.isdigit() else -1 for part in path.split("."))


class Records:
    """The database of a server that has been stopped."""

    def __init__(self, file):
        self.database = sqlite3.connect(file, timeout=30)
        self.database.row_factory = sqlite3.Row

    def close(self):
        self.database.commit()
        self.database.close()

    def runs(self, organization):
        """Finished runs of it, one for each workflow: its own, not a fork."""
        found = {}
        for run in self.database.execute(
                "SELECT * FROM workflow_runs WHERE organization_id = ? AND status = 'succeeded' AND "
                "forked_from IS NULL ORDER BY id", (organization,)):
            found.setdefault(run["workflow_key"], dict(run))
        return found

    def stages(self, run):
        return [dict(row) for row in self.database.execute(
            "SELECT * FROM workflow_stage_runs WHERE workflow_run_id = ? ORDER BY id", (run["id"],))]

    def insert(self, table, row):
        row = {name: value for name, value in row.items() if name != "id"}
        names = ", ".join(f'"{name}"' for name in row)
        places = ", ".join("?" for _ in row)
        return self.database.execute(f"INSERT INTO {table} ({names}) VALUES ({places})",
                                     tuple(row.values())).lastrowid

    def forge(self, run, public_id, input_text=None, edited=None, output=None):
        """A copy that goes on after the edited stage; from the beginning if only its input is forged."""
        blank = {"status": "queued", "current_stage": "queued", "worker": "", "epoch": 1, "attempts": 1,
                 "recoveries": 0, "wake_at": None, "started_at": None, "completed_at": None, "error_code": None,
                 "error_message": None, "error_stage": None, "error_path": None, "result": None, "parent_id": None,
                 "parent_path": None, "is_awaited": 0, "progress_done": None, "progress_total": None,
                 "progress_text": None, "saved": None, "forked_from": run["public_id"], "seed_id": None}
        copy = dict(run, **{name: value for name, value in blank.items() if name in run}, public_id=public_id)
        if input_text is not None:
            copy["input"] = input_text
        number = self.insert("workflow_runs", copy)
        if edited is None:
            return
        here = order(edited["path"])
        for stage in self.stages(run):
            there = order(stage["path"])
            if there == here:
                stage = dict(stage, output=output)
            elif there > here or there == here[:len(there)] or stage["status"] not in ("succeeded", "skipped"):
                continue
            self.insert("workflow_stage_runs", dict(stage, workflow_run_id=number))
