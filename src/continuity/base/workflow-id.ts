import { v5 as uuidOfName } from "uuid";
import { valueInline } from "../../base/quoted.ts";
import { continuityError } from "./errors.ts";
import { assertStorable } from "./json.ts";

/** UUID namespace of workflow ids: a project has the same id on every machine. */
const PROJECT_NAMESPACE = "6f636963-6f6e-5074-8a6e-756974790002";
const LONGEST_PROJECT = 200;

/** Returns the id of a project's ledger, which is made of the project's name. */
export function workflowId(project_id: string): string {
  return uuidOfName(project_id, PROJECT_NAMESPACE);
}

/** Returns whether a value can be the name of a project. */
export function isProjectId(value: unknown): value is string {
  return isLongEnough(value) && !value.includes("\u0000") && value.isWellFormed();
}

function isLongEnough(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= LONGEST_PROJECT;
}

/** Throws `bad-input` for a value that is no name of a project. */
export function assertProjectId(project_id: string): void {
  if (!isLongEnough(project_id)) {
    throw continuityError("bad-input", {
      expected: `a project_id of 1 to ${LONGEST_PROJECT} characters`,
      found: valueInline(project_id),
      todo: "Nothing was written.",
    });
  }
  assertStorable(project_id, "project_id");
}
