import { expect, test } from "vitest";
import { findOffsets, parseModule, walkTo } from "./ast.ts";
import { isInScope } from "./scope.ts";

/** Whether `limit` can be used where `here` stands. */
function isUsable(source: string): boolean {
  let isUsed: boolean | undefined;
  const offsets = findOffsets(source, "here");
  walkTo(parseModule(source), offsets, ({ type, start }, ancestors) => {
    if (type === "Identifier") isUsed = isInScope("limit", start, ancestors);
  });
  return isUsed!;
}

test.each([
  ["const limit = 1; here;", true],
  ["here; const limit = 1;", false],
  ["function f(limit) { try { here; } finally {} }", true],
  ["here; function limit() {}", true],
  ["function f() { const limit = 1; { here; { const limit = 2; } } }", true],
  // A line that uses the name here throws, whatever the function has: OpenClaw 2026.5.28.
  ["function f() { const limit = 1; try { here; const limit = 2; } finally {} }", false],
  ["function f(limit) { { here; let limit = 2; } }", false],
])("a name that a later declaration of the same block hides is not in scope: %s", (source, expected) => {
  expect(isUsable(source)).toBe(expected);
});
