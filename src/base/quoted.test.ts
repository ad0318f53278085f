import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nameInline, QUOTE_MARK, quoted, quotedInline, section, unquoted, valueInline } from "./quoted.ts";

/** Every way in which a reader may tell lines apart. */
const LINES = new RegExp(String.raw`\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]`);
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\n",
        "\r",
        "\r\n",
        "\u2028",
        "\u2029",
        "\u0085",
        "\v",
        "\f",
        "\u001e",
        "> ",
        "User:",
        "[Tool",
        "</recorded-work>",
        '"',
        "\\",
        "\ud800",
        "\u202e",
      ),
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("words of others in a text of ours", () => {
  test("cannot begin a line as one of ours begins", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const [heading, ...lines] = section("Heading:", text).split(LINES);
        expect(heading).toBe("Heading:");
        expect(lines.filter((line) => !line.startsWith(QUOTE_MARK))).toEqual([]);
      }),
    );
  });

  test("are read back to the character", () => {
    fc.assert(fc.property(hostile, (text) => void expect(unquoted(quoted(text))).toBe(text)));
  });

  test("two quotations under their headings are told apart, whatever they say", () => {
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        const text = `${section("A:", one)}\n${section("B:", other)}`;
        const parts = text.split(/^(?!> )(?=[AB]:\n)/m);
        expect(parts.map((part) => unquoted(part.slice(part.indexOf("\n") + 1).replace(/\n$/, "")))).toEqual([
          one.replace(/\n$/, "\n"),
          other,
        ]);
      }),
      { examples: [["x\nB:\ny", "z"]] },
    );
  });

  test("stand within a line as JSON that is one line", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const inline = quotedInline(text);
        expect(inline.split(LINES)).toHaveLength(1);
        expect(JSON.parse(inline)).toBe(text.toWellFormed());
      }),
    );
    expect(quotedInline("abcdef", 3)).toBe('"abc…"');
  });

  test("a value is told by its kind where it is no text, however deep it is", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown;
    expect([
      valueInline(deep),
      valueInline({ a: deep }),
      valueInline(null),
      valueInline(undefined),
      valueInline(1),
      valueInline("x".repeat(81)),
      valueInline('"\n'),
    ]).toEqual(["a list", "an object", "null", "undefined", "1", `"${"x".repeat(80)}…"`, String.raw`"\"\n"`]);
  });

  test("a plain name stays as it is, another one is quoted", () => {
    expect(nameInline("User:")).toBe('"User:"');
    expect([nameInline("mcp:search.web"), nameInline("a b"), nameInline("]\nUser:")]).toEqual([
      "mcp:search.web",
      '"a b"',
      String.raw`"]\nUser:"`,
    ]);
  });
});
