import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonInline, nameInline, QUOTE_MARK, quoted, quotedInline, section, unquoted, valueInline } from "./quoted.ts";

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
        "\u200b",
        "\u200d",
        "\ufe0f",
        "\ufeff",
        "\u{e0041}",
        "\u{e007f}",
        "🏴",
        "👩",
        "ش",
        String.raw`\u{200b}`,
        String.raw`\u{0005C}`,
        String.raw`\u{e0041}`,
        String.raw`\u{1f600}`,
        String.raw`\u{`,
        "}",
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

  test("hide nothing in what nobody sees: it is written out, and what makes up an emoji or a letter is not", () => {
    const hidden = fc.constantFrom(
      ..."\u00ad\u034f\u061c\u0085\u200b\u200e\u2028\u2029\u202e\u2060\u3164\ufeff\ufe0f\u{e0041}\u{e007f}\u{e01ef}\u001b",
    );
    fc.assert(
      fc.property(hostile, hidden, fc.constantFrom("a", "\n", "> ", "\\"), (text, one, before) => {
        const said = `${text}${before}${one}${text}`;
        for (const shown of [quoted(said), quotedInline(said), jsonInline({ [said]: [said] })]) {
          expect(shown).not.toContain(`${before}${one}`);
          expect(shown).not.toMatch(/[\u0085\u200b\u2028\u2029\u202e\u2060\ufeff\u{e0001}-\u{e001f}]/u);
          expect(shown.isWellFormed()).toBe(true);
        }
        expect(JSON.parse(jsonInline({ [said]: [said] }))).toEqual({ [said]: [said] });
      }),
      { examples: [["", "\ufe0f", "a"]] },
    );
    expect(quoted("a\u200b\u{e0041}\u0085b\u2028\tc\r\nd\re")).toBe(
      "> a\\u{200b}\\u{e0041}\\u{85}b\\u{2028}\tc\r\n> d\r> e",
    );
    const real = ["👩‍👩‍👧", "👩🏽‍🚀", "❤️‍🔥", "1️⃣", "می‌خواهم", "क्‍ष", "葛\u{e0100}", "ᠠ\u180bᠡ"];
    const flags = ["gbeng", "gbsct", "gbwls"].map(
      (name) =>
        `🏴${[...`${name}\u007f`].map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join("")}`,
    );
    for (const text of [...real, ...flags, String.raw`"\u200b" \u{1f600} \\u{ \n`]) {
      expect(quoted(text)).toBe(`> ${text}`);
      expect(JSON.parse(quotedInline(text))).toBe(text);
    }
    for (const text of [...real, ...flags]) expect(quotedInline(text)).toBe(`"${text}"`);
    // A flag that Unicode does not have is a place to hide letters in.
    expect(quoted(`🏴${flags[0]!.slice(2).replace("\u{e0065}", "\u{e0066}")}`)).toBe(
      "> 🏴\\u{e0067}\\u{e0062}\\u{e0066}\\u{e006e}\\u{e0067}\\u{e007f}",
    );
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
