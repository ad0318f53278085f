import { ownCommand } from "../../base/commands/own-command.ts";
import { nameInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import type { AnchorEntry } from "./anchor.ts";
import type { ContinuityStore, WorkflowRow } from "./store.ts";

/** A position of a ledger that somebody has noted: `<sequence>:<checksum>`. */
export type Expected = Pick<AnchorEntry, "event_seq" | "checksum">;

/** How a ledger differs from one that has reached a position. */
export interface Difference {
  /** `behind`: it ends before. `other`: it has another event there. */
  readonly how: "behind" | "other";
  /** The last event of the ledger; 0 for none. */
  readonly last_event_seq: number;
}

/** Returns how a ledger differs from one that contains that event; undefined when it contains it. */
export async function differenceFrom(
  store: ContinuityStore,
  workflow_id: string,
  { event_seq, checksum }: Expected,
): Promise<Difference | undefined> {
  const [event] = await store.eventsAfter(workflow_id, event_seq - 1, 1);
  if (event?.event_seq === event_seq && event.checksum === checksum) return undefined;
  const { last_event_seq = 0 } = (await store.workflow(workflow_id)) ?? {};
  return { how: last_event_seq < event_seq ? "behind" : "other", last_event_seq };
}

/** Says how a ledger differs, in words for a person. */
export function differenceText({ how, last_event_seq }: Difference, { event_seq }: Expected): string {
  return how === "behind"
    ? `the ledger ends with event ${last_event_seq}: this is an older copy, without the last ` +
        `${event_seq - last_event_seq} events; what was done since is not known here`
    : `another event ${event_seq}: this ledger goes on from an older copy, and lacks what the other one recorded since`;
}

/**
 * Throws `older-copy` when the ledger does not contain the event that the anchor names: the database is an older copy,
 * and what was done since would be done again.
 */
export async function assertNotOlder(
  store: ContinuityStore,
  { workflow_id, project_id }: Pick<WorkflowRow, "workflow_id" | "project_id">,
): Promise<void> {
  const { anchor } = store;
  // The anchor first: whatever it names is durable by then.
  const entry = anchor?.read(workflow_id);
  if (!anchor || !entry) return;
  const difference = await differenceFrom(store, workflow_id, entry);
  if (!difference) return;
  // A project that was removed meanwhile, or accepted, is no older copy.
  const now = anchor.read(workflow_id);
  if (now?.checksum !== entry.checksum) return assertNotOlder(store, { workflow_id, project_id });
  throw continuityError("older-copy", {
    expected:
      `the ledger of project ${nameInline(project_id)} to contain event ${entry.event_seq} with checksum ` +
      `${entry.checksum}, as ${anchor.place} says`,
    found: differenceText(difference, entry),
    todo:
      "Put the newest copy of the store back. If there is none, restore a backup with " +
      `\`${ownCommand("continuity restore")}\`: the newest one, or one of this copy, made with ` +
      `\`${ownCommand("continuity backup", { options: ["--accept-loss", "--out", "copy.jsonl"] })}\`. Move this ` +
      "store away before, and leave its anchor. Nothing was executed.",
  });
}
