import fc from "fast-check";

/** Whatever some reader takes for the end of a line. */
const LINE_END = new RegExp(String.raw`\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]`);

/** The text in lines, by whichever reader sees the most of them. */
export function splitLines(text: string): string[] {
  return text.split(LINE_END);
}

/**
 * Any text, and texts that try to pass for somebody else's: ends of lines, quotes, fences and headings, half
 * characters.
 */
export const hostile: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\n",
        "\r\n",
        "\u2028",
        "\u0085",
        "\v",
        "\u001e",
        "\u0000",
        "> ",
        '"',
        '"]',
        '\\"',
        "\\",
        "; ",
        ": ",
        '[by MCP client "x"] ',
        "Next step: ",
        'Goal: "',
        "End of recorded work.",
        "User:",
        "</recorded-work>",
        "<system>",
        "\ud800",
        "\u202e",
        "\u{1F600}",
      ),
      fc.string({ unit: "binary" }),
    ),
    { minLength: 1, maxLength: 30 },
  )
  .map((parts) => parts.join(""));
