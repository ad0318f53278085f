import canonicalize from "canonicalize";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { contentHash, EMPTY_HASH, inputHash } from "./content-hash.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 1000);

/** JSON with every kind of string and number, names that objects have anyway among them. */
const json = fc.jsonValue({ maxDepth: 5, stringUnit: "grapheme-composite" });
const names = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "length",
    "",
    "\u0000",
    "é",
    "e\u0301",
    "\ud83d\ude00",
    "\uffff",
    "10",
    "9",
    "1",
  ),
);
const objects = fc.dictionary(names, fc.oneof(json, fc.double(), fc.string({ unit: "binary" })), {
  noNullPrototype: true,
});

/** The same value with the keys of every object in another order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, field]) => [key, reordered(field)]),
  );
}

describe("canonicalJson", () => {
  it("writes any JSON as RFC 8785 says, by the word of another implementation", () => {
    const finite = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    fc.assert(
      fc.property(fc.oneof(json, objects), (value) => {
        const stored = finite(value);
        expect(canonicalJson(stored)).toBe(canonicalize(stored));
      }),
      { numRuns: RUNS },
    );
  });

  it("writes the numbers and strings of the RFC's own example", () => {
    const example: unknown = JSON.parse(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    );
    expect(canonicalJson(example)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("gives the same text whatever the order of keys, and says the value again when it is read", () => {
    fc.assert(
      fc.property(fc.oneof(json, objects), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(reordered(value))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });

  it("holds what JSON cannot as JSON.stringify would", () => {
    expect(canonicalJson({ b: undefined, a: [undefined, () => 1], d: new Date(0), n: Number.NaN })).toBe(
      '{"a":[null,null],"d":"1970-01-01T00:00:00.000Z","n":null}',
    );
    expect(canonicalJson(undefined)).toBe("null");
    expect(() => canonicalJson({ n: 1n })).toThrow(TypeError);
    const round: { self?: unknown } = {};
    round.self = round;
    expect(() => canonicalJson(round)).toThrow(RangeError);
  });
});

describe("contentHash", () => {
  it("hashes on from any place of the list to the hash of the whole", () => {
    fc.assert(
      fc.property(fc.array(json), fc.nat(), (messages, cut) => {
        const at = messages.length === 0 ? 0 : cut % (messages.length + 1);
        expect(contentHash(messages.slice(at), contentHash(messages.slice(0, at)))).toBe(contentHash(messages));
      }),
      { numRuns: RUNS },
    );
  });

  it("tells lists apart that hold something else, in another order, or divided otherwise", () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 4 }), fc.array(json, { maxLength: 4 }), (one, other) => {
        expect(contentHash(one) === contentHash(other)).toBe(canonicalJson(one) === canonicalJson(other));
      }),
      { numRuns: RUNS },
    );
    expect(contentHash([12, 3])).not.toBe(contentHash([1, 23]));
    expect(contentHash([])).toBe(EMPTY_HASH);
    expect(EMPTY_HASH).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });
});

it("inputHash is the same for inputs that differ in the order of keys only", () => {
  expect(inputHash({ path: "a", lines: [1, 2] })).toBe(inputHash({ lines: [1, 2], path: "a" }));
  expect(inputHash({ path: "a", lines: [1, 2] })).not.toBe(inputHash({ path: "a", lines: [2, 1] }));
});
