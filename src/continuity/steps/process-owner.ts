import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isAlive, isProcessId, processStart } from "../../base/processes.ts";

/**
 * Where a process keeps its one owner for all copies of this module: a plugin that is loaded again is the same
 * executor.
 */
const OWNER = Symbol.for("openclaw-integrity.continuity.owner.v1");

/**
 * Returns the owner id of this process: `<host>/<process id>/<start, ms since 1970>/<random>`. It stays the same for
 * the life of the process. The host is followed by the namespace of process ids, where there is one.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, isGone, openSqliteStore, processOwner } from "openclaw-integrity/continuity";
 *
 * assert.equal(isGone(processOwner()), false);
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * // After a kill of the process that had the lease, this takes the lease over at once.
 * const lease = await site.acquireLease({ owner_id: processOwner(), isGone });
 * assert.equal(lease.owner_id, processOwner());
 * await continuity.close();
 * ```
 */
export function processOwner(): string {
  const shared = globalThis as { [OWNER]?: string };
  const started = Math.round(processStart());
  return (shared[OWNER] ??= `${place()}/${process.pid}/${started}/${randomBytes(4).toString("hex")}`);
}

/**
 * Returns whether the process that an owner id names ran on this host and has ended, so that its lease can be taken
 * over at once. Returns false when that is unknown: another machine or container, an owner id of another form, or a
 * process id that another process has now.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, isGone, openSqliteStore, processOwner } from "openclaw-integrity/continuity";
 *
 * assert.equal(isGone(processOwner()), false);
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * // After a kill of the process that had the lease, this takes the lease over at once.
 * const lease = await site.acquireLease({ owner_id: processOwner(), isGone });
 * assert.equal(lease.owner_id, processOwner());
 * await continuity.close();
 * ```
 */
export function isGone(owner_id: string): boolean {
  return ownerState(owner_id) === "gone";
}

/**
 * What is known of the process that an owner id names: it has ended, a process with its id runs on this machine
 * (perhaps a later one with the same id), or nothing, as of another machine's.
 */
export type OwnerState = "gone" | "running" | "unknown";

/** Returns what is known of the process that an owner id names. */
export function ownerState(owner_id: string): OwnerState {
  const found = /^(?<where>.+)\/(?<pid>[1-9]\d*)\/\d+\/[0-9a-f]+$/.exec(owner_id)?.groups;
  if (found === undefined || found["where"] !== place()) return "unknown";
  const pid = Number(found["pid"]);
  // The same process id with another owner id names an earlier process.
  if (pid === process.pid) return owner_id === processOwner() ? "running" : "gone";
  if (!isProcessId(pid)) return "unknown";
  return isAlive(pid) ? "running" : "gone";
}

/** Returns the scope in which process ids are unique: two containers may have one host name. */
function place(): string {
  return `${hostname().replaceAll("/", "-").slice(0, 100)}${namespaceOfProcessIds()}`;
}

function namespaceOfProcessIds(): string {
  try {
    return `#${/\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? ""}`;
  } catch {
    return "";
  }
}
