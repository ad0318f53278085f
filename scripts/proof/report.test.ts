import { expect, test } from "vitest";
import { proofChart } from "../picture/proof-chart.ts";
import { FIGURES, type FigureName, type Proof } from "./proof.ts";
import { formatProof } from "./report.ts";
import { sampleProof } from "./sample-proof.ts";

function fullProof(patched: number): Proof {
  const named = Object.fromEntries(
    (Object.keys(FIGURES) as FigureName[]).map((name) => [
      name,
      { stock: 12_345, patched, of: 50_000, stockOf: 40_000 },
    ]),
  );
  const costs = [1, 2].map((minute) => ({ minute, megabytes: 700, cpuMsAMessage: 900, firstWordMs: 80 * minute }));
  return sampleProof({
    figures: { "2026.2.3": named, "2026.9.6": named, all: named },
    costs: { "2026.2.3": { stock: costs, patched: costs }, "2026.9.6": { stock: costs, patched: [] } },
  });
}

test("the first line says what fell short, or that nothing did", () => {
  expect(formatProof(sampleProof()).split("\n")[0]).toBe("Nothing fell short.");
  const lost = sampleProof({ figures: { "2026.9.6": { "messages lost": { stock: 9, patched: 2, of: 10 } } } });
  expect(formatProof(lost).split("\n")[0]).toBe("Fell short: 2026.9.6: messages lost 2 of 10.");
});

test("the section of a full run has every figure of both releases and at most 250 words", () => {
  const section = formatProof(fullProof(0));
  expect(section).toContain("messages lost 0/12345, 0/12345");
  for (const name of Object.keys(FIGURES)) expect(section).toContain(name);
  expect(section.split(/\s+/).length).toBeLessThanOrEqual(250);
});

test("the picture has a row for each figure that must be zero, and a line for each side, and no number that is none", () => {
  const picture = proofChart(fullProof(3), "light");
  expect(picture.match(/>messages lost</g)).toHaveLength(3);
  expect(picture.match(/<polyline/g)).toHaveLength(12);
  expect(picture).not.toMatch(/NaN|undefined|Infinity/);
});
