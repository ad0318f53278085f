import { setTimeout as sleep } from "node:timers/promises";
import type { Continuity } from "../continuity.ts";
import type { RecordedResult } from "../steps/engine-steps.ts";
import { thrownText } from "../steps/recordable.ts";
import { readArguments, ownerName } from "./identity.ts";
import type { DbosSdk, DbosStatus } from "./sdk.ts";

/** Statuses in which a DBOS workflow has ended without a result. A cancelled one can be resumed, and end once more. */
const FAILED: ReadonlySet<string> = new Set(["ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]);
const LONGEST_PAUSE_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

/** Returns whether a DBOS workflow has ended without a result. */
export function hasFailed({ status }: DbosStatus): boolean {
  return FAILED.has(status);
}

/**
 * Records in the ledger how a DBOS workflow ended, after DBOS has recorded that: its result, or that it failed and may
 * have acted. Can be repeated, by any process. Returns the result that counts; undefined when there is none, or the
 * project was removed.
 */
export async function settle(continuity: Continuity, status: DbosStatus): Promise<RecordedResult | undefined> {
  const given = readArguments(status);
  const project = given && (await continuity.find(given.project_id));
  if (!given || !project) return undefined;
  const steps = project.engineSteps(ownerName(status.workflowID));
  if (status.status === "SUCCESS") return steps.complete(given.request, status.output as RecordedResult);
  if (hasFailed(status)) await steps.fail(given.request, readFailure(status));
  return undefined;
}

/** Waits until DBOS has recorded how a workflow ended, whose body has just ended in this process, and settles that. */
export async function settleSoon(sdk: DbosSdk, continuity: Continuity, workflowID: string): Promise<void> {
  const until = Date.now() + LONGEST_WAIT_MS;
  for (let pause = 5; Date.now() < until; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    await sleep(pause, undefined, { ref: false });
    const status = await sdk.getWorkflowStatus(workflowID);
    if (status?.status !== "SUCCESS" && !(status && hasFailed(status))) continue;
    await settle(continuity, status);
    return;
  }
}

function readFailure({ status, error }: DbosStatus): string {
  return status === "ERROR" ? thrownText(error) : `DBOS: ${status}`;
}
