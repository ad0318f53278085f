import * as fc from "fast-check";
import { anyHistory, historyFrom } from "../arbitrary/history.ts";
import type { ModelApi } from "../corpus/case.ts";
import type { Adapter } from "./adapter.ts";
import type { Expected } from "./judge.ts";
import { listTargets, writtenBy, type Model } from "./targets.ts";

/** A history on its way to a model through an adapter. */
export interface Case {
  adapter: Adapter;
  model: Model;
  messages: unknown[];
  expected: Expected;
  /** Names of the corruptions; `any JSON` for a history that was none to begin with. */
  corruptions: readonly string[];
}

const ANY = ["any JSON"];
const NOTHING: Expected = { texts: [], results: [] };

/** As `corruptHistory`, with at least one corruption. */
const corrupted = fc
  .tuple(
    fc.array(fc.nat(1_000_000), { minLength: 8, maxLength: 40 }),
    fc.integer({ min: 1, max: 5 }),
    fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 5 }),
  )
  .map(([numbers, turns, kinds]) => {
    const { messages, corruptions, ...expected } = historyFrom(numbers, turns, kinds);
    return { messages, corruptions, expected };
  });

/** One of six histories is any JSON whatever, the others are healthy ones with up to five corruptions. */
const histories = fc.oneof(
  { weight: 5, arbitrary: corrupted },
  { weight: 1, arbitrary: anyHistory.map((messages) => ({ messages, corruptions: ANY, expected: NOTHING })) },
);

const NEXT_MESSAGE = { role: "user", content: "and what now?", timestamp: 1_770_000_100_000 };

/**
 * Cases of an API: any history, by any of the API's models, written by that model or another, with and without a new
 * message.
 */
export function arbitraryCase(api: ModelApi, adapters: readonly Adapter[]): fc.Arbitrary<Case> {
  const choices = fc.record({
    adapter: fc.constantFrom(...adapters.filter(({ apis }) => apis.includes(api))),
    model: fc.constantFrom(...listTargets(api)),
    own: fc.boolean(),
    asked: fc.boolean(),
  });
  return fc.tuple(histories, choices).map(([{ messages, corruptions, expected }, { adapter, model, own, asked }]) => {
    const written = own ? writtenBy(model, messages) : messages;
    return { adapter, model, messages: asked ? [...written, NEXT_MESSAGE] : written, expected, corruptions };
  });
}

/** The messages with a new one of the user behind them: what a release gets to send when a session goes on. */
export function askedMessages(messages: readonly unknown[]): readonly unknown[] {
  return messages.at(-1) === NEXT_MESSAGE ? messages : [...messages, NEXT_MESSAGE];
}

/** What a person needs to see of a failing case, on one line each. */
export function describeCase({ adapter, model, messages, corruptions }: Case): string {
  return [
    `adapter     ${adapter.name}`,
    `model       ${model.api} ${model.provider}/${model.id}${model.reasoning ? " (thinking)" : ""}`,
    `corruptions ${corruptions.join(", ") || "none"}`,
    `messages    ${JSON.stringify(messages)}`,
  ].join("\n");
}
