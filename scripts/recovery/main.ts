/**
 * `npm run trial recovery [-- --sample] [--write] [--json FILE] [--release R] [--variant stock|patched] [--mode
 * embedded|gateway] [--scenario ID] [--api API] [--lanes 2]`: every measured live fault through the real OpenClaw,
 * unpatched and patched, in-process and in its gateway. Exit code 1 when a patched conversation does not survive, and
 * when something could not be measured.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ensurePatched, ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import type { Release } from "../../src/patching/index.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { runGroup, listScenarios, type Group } from "./groups.ts";
import type { Measurement } from "./measure.ts";
import { formatCounts, formatLine, formatReport, survived } from "./report.ts";
import { endWithSignals } from "../end-with-signals.ts";

const { values } = parseArgs({
  options: {
    sample: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    json: { type: "string" },
    release: { type: "string", multiple: true, default: BASE_RELEASES },
    variant: { type: "string", multiple: true, default: ["stock", "patched"] },
    mode: { type: "string", multiple: true, default: ["embedded", "gateway"] },
    scenario: { type: "string", multiple: true, default: [] },
    api: { type: "string", multiple: true, default: [] },
    // Two: the machine has two cores, and a turn that is starved of them would be measured as slow or as hung.
    lanes: { type: "string", default: "2" },
  },
});
const command = ["npm run trial recovery", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(
  " ",
);
const RESULTS = fileURLToPath(new URL("../../results/", import.meta.url));
const LANES = Number(values.lanes);

function say(line: string): void {
  console.error(line);
}

async function prepareGroups(): Promise<Group[]> {
  const groups: Group[] = [];
  for (const release of values.release as Release[]) {
    const installed = values.variant.includes("patched")
      ? await ensurePatched(release, { say })
      : await ensureRelease(release, { say });
    for (const mode of ["gateway", "embedded"] as const) {
      if (!values.mode.includes(mode)) continue;
      const scenarios = listScenarios(
        { mode },
        { sample: values.sample, scenarios: values.scenario, apis: values.api },
      );
      for (const variant of ["stock", "patched"] as const) {
        if (!values.variant.includes(variant) || scenarios.length === 0) continue;
        groups.push({ release, variant, mode, root: join(installed[variant], "..", ".."), scenarios });
      }
    }
  }
  // The latest release takes longest, so that it comes first.
  return groups.toReversed();
}

// So that the gateways are ended too; folders in the system's temporary one stay.
endWithSignals();

const groups = await prepareGroups();
const order = groups.map(({ release, mode, variant }) => `${release} ${mode} ${variant}`).toReversed();
const rank = ({ release, mode, variant }: Measurement): number => order.indexOf(`${release} ${mode} ${variant}`);
const measurements: Measurement[] = [];
const waiting = [...groups];
async function lane(): Promise<void> {
  for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
    await runGroup(group, (one) => {
      measurements.push(one);
      console.log(formatLine(one));
    });
  }
}
await Promise.all(Array.from({ length: LANES }, lane));

measurements.sort((left, right) => rank(left) - rank(right));
console.log(`\n${formatCounts(measurements)}`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(measurements, null, 2)}\n`);
if (values.write) {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, "recovery.md"), formatReport(measurements, command));
  console.log("wrote results/recovery.md");
}
if (measurements.some((one) => one.failed !== undefined || (one.variant === "patched" && !survived(one))))
  process.exitCode = 1;
