"""Recomputes the checksums of an exported ledger, and of snapshots, by docs/continuity.md alone.

python3 recompute.py <project_id> <export file> [<file with a JSON list of snapshots: last_event_seq, state_checksum, state>]
Prints "<events> events, <snapshots> snapshots"; ends with 1 and the place of the first difference.
"""
import hashlib
import json
import sys

RECORDS = ("goals", "tasks", "checkpoints", "open_steps")


def canonical(value):
    """RFC 8785 for what occurs in a ledger: no number with a fraction, and none beyond 2^53."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float) or (type(value) is int and abs(value) > 2**53):
        raise SystemExit(f"a number that is not expected in a ledger: {value}")
    return json.dumps(value, ensure_ascii=False)


def sha256(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def state_checksum(state):
    digests = {name: {key: sha256(canonical(entry)) for key, entry in state[name].items()} for name in RECORDS}
    return sha256(canonical({**state, **digests}))


def apply(state, patch):
    for operation in patch:
        path = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
        target = state
        for part in path[:-1]:
            target = target[int(part)] if isinstance(target, list) else target[part]
        last, kind = path[-1], operation["op"]
        if isinstance(target, list):
            at = len(target) if last == "-" else int(last)
            if kind == "add":
                target.insert(at, operation["value"])
            elif kind == "remove":
                del target[at]
            else:
                target[at] = operation["value"]
        elif kind == "remove":
            del target[last]
        elif kind in ("add", "replace"):
            target[last] = operation["value"]
        else:
            raise SystemExit(f"an operation that is not expected in a ledger: {kind}")


def expect(what, expected, found):
    if expected != found:
        raise SystemExit(f"{what}: expected {expected}, found {found}")


def main(project_id, export, snapshots=None):
    state, previous, count, checksums = None, None, 0, {}
    with open(export, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            checksum = event.pop("checksum")
            where = f"event {event['event_seq']}"
            expect(f"checksum of {where}", checksum, sha256(canonical(event)))
            expect(f"previous of {where}", previous, event["previous"])
            if state is None:
                state = {name: {} for name in RECORDS}
                state |= {"workflow_id": event["workflow_id"], "project_id": project_id, "worked_at": None}
                state |= {"completed_steps": 0, "lease": {"owner_id": None, "fencing_token": 0}}
            apply(state, event["delta"])
            expect(f"state_checksum of {where}", event["state_checksum"], state_checksum(state))
            previous, count = checksum, count + 1
            checksums[event["event_seq"]] = event["state_checksum"]
    seen = json.load(open(snapshots, encoding="utf-8")) if snapshots else []
    for snapshot in seen:
        where = f"snapshot behind event {snapshot['last_event_seq']}"
        expect(where, snapshot["state_checksum"], state_checksum(snapshot["state"]))
        expect(where, snapshot["state_checksum"], checksums[snapshot["last_event_seq"]])
    print(f"{count} events, {len(seen)} snapshots")


main(*sys.argv[1:])
