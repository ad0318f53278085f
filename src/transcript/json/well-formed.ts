import { MAX_MESSAGE_DEPTH } from "./depth.ts";

/** The depth that a body of messages can have. */
const MAX_LEVELS = MAX_MESSAGE_DEPTH + 2;

/**
 * Containers that a walk visits before it begins to remember them: a value parsed from JSON contains each of them only
 * once, one with shared parts would be walked as often as there are ways to a part.
 */
const FREE_VISITS = 1_000_000;

/** What a walk remembers of its containers: what became of each. */
class Walk {
  #visits = 0;
  #known: Map<object, unknown> | undefined;

  /** Returns what became of a container that was walked before, and undefined while nothing is remembered. */
  known(value: object): unknown {
    if (++this.#visits <= FREE_VISITS) return undefined;
    this.#known ??= new Map();
    return this.#known.get(value);
  }

  learn<T>(value: object, outcome: T): T {
    this.#known?.set(value, outcome);
    return outcome;
  }
}

/** True when no string in the value has a lone surrogate: half a character, left by a careless cut. */
export function isWellFormed(value: unknown, limit = MAX_LEVELS): boolean {
  return isWhole(value, limit, new Walk());
}

function isWhole(value: unknown, limit: number, walk: Walk): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null || limit === 0 || ArrayBuffer.isView(value)) return true;
  const known = walk.known(value);
  if (known !== undefined) return known === true;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (!isWhole(value[at], limit - 1, walk)) return false;
    return walk.learn(value, true);
  }
  for (const key in value) {
    if (!key.isWellFormed() || !isWhole((value as Record<string, unknown>)[key], limit - 1, walk)) return false;
  }
  return walk.learn(value, true);
}

/**
 * Replaces every lone surrogate in the value, since APIs refuse such text; returns the value itself when there is none.
 * Byte arrays, and levels deeper than the gates let through, are skipped.
 */
export function wellFormed<T>(value: T, limit = MAX_LEVELS): T {
  return whole(value, limit, new Walk()) as T;
}

function whole(value: unknown, limit: number, walk: Walk): unknown {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value !== "object" || value === null || limit === 0 || ArrayBuffer.isView(value)) return value;
  const known = walk.known(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => whole(item, limit - 1, walk));
    return walk.learn(value, items.every((item, at) => item === value[at]) ? value : items);
  }
  let isChanged = false;
  const entries = Object.entries(value).map(([key, child]: [string, unknown]): [string, unknown] => {
    const [name, next] = [key.toWellFormed(), whole(child, limit - 1, walk)];
    isChanged ||= name !== key || next !== child;
    return [name, next];
  });
  return walk.learn(value, isChanged ? Object.fromEntries(entries) : value);
}
