import { expect, test } from "vitest";
import { sha256 } from "./hash.ts";
import { headerLine, isMarked, markLine, unmark } from "./marks.ts";

const original = "const a = 1;\nconst b = 2;\n";
const header = { patchSet: "1", release: "2026.9.6", original: sha256(original) };
const patched = `${headerLine(header)}\nconst a = 1;\n\t${markLine("session-load", "call();")}\nconst b = 2;\n`;

test("the original is the patched text without the marked lines, and the header proves it", () => {
  const found = unmark(patched);
  expect(found).toEqual({
    original,
    inserted: [{ point: "session-load", line: "\tcall(); /* openclaw-integrity:session-load */" }],
    header,
    proven: true,
  });
});

test("a change between our lines is noticed", () => {
  expect(unmark(patched.replace("b = 2", "b = 3")).proven).toBe(false);
  expect(unmark(original).proven).toBe(false);
});

test("a header that is no JSON proves nothing", () => {
  expect(unmark(patched.replace('{"patchSet"', '{"patchSet'))).toMatchObject({ header: undefined, proven: false });
});

test("only our own mark is a mark", () => {
  expect(isMarked(patched)).toBe(true);
  expect(isMarked("/* openclaw: integrity */")).toBe(false);
});
