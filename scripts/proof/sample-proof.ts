import type { Proof } from "./proof.ts";

/** A proof as tests want it. */
export function sampleProof(more: Partial<Proof> = {}): Proof {
  return {
    date: "2026-11-29",
    commit: "abc1234",
    node: "v24.21.0",
    command: "npm run proof -- --minutes 240",
    seed: "7",
    minutes: 240,
    parts: [{ name: "corpus", size: "each case on each API", minutes: 29 }],
    figures: {
      "2026.9.6": {
        "messages lost": { stock: 271, patched: 0, of: 1749, stockOf: 1881 },
        "CPU, ms a message": { stock: 1000, patched: 1050 },
        "extra requests of plain messages": { stock: 4, patched: 0, of: 500, stockOf: 500 },
      },
    },
    costs: {},
    ...more,
  };
}
