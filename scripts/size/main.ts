/**
 * `npm run size [-- --histories 100000] [--seed 1] [--minutes N] [--turns 100] [--release R] [--variant stock|patched] [--summariser fails|works] [--only fit|live] [--write]`:
 * random histories are made to fit random budgets, and a conversation grows turn by turn far beyond what its provider
 * takes, in the real OpenClaw.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fitRandom, type Found } from "./histories.ts";
import { grow, SUMMARISERS, type Grown, type Summariser, type Variant } from "./conversation.ts";
import { reportOf } from "./report.ts";

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "Infinity" },
    turns: { type: "string", default: "100" },
    release: { type: "string", multiple: true, default: ["2026.2.3", "2026.9.6"] },
    variant: { type: "string", multiple: true, default: ["patched"] },
    summariser: { type: "string", multiple: true, default: [...SUMMARISERS] },
    only: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const command = ["npm run size", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");

let found: Found | undefined;
if (values.only !== "live") {
  const began = performance.now();
  found = fitRandom(Number(values.histories), Number(values.seed), (done) => {
    const seconds = (performance.now() - began) / 1000;
    if (done % 1000 === 0) console.error(`${done} histories in ${Math.round(seconds)} s`);
    return seconds < Number(values.minutes) * 60;
  });
}
const grown: Grown[] = [];
if (values.only !== "fit")
  for (const release of values.release)
    for (const variant of values.variant as Variant[])
      for (const summariser of values.summariser as Summariser[]) {
        console.error(`${values.turns} turns on ${release} (${variant}), the summariser ${summariser}`);
        const turns = Number(values.turns);
        grown.push(await grow({ release, variant, summariser, turns, say: (line) => console.error(line) }));
      }
const report = reportOf(command, found, grown);
console.log(report);
if (values.write) writeFileSync(fileURLToPath(new URL("../../results/size.md", import.meta.url)), report);
if (found && found.faults.size > 0) process.exitCode = 1;
