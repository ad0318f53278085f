import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isAlive, isProcessId, processStart } from "../base/processes.ts";

/** One for all copies of this module in a process: a plugin that is loaded again is the same executor. */
const OWNER = Symbol.for("openclaw-integrity.continuity.owner.v1");

/**
 * This process for ever, as the owner of a lease: `<host>/<process id>/<start, ms since 1970>/<random>`. The host has
 * the namespace of process ids behind it, where there is one.
 */
export function processOwner(): string {
  const shared = globalThis as { [OWNER]?: string };
  const started = Math.round(processStart());
  return (shared[OWNER] ??= `${place()}/${process.pid}/${started}/${randomBytes(4).toString("hex")}`);
}

/**
 * Whether the process that an owner names ran here and runs no more, so that its lease can be taken over at once. False
 * whenever that cannot be told: another machine or container, an owner of another form, a process id that was given to
 * another process since.
 */
export function isGone(owner_id: string): boolean {
  const found = /^(?<where>.+)\/(?<pid>[1-9]\d*)\/\d+\/[0-9a-f]+$/.exec(owner_id)?.groups;
  if (found === undefined || found["where"] !== place()) return false;
  const pid = Number(found["pid"]);
  // The same process id and another owner: it is the process before this one.
  if (pid === process.pid) return owner_id !== processOwner();
  return isProcessId(pid) && !isAlive(pid);
}

/** Process ids mean something within it only: two containers may have one host name. */
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
