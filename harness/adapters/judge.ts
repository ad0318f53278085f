import { validateToolResultPairing } from "../../src/transcript/index.ts";
import { check, heal, prepare } from "../../src/wire/index.ts";
import { listViolations } from "../providers/index.ts";
import type { Adapter } from "./adapter.ts";
import type { Model } from "./targets.ts";
import { toWire } from "./wire.ts";

/** Content that must be in a body. */
export interface Expected {
  texts: readonly string[];
  results: readonly { text: string }[];
}

/** What became of a history on its way to a provider. */
export interface Verdict {
  /** What the adapter threw, or the provider's first objection. */
  refused?: string;
  /** Texts that are not in the body. */
  lost: string[];
}

/** A verdict on a repaired request, with what else must hold. */
export interface RepairedVerdict extends Verdict {
  /** What a second pass changed. */
  notIdempotent?: string;
  /** Where the same history gave other bytes. */
  notDeterministic?: boolean;
}

function missing(body: string, { texts, results }: Expected): string[] {
  const wanted = [...texts, ...results.map(({ text }) => text)];
  return wanted.map((text) => JSON.stringify(text.trim()).slice(1, -1)).filter((text) => !body.includes(text));
}

function nameError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** The adapter alone, as an OpenClaw without the patch runs it. */
export async function judgeAlone(
  adapter: Adapter,
  model: Model,
  messages: readonly unknown[],
  expected: Expected,
): Promise<Verdict> {
  let body: Record<string, unknown>;
  try {
    body = toWire(model.api, await adapter.build(model, structuredClone(messages)));
  } catch (error) {
    return { refused: `adapter threw ${nameError(error)}`, lost: [] };
  }
  const refused = listViolations(model.api, body, { model: model.id })[0]?.message;
  return { ...(refused === undefined ? {} : { refused }), lost: missing(JSON.stringify(body), expected) };
}

interface Passed {
  prepared: unknown[];
  healed: Record<string, unknown>;
}

/** History gate, `prepare`, adapter, `heal`: the way of a history through the patched OpenClaw. */
async function pass(adapter: Adapter, model: Model, messages: unknown[]): Promise<Passed> {
  const prepared = prepare(model.api, validateToolResultPairing(messages));
  return { prepared, healed: heal(model.api, await adapter.build(model, prepared)) };
}

/** The whole way, judged by the strict provider's rules, which were written apart from ours. */
export async function judgeRepaired(
  adapter: Adapter,
  model: Model,
  messages: unknown[],
  expected: Expected,
): Promise<RepairedVerdict> {
  const { api } = model;
  const before = JSON.stringify(messages);
  let passed: Passed;
  try {
    passed = await pass(adapter, model, messages);
  } catch (error) {
    return { refused: `threw ${nameError(error)}`, lost: [] };
  }
  const { prepared, healed } = passed;
  const wire = toWire(api, healed);
  const text = JSON.stringify(wire);
  const refused = listViolations(api, wire, { model: model.id })[0]?.message;
  const ours = check(api, healed)[0];
  const verdict: RepairedVerdict = { lost: missing(text, expected) };
  if (refused !== undefined) verdict.refused = refused;
  else if (ours) verdict.refused = `check() finds ${ours.rule} at ${ours.path}`;
  if (heal(api, healed) !== healed) verdict.notIdempotent = "heal";
  else if (prepare(api, prepared) !== prepared) verdict.notIdempotent = "prepare";
  else if (validateToolResultPairing(prepared) !== prepared) verdict.notIdempotent = "history gate";
  if (JSON.stringify(messages) !== before) verdict.notDeterministic = true;
  const again = await pass(adapter, model, structuredClone(messages));
  if (JSON.stringify(toWire(api, again.healed)) !== text) verdict.notDeterministic = true;
  return verdict;
}

/** What is wrong with a repaired request, in a few words; undefined when nothing is. */
export function describeFault({ refused, lost, notIdempotent, notDeterministic }: RepairedVerdict): string | undefined {
  if (refused !== undefined) return `refused: ${refused}`;
  if (lost.length > 0) return `lost: ${lost.join(" | ")}`;
  if (notIdempotent !== undefined) return `not idempotent: ${notIdempotent}`;
  return notDeterministic === true ? "not deterministic" : undefined;
}
