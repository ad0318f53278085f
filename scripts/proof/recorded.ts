/** `node scripts/proof/recorded.ts --json FILE`: the recorded requests that providers accepted, through check and heal. */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadRecorded, RECORDED_APIS } from "../../harness/recorded/recorded.ts";
import { check, heal } from "../../src/wire/index.ts";

/** How many there are, and how many of them are flagged or changed. */
export interface RecordedCount {
  accepted: number;
  touched: number;
}

const { values } = parseArgs({ options: { json: { type: "string", default: "/dev/stdout" } } });
const counted: RecordedCount = { accepted: 0, touched: 0 };
for (const api of RECORDED_APIS)
  for (const { status, body, model, host } of loadRecorded(api).values()) {
    if (status !== 200) continue;
    counted.accepted++;
    if (check(api, body, { model, host }).length > 0 || heal(api, body, { model, host }) !== body) counted.touched++;
  }
writeFileSync(values.json, `${JSON.stringify(counted)}\n`);
