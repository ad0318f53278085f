import { assert, constantFrom, dictionary, jsonValue, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson5, withItem, withoutItem, withoutKey, withValue, type Json } from "./config-text.ts";

const PATHS = ["plugins", "load", "paths"];

describe("a person's text stays theirs", () => {
  test.each([
    [
      "as OpenClaw writes it",
      '{\n  "gateway": {\n    "mode": "local"\n  },\n  "plugins": {\n    "allow": [\n      "a"\n    ]\n  }\n}\n',
    ],
    [
      "comments, no quotes, commas at the end",
      "// mine\n{\n  gateway: { mode: 'local' }, // local\n  plugins: {\n    /* these */ allow: ['a',], // one\n  },\n}\n",
    ],
    ["tabs", '{\n\t"plugins": {\n\t\t"allow": ["a"]\n\t}\n}'],
    ["one line", '{"plugins":{"allow":["a"]}}'],
    ["a mark of its encoding, and the other line ends", '\uFEFF{\r\n  "plugins": { "allow": ["a"] }\r\n}\r\n'],
  ])("%s: what is put in and taken out again leaves the same bytes", (_, text) => {
    const entry = ["plugins", "entries", "x"];
    let now = withItem(withItem(text, PATHS, "/folder"), ["plugins", "allow"], "x");
    now = withValue(withValue(now, [...entry, "enabled"], true), [...entry, "hooks", "allow"], true);
    expect(parseJson5(now)).toMatchObject({
      plugins: {
        allow: ["a", "x"],
        load: { paths: ["/folder"] },
        entries: { x: { enabled: true, hooks: { allow: true } } },
      },
    });
    now = withoutItem(
      withoutKey(withoutKey(now, ["plugins", "entries"]), ["plugins", "load"]),
      ["plugins", "allow"],
      "x",
    );
    expect(now).toBe(text);
  });

  test("what stands behind a removed key is not drawn into the comment before it", () => {
    for (const [text, value] of [
      ["{ // one\n  a: 1, b: 2 }", { b: 2 }],
      ["{ a: 1, // one\n  b: 2 }", { b: 2 }],
      ["{ b: 2, // two\n  a: 1 }", { b: 2 }],
      ["[/* x */ 1]", [1]],
    ] as const) {
      expect(parseJson5(withoutKey(text, ["a"]))).toEqual(value);
    }
  });

  test("whatever the config holds, only the one value changes", () => {
    const config = dictionary(
      string({ maxLength: 8 }).filter((key) => key !== "__proto__"),
      jsonValue({ maxDepth: 3 }),
      { maxKeys: 5 },
    );
    const check = property(
      config,
      constantFrom(undefined, 1, 2, "\t"),
      jsonValue({ maxDepth: 2 }),
      (before, indent, value) => {
        const text = JSON.stringify(before, null, indent);
        const wanted = JSON.parse(text) as Record<string, Json>;
        const changed = withValue(text, ["new key", "inner"], value as Json);
        expect(parseJson5(changed)).toEqual({
          ...wanted,
          "new key": { inner: JSON.parse(JSON.stringify(value)) as Json },
        });
        expect(parseJson5(withoutKey(changed, ["new key"]))).toEqual(wanted);
        for (const key of Object.keys(wanted))
          expect(parseJson5(withoutKey(text, [key]))).toEqual(
            Object.fromEntries(Object.entries(wanted).filter(([name]) => name !== key)),
          );
      },
    );
    assert(check, { numRuns: 300 });
  });
});

test("of a key that is there twice, the one that counts is changed", () => {
  expect(parseJson5(withValue("{a: 1, a: 2}", ["a"], 3))).toEqual({ a: 3 });
});

test("JSON5 is read as OpenClaw reads it", () => {
  expect(parseJson5("{a: +1, 'b': -Infinity, c: 0x10, d: .5, e: 'x\\\ny', f: [null,], a: 2}")).toEqual({
    a: 2,
    b: -Infinity,
    c: 16,
    d: 0.5,
    e: "xy",
    f: [null],
  });
});

test.each([
  "",
  "{",
  "{a: 1} {b: 2}",
  "{a: b}",
  "{a: `x`}",
  "{...{}}",
  "{get a() { return 1 }}",
  "{a: 1n}",
  "{a: /x/}",
  "{[1]: 2}",
  "{a: process.exit()}",
])("%s is code or damage, and no config", (text) => {
  expect(() => parseJson5(text)).toThrow(SyntaxError);
});
