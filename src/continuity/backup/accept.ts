import { nameInline } from "../../base/quoted.ts";
import type { Author } from "../base/author.ts";
import { continuityError } from "../base/errors.ts";
import { assertReason } from "../base/reason.ts";
import { restoreProject } from "../decide/copies.ts";
import { openAttempts, stepsOf } from "../decide/open-attempts.ts";
import { type Environment, isoTime } from "../ledger/environment.ts";
import { nextEvent } from "../ledger/next-event.ts";
import { differenceFrom } from "../ledger/older-copy.ts";
import { restore } from "../ledger/replay.ts";
import type { ContinuityStore, WorkflowRow } from "../ledger/store.ts";
import { assertProjectId, workflowId } from "../base/workflow-id.ts";
import { eventRow } from "../ledger/events.ts";

/** Options of an acceptance. */
export interface AcceptOptions {
  readonly project_id: string;
  /** How it is known what was done since, and that no newer copy exists. 1 to 1,000 characters. */
  readonly reason: string;
}

/** An older copy that was accepted. */
export interface Accepted {
  readonly project_id: string;
  /** The event that records it. */
  readonly event_seq: number;
  readonly checksum: string;
  readonly fencing_token: number;
  readonly lost: { readonly event_seq: number; readonly checksum: string };
  /** Steps that are open in the copy: each may have been done since. */
  readonly open_steps: readonly string[];
}

type Context = Pick<Environment, "store" | "objects" | "now" | "newId" | "producer_version">;
const MAX_TRIES = 20;

/**
 * Records that a person goes on with an older copy of the store: as an event, which ends every lease and raises the fencing
 * token above that of the anchor, and in the anchor. Throws `not-found`, and `invalid-transition` for a ledger that is no
 * older copy.
 */
export async function acceptCopy(context: Context, author: Author, options: AcceptOptions): Promise<Accepted> {
  const { project_id, reason } = options;
  assertProjectId(project_id);
  assertReason(reason);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const accepted = await accept(context, author, options);
    if (accepted) return accepted;
  }
  throw continuityError("busy", {
    expected: "a free position in the ledger",
    found: `${MAX_TRIES} tries in which another process wrote first`,
    todo: "End the processes that write to it, and try again. Nothing was written.",
  });
}

/** Returns undefined when the ledger has grown meanwhile. */
async function accept(
  { store, objects, now, newId, producer_version }: Context,
  author: Author,
  { project_id, reason }: AcceptOptions,
): Promise<Accepted | undefined> {
  const workflow_id = workflowId(project_id);
  const lost = store.anchor?.read(workflow_id);
  const difference = lost && (await differenceFrom(store, workflow_id, lost));
  if (!lost || !difference) throw noOlderCopy(store, project_id, lost?.event_seq);
  const row = await store.workflow(workflow_id);
  const known: WorkflowRow = row ?? {
    workflow_id,
    project_id,
    created_at: isoTime(now()),
    last_event_seq: 0,
    head_checksum: null,
    base_event_seq: 0,
  };
  if (!row) await store.ensureWorkflow(known);
  const before = await restore(store, known, objects);
  const at = isoTime(now());
  const lostEvent = { event_seq: lost.event_seq, checksum: lost.checksum };
  const { event, position } = nextEvent(
    before,
    restoreProject(
      { from: "copy", event_seq: before.event_seq, checksum: before.checksum, lost: lostEvent, reason },
      lost.fencing_token,
    ),
    { event_id: newId(), at, author, producer_version },
  );
  const { fencing_token } = position.state.lease;
  const lease = await store.lease(workflow_id);
  const { checksum: _, ...payload } = event;
  const outcome = await store.commit({
    event: eventRow(payload),
    acquire: {
      workflow_id,
      owner_id: "released",
      acquired_at: at,
      lease_expires_at: at,
      fencing_token,
      heartbeat_at: at,
    },
    takeOverFrom: lease?.owner_id,
  });
  if (outcome !== "committed") return undefined;
  const { event_seq, checksum } = event;
  store.anchor?.reset({ workflow_id, event_seq, checksum, fencing_token });
  return {
    project_id,
    event_seq,
    checksum,
    fencing_token,
    lost: lostEvent,
    open_steps: stepsOf(openAttempts(before.state)),
  };
}

function noOlderCopy(store: ContinuityStore, project_id: string, event_seq: number | undefined): Error {
  return continuityError("invalid-transition", {
    expected: `project ${nameInline(project_id)} to be an older copy than its anchor says`,
    found:
      event_seq === undefined
        ? `no anchor that names it${store.anchor ? ` in ${store.anchor.place}` : ""}`
        : `a ledger that contains event ${event_seq}, as the anchor says`,
    todo: "There is nothing to accept. Nothing was written.",
  });
}
