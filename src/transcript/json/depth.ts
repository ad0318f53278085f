/**
 * JSON.stringify, structuredClone and most walks of others recurse: they overflow the stack on JSON that nests some two
 * to four thousand levels deep, which JSON.parse reads without complaint. Nothing deeper than this leaves the gates as
 * it is; no tool call is that deep.
 */
export const MAX_DEPTH = 200;

/** How deep a whole message may be: what a call is given stands four levels down in the message. */
export const MAX_MESSAGE_DEPTH = MAX_DEPTH + 4;

/**
 * Containers that a look may visit before it minds which ones it has seen: what was parsed from JSON holds each of them
 * once.
 */
const FREE_VISITS = 1_000_000;

/** No list of a message is longer; one that is says of itself what is not so. */
export const MOST_ITEMS = 10_000_000;

let visits = 0;

/**
 * True when `value` nests deeper than `limit` containers, contains itself or cannot be read to the end. Allocates
 * nothing for what was parsed from JSON; never throws; takes time in proportion to the number of containers, also where
 * they are shared. `limit` is small enough to recurse.
 */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  try {
    return !isTree(value, limit) && (visits <= FREE_VISITS || isDeepGraph(value, limit, new Map()));
  } catch {
    return true;
  }
}

/** True when JSON.stringify comes to an end with the value in good time, unless something in it throws. */
export function isPlainTree(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  try {
    return isTree(value, MAX_DEPTH);
  } catch {
    return false;
  }
}

/** True for a value of no more than `limit` levels that may be walked without looking out for what is shared in it. */
function isTree(value: object, limit: number): boolean {
  visits = 0;
  return !nestsDeeper(value, limit);
}

/** Also true when it has visited too many containers to go on. */
function nestsDeeper(value: object, limit: number): boolean {
  if (ArrayBuffer.isView(value)) return false;
  if (limit === 0 || ++visits > FREE_VISITS) return true;
  if (Array.isArray(value)) {
    const { length } = value;
    if (length > MOST_ITEMS) return true;
    for (let at = 0; at < length; at++) {
      const item: unknown = value[at];
      if (typeof item === "object" && item !== null && nestsDeeper(item, limit - 1)) return true;
    }
    return false;
  }
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === "object" && child !== null && nestsDeeper(child, limit - 1)) return true;
  }
  return false;
}

/** The same where containers may be shared: each is looked at again only with fewer levels left than before. */
function isDeepGraph(value: object, limit: number, seen: Map<object, number>): boolean {
  if (ArrayBuffer.isView(value)) return false;
  if (limit === 0 || (Array.isArray(value) && value.length > MOST_ITEMS)) return true;
  const left = seen.get(value);
  if (left !== undefined && left <= limit) return false;
  seen.set(value, limit);
  for (const child of Object.values(value))
    if (typeof child === "object" && child !== null && isDeepGraph(child as object, limit - 1, seen)) return true;
  return false;
}
