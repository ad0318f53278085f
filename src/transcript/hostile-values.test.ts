/** Values that overflow a stack, never end or throw when they are read. */
import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepArray, deepObject, shared } from "../../harness/arbitrary/hostile-values.ts";
import { repair, validate } from "./index.ts";
import { isDeeperThan, isPlainTree, MAX_DEPTH, MAX_MESSAGE_DEPTH, whyNoJson } from "./json/depth.ts";
import { deepText, toArguments, toJson, wellFormed, toWord } from "./json/json.ts";
import { plainCopy, withoutDepth } from "./json/plain.ts";
import { readText } from "./json/text.ts";

const itself: Record<string, unknown> = { name: "a circle" };
itself.again = itself;
const throwing = {
  sound: "words",
  get bad(): never {
    throw new Error("no");
  },
};
const endless: object = new Proxy(
  {},
  {
    get: (_target, key) => (key === "toJSON" ? undefined : endless),
    ownKeys: () => ["a", "b"],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  },
);

/** What no JSON.parse gives, but a tool or an error of others may hold. */
const FOREIGN = new Map<string, unknown>([
  ["a value that contains itself", itself],
  ["a property that throws", throwing],
  ["a bigint", { amount: 12n }],
  ["a list of bigints as bytes", new BigUint64Array([12n])],
  ["a proxy without end", endless],
  ["a value that shares its parts two to the sixtieth times", shared(60)],
  [
    "a toJSON that throws",
    {
      toJSON: () => {
        throw new Error("no");
      },
    },
  ],
  ["an object without a text", Object.create(null)],
  ["a toString that is none", { toString: 1, valueOf: 2 }],
  [
    "a list that says it has four billion items",
    new Proxy([], { get: (target, key) => (key === "length" ? 2 ** 32 - 1 : Reflect.get(target, key)) }),
  ],
]);
// The runner must not print them.
const WHAT = [...FOREIGN.keys()];

describe("JSON text", () => {
  test("is what JSON.stringify writes, for all that it takes", () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withNullPrototype: true }), (value) => {
        expect(toJson({ value })).toBe(JSON.stringify({ value }));
      }),
    );
  });

  test("is the same for a value that is too deep for JSON.stringify", () => {
    for (const depth of [MAX_DEPTH, MAX_DEPTH + 1, 1000, 3000])
      expect(toJson(deepObject(depth))).toBe(JSON.stringify(deepObject(depth)));
    expect(() => JSON.stringify(deepObject(100_000))).toThrow(RangeError);
    expect(toJson(deepObject(100_000))).toBe(`${'{"deep":'.repeat(100_000)}"bottom"${"}".repeat(100_000)}`);
  });

  test.each(WHAT)("of %s comes to an end", (what) => {
    const value = FOREIGN.get(what);
    const text = toJson({ before: "sound words", value, after: "more sound words" });
    expect(text).toContain("sound words");
    expect(typeof toWord(value)).toBe("string");
    expect(typeof readText(value)).toBe("string");
  });

  test("of what was cut says so, and how much is kept is bounded", () => {
    const text = deepText(deepArray(1_200_000));
    expect(text.length).toBeLessThan(1_100_000);
    expect(text).toMatch(/the rest is left out: it nests deeper than 200 levels\]$/);
    expect(deepText({ few: "words" })).toBe('{"few":"words"}');
  });
});

describe("depth", () => {
  test("is counted in containers", () => {
    expect(isDeeperThan("text", 0)).toBe(false);
    expect(isDeeperThan({}, 0)).toBe(true);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }), (depth, limit) => {
        expect(isDeeperThan(deepObject(depth), limit)).toBe(depth > limit);
        expect(isDeeperThan(deepArray(depth), limit)).toBe(depth > limit);
      }),
    );
  });

  test.each(WHAT)("of %s is told", (what) => {
    const value = FOREIGN.get(what);
    expect(typeof isDeeperThan(value, MAX_DEPTH)).toBe("boolean");
  });

  test("of a value that shares its parts is that of its longest way", () => {
    expect(isDeeperThan(shared(60), 60)).toBe(true);
    expect(isDeeperThan(shared(60), 61)).toBe(false);
  });
});

describe("bytes", () => {
  const beside = (part: unknown): unknown => [...Array.from({ length: 1_000_001 }, () => ({})), part];

  test.each([BigInt64Array, BigUint64Array])("of bigints are no JSON, as one bigint is none: %o", (Bytes) => {
    const bigints = new Bytes([7n]);
    expect(whyNoJson({ bigints }, MAX_DEPTH)).toBe("bigint");
    expect(isPlainTree({ bigints })).toBe(false);
    // Behind so many containers another walk decides, which remembers them.
    expect([beside(bigints), beside(7n)].map((value) => whyNoJson(value, MAX_DEPTH))).toEqual(["bigint", "bigint"]);
    const call = { type: "toolCall", id: "call_1", name: "sum", arguments: { bigints } };
    const { messages } = repair([
      { role: "assistant", content: [call], stopReason: "toolUse" },
      { role: "toolResult", toolCallId: "call_1", content: [{ type: "text", text: "seven" }] },
    ]);
    expect(JSON.stringify(messages)).toContain('"arguments":{"bigints":{"0":"7"}}');
  });

  test.each([new Uint8Array([7]), new Float64Array([7]), new DataView(new ArrayBuffer(8)), new BigInt64Array()])(
    "that JSON.stringify writes are JSON: %o",
    (bytes) => {
      expect(whyNoJson({ bytes }, 1)).toBeUndefined();
      expect(JSON.parse(JSON.stringify({ bytes }))).toEqual({ bytes: { ...bytes } });
    },
  );
});

describe("a plain copy", () => {
  test("of JSON that is not too deep is equal, and another object", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = plainCopy({ value });
        expect(copy).toEqual({ value });
        expect(withoutDepth(copy)).toBe(copy);
      }),
    );
  });

  test.each(WHAT)("of %s is JSON, the same each time, and keeps what can be read beside it", (what) => {
    const value = FOREIGN.get(what);
    const copy = plainCopy({ before: "sound words", value });
    expect(JSON.stringify(copy)).toContain("sound words");
    expect(JSON.stringify(plainCopy({ before: "sound words", value }))).toBe(JSON.stringify(copy));
    expect(isDeeperThan(copy, MAX_MESSAGE_DEPTH)).toBe(false);
  });

  test("tells what is too deep in its place, and leaves the rest as it is", () => {
    const beside = { sound: ["words"] };
    const cut = withoutDepth({ beside, deep: deepObject(5000) }) as Record<string, unknown>;
    expect(cut.beside).toBe(beside);
    expect(isDeeperThan(cut, MAX_MESSAGE_DEPTH)).toBe(false);
    expect(JSON.stringify(cut)).toContain("bottom");
    expect(JSON.stringify(cut)).toContain("Nested deeper than 200 levels, told as text");
  });

  test("keeps a key that is named like the prototype", () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"sound":1}') as unknown;
    expect(JSON.stringify(plainCopy(value))).toBe('{"__proto__":{"polluted":true},"sound":1}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

test("lone surrogates are replaced wherever a gate lets something through, and what has none stays the same object", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const healed = wellFormed(value);
      expect(JSON.stringify(healed)).toBe(JSON.stringify(value).replaceAll(/\\ud[89a-f][0-9a-f]{2}/gi, "\ufffd"));
      expect(wellFormed(healed)).toBe(healed);
    }),
  );
});

test("arguments that are too deep stay an object that says the same", () => {
  expect(toArguments(deepObject(5000))).toEqual({ json: toJson(deepObject(5000)) });
  expect(toArguments(deepArray(5000))).toEqual({ input: toJson(deepArray(5000)) });
});

test("a part that cannot be read is told as text once, not tried until the stack is full", () => {
  const history = [
    {
      role: "user",
      content: [
        {
          get words(): string {
            throw new Error("gone");
          },
        },
      ],
    },
  ];
  expect(validate(history)).toEqual([
    { kind: "too_deep", messageIndex: 0, blockIndex: 0, id: "" },
    { kind: "foreign_block", messageIndex: 0, blockIndex: 0, id: "" },
  ]);
  const { messages } = repair(history);
  expect(validate(messages)).toEqual([]);
});

describe("what JSON would write as an empty object", () => {
  class Money {
    readonly #cents = 1700;
    get cents(): number {
      return this.#cents;
    }
  }
  const OPAQUE: [string, () => object, string][] = [
    ["a response", () => new Response("paid"), "[A value of type Response, which has no JSON.]"],
    ["a stream of the web", () => new ReadableStream(), "[A value of type ReadableStream, which has no JSON.]"],
    ["a stream of Node", () => Readable.from(["a"]), "[A value of type Readable, which has no JSON.]"],
    ["an async generator", () => (async function* () {})(), "[A value of type AsyncGenerator, which has no JSON.]"],
    ["a generator", () => (function* () {})(), "[A value of type Generator, which has no JSON.]"],
    ["a promise", () => Promise.resolve(1), "[A value of type Promise, which has no JSON.]"],
    ["a map", () => new Map([[1, 2]]), "[A value of type Map, which has no JSON.]"],
    ["an object with private state", () => new Money(), "[A value of type Money, which has no JSON.]"],
    ["an error", () => new TypeError("no such invoice"), "TypeError: no such invoice"],
  ];

  test.each(OPAQUE)("is told as what it is: %s", (_what, make, words) => {
    expect(plainCopy(make())).toBe(words);
    expect(plainCopy({ body: make() })).toEqual({ body: words });
    expect(readText(make())).toBe(words);
  });

  test.each([
    ["an empty object", {}],
    ["one without a prototype", Object.create(null)],
    ["an empty list", []],
  ])("is none where nothing is left out: %s", (_what, value) => {
    expect(plainCopy(value)).toEqual(value);
  });

  test("a bigint has one spelling: its digits", () => {
    expect([readText(17n), toWord(17n), plainCopy(17n), toJson({ a: 17n }), plainCopy({ a: 17n })]).toEqual([
      "17",
      "17",
      "17",
      '{"a":"17"}',
      { a: "17" },
    ]);
  });
});
