import { describe, expect, it } from "vitest";
import { assertStorable, canonicalText } from "./json.ts";

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

describe("what can be stored", () => {
  it("is what JSON holds and every store returns", () => {
    for (const value of [
      null,
      true,
      0,
      -1.5,
      "",
      "ä\u{1F600}",
      [],
      {},
      { a: [{ b: null }] },
      Object.create(null),
      deep(64),
    ])
      expect(() => assertStorable(value)).not.toThrow();
  });

  const refused: Record<string, [unknown, RegExp]> = {
    "no number": [{ a: [Number.NaN] }, /at value\/a\/0; found NaN/],
    infinity: [Number.POSITIVE_INFINITY, /at value; found Infinity/],
    "U+0000": [{ a: "x\u0000" }, /at value\/a; found a text with U\+0000/],
    "U+0000 in a key": [{ "x\u0000": 1 }, /at value; found a text with U\+0000/],
    "half a surrogate pair": [["\udfff"], /at value\/0; found a text with half/],
    undefined: [{ a: undefined }, /at value\/a; found undefined/],
    "a function": [() => 1, /found function/],
    "a large integer of its own type": [1n, /found bigint/],
    "a date": [{ at: new Date(0) }, /at value\/at; found an object with a class/],
    "an object of a class": [
      new (class Own {
        readonly a = 1;
      })(),
      /class of its own/,
    ],
    "a key that reaches a prototype": [JSON.parse('{"a":{"__proto__":{}}}'), /at value\/a; found the key __proto__/],
    "a constructor": [{ constructor: 1 }, /found the key constructor/],
    "too many levels": [deep(65), /more than 64 levels/],
  };
  for (const [name, [value, message]] of Object.entries(refused)) {
    it(`is not ${name}; the refusal names the place`, () => {
      expect(() => assertStorable(value)).toThrow(
        expect.objectContaining({ code: "bad-input", message: expect.stringMatching(message) }),
      );
    });
  }

  it("has one canonical text, and what is no JSON has none", () => {
    expect(canonicalText({ b: 1.0, a: [1e21, -0, "\u2028"] })).toBe('{"a":[1e+21,0,"\u2028"],"b":1}');
    expect(() => canonicalText(undefined)).toThrow(expect.objectContaining({ code: "bad-input" }));
  });
});
