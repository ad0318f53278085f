/** How many tokens a route really takes, by its refusals and answers; OpenClaw is given a model with that window. */
import { charactersPerToken, promptTokens, withMeasured } from "../../recovery/size/characters-per-token.ts";
import type { Excess } from "../../recovery/size/read-excess.ts";
import { isObject } from "../../transcript/json/json.ts";
import { routeMemory } from "../base/memory.ts";
import { listFacts, forgetFacts, learn, type Route } from "./routes.ts";

/** An answer is measured each so many: that walks the whole history. */
const EACH = 64;

/** A measure is written anew when it has changed by more than this part. */
const CHANGED = 0.1;

/** How many tokens a route takes in a request, and how many characters one has there. */
export interface Window {
  readonly tokens: number;
  readonly charactersPerToken: number;
}

/** Models that were given a smaller window: what they declare. */
const declared = new WeakMap<object, number>();

/** Returns how many tokens a model declares to take, 0 where it declares nothing. */
export function declaredWindow(model: unknown): number {
  if (!isObject(model)) return 0;
  const { contextWindow } = model;
  return declared.get(model) ?? (typeof contextWindow === "number" && contextWindow > 0 ? contextWindow : 0);
}

/** Returns a copy of a model that declares a smaller window. */
export function withWindow(model: object, contextWindow: number): object {
  const copy = { ...model, contextWindow };
  declared.set(copy, declaredWindow(model));
  return copy;
}

/** True for a model that OpenClaw was given with a smaller window. */
export function isTold(model: unknown): boolean {
  return isObject(model) && declared.has(model);
}

/** Returns how many characters a token has on a route, by what was measured; undefined where nothing was. */
export function measuredOn(route: Route): number | undefined {
  const stored = listFacts(route).find((fact) => fact.what === "token_size");
  return charactersPerToken(routeMemory(route.name).measured) ?? (stored && stored.hundredths / 100);
}

/** Returns how many tokens a refusal of the route has said that it takes; undefined where none did, within a week. */
export function saidLimit(route: Route): number | undefined {
  return listFacts(route).find((fact) => fact.what === "context_size")?.tokens;
}

/**
 * Returns the window of a route, where a refusal has named it and a request was measured. Undefined where the model now
 * declares another one than at that time.
 */
export function findWindow(route: Route, model: unknown): Window | undefined {
  const tokens = saidLimit(route);
  if (tokens === undefined) return undefined;
  const stored = listFacts(route).find((fact) => fact.what === "token_size");
  if (stored?.declared !== declaredWindow(model)) return undefined;
  return { tokens, charactersPerToken: measuredOn(route) ?? stored.hundredths / 100 };
}

/** Measures what a refusal for size says of the request: `characters` is all that was sent. */
export function measureRefused(route: Route, model: unknown, characters: number, excess: Excess | undefined): void {
  const memory = routeMemory(route.name);
  memory.answered = 0;
  // What is measured next is a request of the same conversation.
  memory.answers = 0;
  if (excess?.unit !== "tokens") return;
  const { count: input, limit } = excess;
  if (input !== undefined) memory.measured = withMeasured(memory.measured, characters, { input });
  if (limit !== undefined) memory.declared = declaredWindow(model);
  keep(route);
}

/** Measures what an answer says of its request, now and then; forgets a limit that the request was above. */
export function measureAnswered(route: Route, usage: unknown, characters: () => number): void {
  const memory = routeMemory(route.name);
  const tokens = promptTokens(usage);
  if (tokens === undefined) return;
  memory.answered = Math.max(memory.answered, tokens);
  if (tokens > (saidLimit(route) ?? Infinity)) forgetFacts(route, ["context_size"]);
  if (memory.answers++ % EACH !== 0) return;
  memory.measured = withMeasured(memory.measured, characters(), usage);
  keep(route);
}

/** Keeps a measure with the limit that it belongs to: of a route without one nothing is written. */
function keep(route: Route): void {
  if (saidLimit(route) === undefined) return;
  const memory = routeMemory(route.name);
  const measured = charactersPerToken(memory.measured);
  const stored = listFacts(route).find((fact) => fact.what === "token_size");
  const hundredths = measured === undefined ? stored?.hundredths : Math.round(measured * 100);
  const named = memory.declared ?? stored?.declared;
  if (hundredths === undefined || named === undefined) return;
  const isSame = stored && Math.abs(hundredths - stored.hundredths) <= stored.hundredths * CHANGED;
  if (!isSame || stored.declared !== named) learn(route, [{ what: "token_size", hundredths, declared: named }]);
}
