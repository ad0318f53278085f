import type { JsonObject, Violation } from "../../src/providers/index.ts";

/** A one-pixel image. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The texts of violations, for short comparisons. */
export function texts(violations: Violation[]): string[] {
  return violations.map(({ message }) => message);
}

/** Arguments nested `depth` lists deep. */
export function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

/** JSON of every kind in every place where a rule might look for something else. */
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  "",
  " ",
  "text",
  "\ud800",
  [],
  {},
  [null],
  [[]],
  [{}],
  [{ type: null }],
  { type: "text" },
  { role: {} },
  { content: { content: [] } },
  { __proto__: null },
  { constructor: 1, type: "constructor" },
  { role: "user", content: [{ type: "toString" }] },
  { toString: 1, valueOf: 1 },
  [{ toString: 1, valueOf: 1 }],
];

/** Every body that arises from `body` when one value in it is replaced by an odd one or left out. */
export function* mutations(body: JsonObject): Generator<unknown> {
  yield* ODD_VALUES;
  const paths: (string | number)[][] = [];
  collect(body, [], paths);
  for (const path of paths) {
    for (const odd of [...ODD_VALUES, undefined]) {
      const copy = structuredClone(body);
      let holder: unknown = copy;
      for (const key of path.slice(0, -1)) holder = (holder as Record<string | number, unknown>)[key];
      (holder as Record<string | number, unknown>)[path.at(-1) ?? ""] = odd;
      yield JSON.parse(JSON.stringify(copy));
    }
  }
}

function collect(value: unknown, path: (string | number)[], paths: (string | number)[][]): void {
  if (path.length > 0) paths.push(path);
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value))
    collect(child, [...path, Array.isArray(value) ? Number(key) : key], paths);
}
