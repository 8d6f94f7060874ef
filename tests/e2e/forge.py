"""forge.py — records that somebody else wrote: a run's history with one value replaced, as a fork would leave it.

The doors of a server refuse to write such records. What a step makes of them when they are there all the same is asked
here, behind the doors' back: copies of finished runs are put into the database of a server that is not running, each
with one forged value in its input or in what a step recorded, to go on from there when the server starts."""

import json


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


def whole(forged):
    """Of what forgeries() gave, the one with the most in it that is no host's name."""
    widest = [one for one in forged if not one[0].endswith(" as a host")]
    return widest[-1:]


def order(path):
    return tuple(int(part) if part.isdigit() else -1 for part in path.split("."))


class Records:
    """The database of a server that has been stopped (tables.py)."""

    def __init__(self, tables):
        self.tables = tables

    def close(self):
        self.tables.close()

    def runs(self, organization):
        """Finished runs of it, one for each workflow: its own, not a fork."""
        found = {}
        for run in self.tables.select(
                "SELECT * FROM workflow_runs WHERE organization_id = ? AND status = 'succeeded' AND "
                "forked_from IS NULL ORDER BY id", organization):
            found.setdefault(run["workflow_key"], run)
        return found

    def stages(self, run):
        return self.tables.select("SELECT * FROM workflow_stage_runs WHERE workflow_run_id = ? ORDER BY id", run["id"])

    def forge(self, run, public_id, input_text=None, edited=None, output=None, until=None):
        """A copy that goes on after the edited stage, or after a later one; from the beginning if only its input is forged."""
        blank = {"status": "queued", "current_stage": "queued", "worker": "", "epoch": 1, "attempts": 1,
                 "recoveries": 0, "wake_at": None, "started_at": None, "completed_at": None, "error_code": None,
                 "error_message": None, "error_stage": None, "error_path": None, "result": None, "parent_id": None,
                 "parent_path": None, "is_awaited": 0, "progress_done": None, "progress_total": None,
                 "progress_text": None, "saved": None, "forked_from": run["public_id"], "seed_id": None}
        copy = dict(run, **{name: value for name, value in blank.items() if name in run}, public_id=public_id)
        if input_text is not None:
            copy["input"] = input_text
        copy["id"] = self.tables.run_number()
        self.tables.insert("workflow_runs", copy)
        if edited is None:
            return
        here = order(edited["path"])
        end = order(until["path"]) if until else here
        for stage in self.stages(run):
            there = order(stage["path"])
            if there == here:
                stage = dict(stage, output=output)
            elif there > end or there == end[:len(there)] != end or stage["status"] not in ("succeeded", "skipped"):
                continue
            copied = {name: value for name, value in stage.items() if name != "id"}
            self.tables.insert("workflow_stage_runs", dict(copied, workflow_run_id=copy["id"]))
