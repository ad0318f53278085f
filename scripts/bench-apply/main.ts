/**
 * `npm run trial bench-apply [-- --rounds 9] [--write]`: how long applying takes, against reading what must be read for it.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureApply } from "./apply.ts";
import { describeMaking } from "../measured/making.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, write: { type: "boolean", default: false } },
});
const { release, rounds, readMs, applyMs, ratio } = await measureApply(Number(values.rounds));
const verdict = (reached: boolean): string => (reached ? "reached" : "not reached");
const lines = [
  `- OpenClaw ${release}, ${rounds} rounds, each in a process of its own: reading dist ${Math.round(readMs)} ms, apply ${Math.round(applyMs)} ms (medians)`,
  `- under 2 s: ${verdict(applyMs < 2000)}`,
  `- at most twice the time to read what must be read: ${verdict(ratio <= 2)} (${ratio.toFixed(2)} times, median of the ratios)`,
];
console.log(lines.join("\n"));
if (values.write) {
  const where = describeMaking("npm run trial bench-apply -- --write");
  writeFileSync(
    fileURLToPath(new URL("../../results/bench-apply.md", import.meta.url)),
    `# What applying costs\n\n${where}\n\n${lines.join("\n")}\n`,
  );
  console.log("wrote results/bench-apply.md");
}
