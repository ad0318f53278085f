/** Results of steps: in the event, in a row or in an object, by their size. */
import { nameInline } from "../../base/quoted.ts";
import { continuityError } from "../base/errors.ts";
import { fromBackup } from "../base/from-backup.ts";
import { type Json, sha256 } from "../base/json.ts";
import { objectName, objectText } from "../ledger/snapshots.ts";
import type { CompletedStepRow, ContinuityStore, ObjectStorage, ResultRow } from "../ledger/store.ts";

/** Reference to a step's result: its text, a row of this store, or an object. Results are never part of the state. */
export interface StoredResult {
  readonly result_ref: string;
  readonly result_checksum: string;
  /** The row to write with the event, for a result that is neither short nor large. */
  readonly row?: ResultRow;
}

const INLINE = "json:";
/** Bytes; a longer text takes more room in the reference, which is stored twice, than in a row. */
const LONGEST_IN_REFERENCE = 200;

/** Returns the reference to the JSON text of a result; stores a large one as an object first. */
export async function storeResult(
  content: string,
  workflow_id: string,
  { objects, inlineBytes }: { readonly objects: ObjectStorage | undefined; readonly inlineBytes: number },
): Promise<StoredResult> {
  const bytes = new TextEncoder().encode(content);
  const checksum = sha256(bytes);
  if (bytes.length <= Math.min(LONGEST_IN_REFERENCE, inlineBytes))
    return { result_ref: INLINE + content, result_checksum: checksum };
  if (!objects || bytes.length <= inlineBytes)
    return { result_ref: `row:${checksum}`, result_checksum: checksum, row: { checksum, content } };
  const name = objectName(workflow_id, checksum);
  await objects.put(name, bytes);
  return { result_ref: `object:${name}`, result_checksum: checksum };
}

/** Returns the result of a completed step. Throws as {@link resultText}. */
export async function loadResult(
  step: CompletedStepRow,
  store: Pick<ContinuityStore, "result">,
  objects: ObjectStorage | undefined,
): Promise<Json> {
  return JSON.parse(await resultText(step, store, objects)) as Json;
}

/** Returns the row of a completion. */
export function completionRow(
  of: Pick<CompletedStepRow, "workflow_id" | "step_id" | "attempt_id">,
  { result_ref, result_checksum }: Pick<StoredResult, "result_ref" | "result_checksum">,
  completed_at: string,
): CompletedStepRow {
  const { workflow_id, step_id, attempt_id } = of;
  return {
    workflow_id,
    step_id,
    attempt_id,
    completed_at,
    result_snapshot_ref: result_ref,
    result_checksum,
  };
}

/** Returns the name of the object that holds a result; undefined for one that a row holds. */
export function resultObject(result_ref: string): string | undefined {
  return result_ref.startsWith("object:") ? result_ref.slice("object:".length) : undefined;
}

/** Returns the JSON text of a short result, which the reference itself holds; undefined for another one. */
export function inlineText(result_ref: string): string | undefined {
  return result_ref.startsWith(INLINE) ? result_ref.slice(INLINE.length) : undefined;
}

/**
 * Returns the JSON text of a completed step's result. Throws `damaged` when it is missing or has changed, and
 * `no-object-storage` for one in an object storage that was not passed.
 */
export async function resultText(
  step: CompletedStepRow,
  store: Pick<ContinuityStore, "result">,
  objects: ObjectStorage | undefined,
): Promise<string> {
  const { result_snapshot_ref: ref, result_checksum } = step;
  const of = `step ${nameInline(step.step_id)} of workflow ${step.workflow_id}`;
  const name = resultObject(ref);
  const content =
    inlineText(ref) ??
    (name === undefined ? await rowContent(ref, store) : await objectText(objects, name, { of, among: "results" }));
  const found = content === undefined ? "nothing" : sha256(content);
  if (content === undefined || found !== result_checksum) {
    throw continuityError("damaged", {
      expected: `the result of ${of} with checksum ${result_checksum}`,
      found,
      todo: `The store was changed from outside. ${fromBackup()} Nothing was executed.`,
    });
  }
  return content;
}

async function rowContent(ref: string, store: Pick<ContinuityStore, "result">): Promise<string | undefined> {
  return ref.startsWith("row:") ? store.result(ref.slice("row:".length)) : undefined;
}
