import { describe, expect, it } from "vitest";
import { markLineComments, unmarkLineComments } from "./comments.ts";

describe("the line comments of the guard", () => {
  it("survive the bundler, which drops them, and no text of the code that looks like one is changed", () => {
    const source = [
      "// A reason.",
      'const address: string = "https://example.com//!"; // Behind a statement.',
      "const pattern = /\\/\\/!/;",
      "const text = `//! ${address /* inside */} // not one`;",
      "",
    ].join("\n");
    const marked = markLineComments("source.ts", source);
    expect(marked.split("\n").slice(0, 2)).toEqual([
      "//! A reason.",
      'const address: string = "https://example.com//!"; //! Behind a statement.',
    ]);
    expect(unmarkLineComments(marked.replace(": string", ""))).toBe(source.replace(": string", ""));
  });

  it("are those for readers, not those for the tools that read the source", () => {
    const source = "// oxlint-disable-next-line no-console -- a reason\n// oxlint is a linter\n";
    expect(markLineComments("source.ts", source)).toBe(source.replace("// oxlint is", "//! oxlint is"));
  });
});
