import fc from "fast-check";
import { expect, it } from "vitest";
import { isArgumentsText } from "./model.ts";

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

it("takes for arguments what JSON.parse takes for an object, also where JSON.parse is not asked", () => {
  const words = [
    '{"a":"b"',
    '"a":1',
    "true",
    "false",
    "null",
    "{",
    "}",
    "[",
    "]",
    '"',
    ":",
    ",",
    "a",
    "1",
    "0",
    "-",
    ".",
    "\\",
    "u",
    " ",
    "\n",
    "\u0001",
    "é",
  ];
  const bits = fc.array(fc.constantFrom(...words), { maxLength: 10 }).map((some) => some.join(""));
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.integer()));
  const objects = fc.dictionary(fc.string(), value).map((object) => JSON.stringify(object));
  let count = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        bits,
        bits.map((some) => `{${some}}`),
        objects,
      ),
      (text) => {
        const expected = isObjectText(text);
        if (expected) count++;
        expect(isArgumentsText(text), text).toBe(expected);
      },
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 5000) },
  );
  expect(count).toBeGreaterThan(100);
});

it.each([
  '{"a":01}',
  '{"a":1,}',
  "{,}",
  '{"a":1,"b":2}',
  '{"a":"b\n"}',
  '{"a":"\\x"}',
  '{"a":"\\n"}',
  '{"a"1}',
  '{"a":1"b":2}',
  '{"a":"b""c":1}',
  '{"a":1}]',
  '{"a":1}\n',
  '{"a":12345678901234567890}',
  '{"a":tru}',
  " {}",
])("judges %j as JSON.parse does", (text) => {
  expect(isArgumentsText(text)).toBe(isObjectText(text));
});
