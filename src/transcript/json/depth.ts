/**
 * JSON.stringify, structuredClone and most other code that walks values recurse: they overflow the stack on JSON of
 * some two to four thousand levels, which JSON.parse reads without an error. The gates replace everything deeper than
 * this bound; no real tool call is that deep.
 */
export const MAX_DEPTH = 200;

/** How deep a whole message may be: a call's arguments are four levels down in the message. */
export const MAX_MESSAGE_DEPTH = MAX_DEPTH + 4;

/**
 * Containers that a check visits before it begins to remember them: a value parsed from JSON contains each of them only
 * once.
 */
const FREE_VISITS = 1_000_000;

/** No list in a message is longer; a longer one has a `length` without the items. */
export const MAX_ITEMS = 10_000_000;

let visits = 0;
/** Why the last walk ended early, other than by depth. */
let stopped: "bigint" | "unreadable" | undefined;

/**
 * True when `value` nests deeper than `limit` containers, contains itself, cannot be read to the end or holds a bigint,
 * with which JSON.stringify throws. Allocates nothing for a value parsed from JSON; never throws; takes time in
 * proportion to the number of containers, also where they are shared. Recursive, hence `limit` must be small.
 */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  try {
    return !isTree(value, limit) && (visits <= FREE_VISITS || isDeepGraph(value, limit, new Map()));
  } catch {
    stopped = "unreadable";
    return true;
  }
}

/**
 * Returns why JSON.stringify would throw, or not write the whole value; undefined for a value that is no deeper than
 * `limit`. Of several reasons the first one that a walk meets. A value's own `toJSON`, which may throw, is not called.
 */
export function whyNoJson(value: unknown, limit: number): "bigint" | "unreadable" | "deep" | undefined {
  if (typeof value === "bigint") return "bigint";
  stopped = undefined;
  return isDeeperThan(value, limit) ? (stopped ?? "deep") : undefined;
}

/** True when JSON.stringify ends with this value in reasonable time, or throws an error of the value's own. */
export function isPlainTree(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  try {
    return isTree(value, MAX_DEPTH);
  } catch {
    return false;
  }
}

/** True for a value of at most `limit` levels that can be walked without remembering shared containers. */
function isTree(value: object, limit: number): boolean {
  visits = 0;
  return !nestsDeeper(value, limit);
}

/** True for bytes, which have one level and need no look at their items; false for a list of bigints. */
export function isBytes(value: object): boolean {
  return ArrayBuffer.isView(value) && typeof (value as Uint8Array)[0] !== "bigint";
}

/** True when the value nests deeper than `limit` or holds a bigint, and also when too many containers were visited. */
function nestsDeeper(value: object, limit: number): boolean {
  if (isBytes(value)) return false;
  if (limit === 0 || ++visits > FREE_VISITS) return true;
  if (Array.isArray(value)) {
    const { length } = value;
    if (length > MAX_ITEMS) return true;
    for (let at = 0; at < length; at++) {
      if (stops(value[at], limit)) return true;
    }
    return false;
  }
  for (const key in value) {
    if (stops((value as Record<string, unknown>)[key], limit)) return true;
  }
  return false;
}

function stops(child: unknown, limit: number): boolean {
  if (typeof child === "object") return child !== null && nestsDeeper(child, limit - 1);
  return isBigint(child);
}

function isBigint(child: unknown): boolean {
  if (typeof child !== "bigint") return false;
  stopped = "bigint";
  return true;
}

/** Does the same where containers may be shared: visits one again only with fewer levels left than before. */
function isDeepGraph(value: object, limit: number, seen: Map<object, number>): boolean {
  if (isBytes(value)) return false;
  if (limit === 0 || (Array.isArray(value) && value.length > MAX_ITEMS)) return true;
  const left = seen.get(value);
  if (left !== undefined && left <= limit) return false;
  seen.set(value, limit);
  for (const child of Object.values(value) as unknown[]) {
    if (typeof child !== "object" ? isBigint(child) : child !== null && isDeepGraph(child, limit - 1, seen))
      return true;
  }
  return false;
}
