/**
 * Returns in a text what a value is that JSON would write as `{}`: a stream, a response of `fetch`, a generator, a
 * promise, an error (with its message). Also for a stream of Node, of whose JSON only its own state is a part.
 * Undefined for a plain object, a list, bytes, and everything that JSON can write. Never throws.
 */
export function opaqueText(value: object): string | undefined {
  try {
    return wordsFor(value);
  } catch {
    // A proxy or a getter throws: what reads the value next says so.
    return undefined;
  }
}

function wordsFor(value: object): string | undefined {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  const { toJSON, [Symbol.asyncIterator]: next } = value as { toJSON?: unknown; [Symbol.asyncIterator]?: unknown };
  if (typeof toJSON === "function") return undefined;
  if (typeof next !== "function" && Object.keys(value).length > 0) return undefined;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  const type = objectType(value);
  return WRITABLE.has(type) ? undefined : `[A value of type ${type}, which has no JSON.]`;
}

/** Types that JSON can write, also as objects. */
const WRITABLE: ReadonlySet<string> = new Set(["Object", "Number", "String", "Boolean"]);

function objectType(value: object): string {
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const { constructor } = value;
  return tag === "Object" && typeof constructor === "function" ? constructor.name || tag : tag;
}
