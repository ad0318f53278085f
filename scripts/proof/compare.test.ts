import { expect, test } from "vitest";
import { listRegressions, listShortfalls } from "./compare.ts";
import type { Figure, FigureName } from "./proof.ts";
import { sampleProof } from "./sample-proof.ts";

function withFigure(name: FigureName, figure: Figure): ReturnType<typeof sampleProof> {
  const { figures } = sampleProof();
  return sampleProof({ figures: { "2026.9.6": { ...figures["2026.9.6"], [name]: figure } } });
}

test("nothing falls short where what must be zero is so, whatever stock has", () => {
  expect(listShortfalls(sampleProof())).toEqual([]);
});

test("names what is not zero, and a part without figures", () => {
  expect(listShortfalls(withFigure("messages lost", { stock: 271, patched: 2, of: 1749 }))).toEqual([
    "2026.9.6: messages lost 2 of 1749",
  ]);
  const failed = { name: "corpus", size: "each case on each API", minutes: 1, failed: "ended with 1, without figures" };
  expect(listShortfalls(sampleProof({ parts: [failed] }))).toEqual(["corpus: ended with 1, without figures"]);
});

test("the same figures are no regression, nor fewer, nor some that the former run had not", () => {
  const proof = sampleProof();
  expect(listRegressions(proof, proof)).toEqual([]);
  expect(listRegressions(proof, withFigure("messages lost", { stock: 3, patched: 5, of: 1749 }))).toEqual([]);
  expect(listRegressions(withFigure("resets", { stock: 0, patched: 1 }), proof)).toEqual([]);
});

test("one message lost where none was is a regression, that names the figure and both runs", () => {
  expect(listRegressions(withFigure("messages lost", { stock: 271, patched: 1, of: 90_000 }), sampleProof())).toEqual([
    "2026.9.6: messages lost: patched 1 of 90000, stock 271 of 90000; in abc1234: patched 0 of 1749, stock 271 of 1881",
  ]);
});

test("more of them in a longer run is none, as long as they come as seldom", () => {
  const former = withFigure("messages lost", { stock: 271, patched: 2, of: 1000 });
  expect(listRegressions(withFigure("messages lost", { stock: 1, patched: 20, of: 10_000 }), former)).toEqual([]);
  expect(listRegressions(withFigure("messages lost", { stock: 1, patched: 4, of: 1000 }), former)).toHaveLength(1);
});

test("a cost is compared beside stock's, so that a slower machine is no regression and a dearer patch is one", () => {
  const former = sampleProof();
  expect(listRegressions(withFigure("CPU, ms a message", { stock: 3000, patched: 3200 }), former)).toEqual([]);
  expect(listRegressions(withFigure("CPU, ms a message", { stock: 1000, patched: 1500 }), former)).toHaveLength(1);
  const extra = withFigure("extra requests of plain messages", { stock: 4, patched: 40, of: 500, stockOf: 500 });
  expect(listRegressions(extra, former)).toHaveLength(1);
});
