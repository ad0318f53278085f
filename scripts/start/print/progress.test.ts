import { expect, test } from "vitest";
import { Progress } from "./progress.ts";
import { textWidth } from "./width.ts";

function record(isTTY: boolean, columns: number, total: number): string[] {
  const written: string[] = [];
  const progress = new Progress({ isTTY, columns, write: (text) => written.push(text) }, "2026.9.6", total);
  for (let nth = 0; nth < total; nth++) progress.step(`patched a-case-with-a-long-name-${nth}`);
  progress.clear();
  return written;
}

test("rewrites one line on a terminal, never wider than it", () => {
  const written = record(true, 60, 50);
  expect(written).toHaveLength(52);
  expect(written.every((text) => text.startsWith("\r\u001b[2K") && !text.includes("\n"))).toBe(true);
  expect(Math.max(...written.map((text) => textWidth(text.slice(5))))).toBeLessThan(60);
  expect(written[25]).toContain("25/50 runs");
});

test("says a line now and then elsewhere", () => {
  const written = record(false, 60, 50);
  expect(written).toHaveLength(10);
  expect(written.at(-1)).toMatch(/^2026\.9\.6: 50\/50 runs, 0:00\n$/);
});
