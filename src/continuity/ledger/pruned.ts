import { createHash } from "node:crypto";
import { continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import type { Command } from "../decide/decision.ts";
import type { LedgerEvent } from "./events.ts";
import type { Position } from "./position.ts";

/** What the event of a removal says of it; verification compares the ledger with it. */
export interface PrunedData {
  readonly base_event_seq: number;
  readonly base_checksum: string;
  readonly removed: number;
  readonly kept: number;
  /** SHA-256 of the checksums of the events that stay, in their order. */
  readonly kept_checksum: string;
}

/** Records that a ledger begins with a later event. */
export function pruneLedger(data: PrunedData): Command {
  return (state) => ({ type: "ledger_pruned", data, state });
}

/** The number of the events that stay before the beginning, and the SHA-256 of their checksums. */
export class KeptDigest {
  readonly #hash = createHash("sha256");
  #count = 0;

  add({ checksum }: Pick<LedgerEvent, "checksum">): void {
    this.#hash.update(checksum);
    this.#count += 1;
  }

  get count(): number {
    return this.#count;
  }

  get checksum(): string {
    return this.#hash.copy().digest("hex");
  }
}

/** Throws unless the ledger begins where the last removal of events says, with the events that were kept then. */
export function assertPruned(
  { event_seq, checksum }: Pick<Position, "event_seq" | "checksum">,
  pruned: LedgerEvent | undefined,
  kept: KeptDigest,
): void {
  if (event_seq === 0 && !pruned) return;
  const said = pruned?.data as PrunedData | undefined;
  const isSo = said?.base_event_seq === event_seq && said.base_checksum === checksum;
  if (isSo && said.kept_checksum === kept.checksum) return;
  throw continuityError("damaged", {
    expected: said
      ? `the ledger to begin with event ${said.base_event_seq}, as event ${pruned!.event_seq} says, behind ${said.kept} kept events of steps`
      : "an event that says that the ledger was pruned",
    found: isSo ? "other events than those that were kept" : `it begins with event ${event_seq}`,
    todo: `Events are missing. ${fromBackup()}`,
  });
}
