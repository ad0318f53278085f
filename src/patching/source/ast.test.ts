import { expect, test } from "vitest";
import { findOffsets, parseModule, walkTo } from "./ast.ts";

const row = '\t{ name: "needle(", f: (x) => x + 1 },\n';

test("nodes that cover an offset are visited, in whatever order the offsets come, and no others", () => {
  const source = `const a = [1, 22, [333]];\nfunction f() { return 4444; }\n`;
  const visited = (...needles: readonly string[]): readonly string[] => {
    const texts: string[] = [];
    walkTo(
      parseModule(source),
      needles.flatMap((needle) => findOffsets(source, needle)),
      ({ type, start, end }) => texts.push(`${type} ${source.slice(start, end)}`),
    );
    return texts.filter((text) => text.startsWith("Literal"));
  };
  expect(visited("4444", "333", "22")).toEqual(["Literal 22", "Literal 333", "Literal 4444"]);
  expect(visited("333")).toEqual(["Literal 333"]);
  expect(visited("f()", "nowhere")).toEqual([]);
});

test("a file with very many needles is no reason to wait for minutes", () => {
  // Where each node is compared with each offset, this takes longer than a test may.
  const source = `export const all = [\n${row.repeat(50_000)}];\n`;
  const tree = parseModule(source);
  const offsets = findOffsets(source, "needle(");
  let found = 0;
  walkTo(tree, offsets, ({ type }) => void (type === "Literal" && found++));
  expect(found).toBe(50_000);
});
