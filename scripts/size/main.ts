/**
 * `npm run trial size [-- --only fit|table|live] [--release R] [--variant stock|patched] [--api A] [--row NAME] [--histories 100000] [--seed 1] [--minutes N] [--turns 100] [--summariser fails|works] [--write]`:
 * random histories are made to fit random budgets; sessions that are too large are sent three messages each; and a
 * conversation grows turn by turn far beyond what its provider takes. The last two are of the real OpenClaw. All options
 * but the numbers can be given more than once. `--write` replaces the parts of results/size.md that were run.
 */
import { parseArgs } from "node:util";
import type { ModelApi } from "../../harness/openclaw/index.ts";
import { APIS } from "../../harness/providers/index.ts";
import { fitRandom } from "./histories.ts";
import { grow, type Grown, type Variant } from "./conversation.ts";
import type { Summariser } from "./limited-provider.ts";
import { fitPart, growthPart, tablePart, writeParts } from "./report.ts";
import { ROWS } from "./rows.ts";
import { startTable, type Outcome } from "./table.ts";

const { values } = parseArgs({
  options: {
    histories: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "Infinity" },
    turns: { type: "string", default: "100" },
    release: { type: "string", multiple: true, default: ["2026.2.3", "2026.9.6"] },
    variant: { type: "string", multiple: true, default: ["patched"] },
    api: { type: "string", multiple: true },
    row: { type: "string", multiple: true, default: ROWS.map(({ name }) => name) },
    summariser: { type: "string", multiple: true, default: ["works", "fails"] },
    only: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const runs = (part: string): boolean => (values.only ?? part) === part;
const command = ["npm run trial size", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");
const variants = values.variant as Variant[];
const parts: string[] = [];

if (runs("fit")) {
  const began = performance.now();
  const found = fitRandom(Number(values.histories), Number(values.seed), (done) => {
    const seconds = (performance.now() - began) / 1000;
    if (done % 1000 === 0) console.error(`${done} histories in ${Math.round(seconds)} s`);
    return seconds < Number(values.minutes) * 60;
  });
  parts.push(fitPart(command, found));
  if (found.faults.size > 0) process.exitCode = 1;
}
if (runs("table"))
  for (const release of values.release)
    for (const variant of variants) {
      const table = await startTable(release, variant);
      const outcomes: Outcome[] = [];
      for (const api of ((values.api ?? APIS) as ModelApi[]).filter((one) => table.apis.includes(one)))
        for (const row of ROWS.filter(({ name, apis = APIS }) => values.row.includes(name) && apis.includes(api))) {
          outcomes.push(await table.play(row, api));
          console.error(JSON.stringify(outcomes.at(-1)));
        }
      await table.close();
      parts.push(tablePart(command, outcomes));
    }
if (runs("live"))
  for (const release of values.release) {
    const grown: Grown[] = [];
    for (const variant of variants)
      for (const api of (values.api ?? ["anthropic-messages"]) as ModelApi[])
        for (const summariser of values.summariser as Summariser[]) {
          console.error(`${values.turns} turns on ${release} (${variant}), ${api}, the summariser ${summariser}`);
          const turns = Number(values.turns);
          grown.push(await grow({ release, variant, api, summariser, turns, say: (line) => console.error(line) }));
        }
    parts.push(growthPart(command, release, grown));
  }
console.log(parts.join("\n"));
if (values.write) writeParts(parts);
