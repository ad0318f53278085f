/** What each gateway has found about itself: `integrity/gateways/<pid>.json` in the state directory. */
import { join } from "node:path";
import { readProcessRecords, writeProcessRecord } from "./process-records.ts";

const STATES = ["protected", "not protected", "unknown"] as const;

/** Whether the process of a gateway is protected from corrupt histories, as it has found by trying. */
export interface Protection {
  readonly state: (typeof STATES)[number];
  /** Why, in words for the operator, without a full stop. */
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The folder of its OpenClaw. */
  readonly root: string;
}

function folderIn(state: string): string {
  return join(state, "integrity", "gateways");
}

/** Publishes what this process has found. Throws what the file system throws. */
export function publishProtection(state: string, found: Protection): void {
  writeProcessRecord(folderIn(state), found);
}

/** What the gateways that run with this state have published, by process id. Never throws. */
export function readProtections(state: string): ReadonlyMap<number, Protection> {
  return new Map(
    readProcessRecords(folderIn(state)).flatMap(({ pid, state: is, reason, at, root }) => {
      const found = STATES.find((one) => one === is);
      return found !== undefined && typeof reason === "string" && typeof at === "number" && typeof root === "string"
        ? [[pid, { state: found, reason, at, root }]]
        : [];
    }),
  );
}
