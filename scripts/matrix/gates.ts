/** Runs the pure gates out of a patched OpenClaw, from the file that its chunks import, over the whole corpus. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { GUARD_FILE } from "../../src/patching/base/guard-file.ts";
import { carelessBody } from "../../harness/arbitrary/bodies.ts";
import { isCaptured, loadCorpus, transcriptPath } from "../../harness/corpus/case.ts";
import { isEntry, parseLines } from "../../harness/openclaw/transcript.ts";
import { listViolations } from "../../harness/providers/index.ts";

/** The part of the guard's exports that is pure. */
interface Gates {
  validateToolResultPairing(messages: unknown[]): unknown[];
  prepare(api: string, messages: unknown[]): unknown[];
  heal(api: string, body: unknown): unknown;
}

/** How many corpus histories went through on their APIs, and which of them a strict provider would still refuse. */
export interface GateRun {
  readonly runs: number;
  readonly refused: readonly string[];
}

/**
 * What OpenClaw's own sanitising and adapters take care of between the gates; these cases are run in the real thing
 * only, as are captured sessions: they hold thinking of other models, which adapters leave out.
 */
const NOT_FOR_THE_GATES_ALONE = new Set([
  "j-empty-thinking",
  "j-thinking-is-no-string",
  "j-reasoning-signature-is-no-json",
  "k-image-data-is-broken",
]);

/**
 * Takes the stored histories of the corpus through both gates with the guard that lies in `root`, around an adapter
 * that repairs nothing, on every API that a case concerns. The judges are the strict providers' rules.
 */
export async function runGates(root: string): Promise<GateRun> {
  const gates = (await import(pathToFileURL(join(root, GUARD_FILE)).href)) as Gates;
  const refused: string[] = [];
  let runs = 0;
  for (const { id, apis } of loadCorpus().filter(
    (one) => !isCaptured(one.id) && !NOT_FOR_THE_GATES_ALONE.has(one.id),
  )) {
    const messages = [...storedMessages(id), { role: "user", content: "and now?", timestamp: 0 }];
    for (const api of apis) {
      runs += 1;
      const body = gates.heal(api, carelessBody(api, gates.prepare(api, gates.validateToolResultPairing(messages))));
      const violation = listViolations(api, body)[0];
      if (violation !== undefined) refused.push(`${id} on ${api}: ${violation.message}`);
    }
  }
  return { runs, refused };
}

function storedMessages(id: string): unknown[] {
  return parseLines(readFileSync(transcriptPath(id), "utf8"))
    .filter(isEntry)
    .flatMap((entry) => (entry["type"] === "message" ? [entry["message"]] : []));
}
