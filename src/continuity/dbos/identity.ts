/** How a step is named in DBOS and its DBOS workflow in the ledger, in both directions. */
import { nameInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import { canonicalText } from "../base/json.ts";
import type { StepRequest } from "../steps/request.ts";
import type { DbosStatus } from "./sdk.ts";

/** What a DBOS workflow is started with: everything that another host needs to go on with it. */
export interface StepArguments {
  readonly project_id: string;
  readonly request: StepRequest;
}

const OWNER = "dbos/";

/**
 * Returns the id of the DBOS workflow of a step: `<project>/<step_id>`, and `/<run>` behind it from the second run on,
 * which follows a run that failed. `%` and `/` in names are written as `%25` and `%2F`, so that no two steps share an
 * id.
 */
export function makeWorkflowId(project_id: string, step_id: string, run: number): string {
  return [project_id, step_id].map(encoded).join("/") + (run === 1 ? "" : `/${run}`);
}

/** Returns the owner that the ledger records for a DBOS workflow. */
export function ownerName(workflowID: string): string {
  return OWNER + workflowID;
}

/** Returns the DBOS workflow that an owner in the ledger names; undefined for any other owner. */
export function workflowOfOwner(owner_id: string): string | undefined {
  return owner_id.startsWith(OWNER) ? owner_id.slice(OWNER.length) : undefined;
}

/** Returns the arguments of a workflow that this package started; undefined for any other one. */
export function readArguments({ input }: DbosStatus): StepArguments | undefined {
  const [given] = (input ?? []) as [Partial<StepArguments> | undefined];
  return typeof given?.project_id === "string" && typeof given.request?.step_id === "string"
    ? (given as StepArguments)
    : undefined;
}

/** Throws `step-mismatch` when a DBOS workflow of that id is that of another step, or of a step with another input. */
export function assertSameWorkflow(status: DbosStatus, name: string, wanted: StepArguments): void {
  const found = readArguments(status);
  if (found && status.workflowName === name && identity(found) === identity(wanted)) return;
  throw continuityError("step-mismatch", {
    expected:
      `the DBOS workflow ${nameInline(status.workflowID)} to be ${nameInline(name)} for step ` +
      `${nameInline(wanted.request.step_id)}, with this type, key and input`,
    found: found
      ? `${nameInline(status.workflowName)} for step ${nameInline(found.request.step_id)} with another type, ` +
        "key or input"
      : `${nameInline(status.workflowName)}, which is no step of a ledger`,
    todo: "For the same action pass the same. Only another action has another step_id. Nothing was executed.",
  });
}

function identity({ project_id, request }: StepArguments): string {
  const { step_id, step_type, idempotency_key = null, input = null } = request;
  return canonicalText({ project_id, step_id, step_type, idempotency_key, input });
}

function encoded(name: string): string {
  return name.replaceAll("%", "%25").replaceAll("/", "%2F");
}
