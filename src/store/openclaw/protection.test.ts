import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { publishProtection, readProtections } from "./protection.ts";

const FOUND = { state: "protected", reason: "It was tried.", at: 1, root: "/openclaw" } as const;
const GONE = 2 ** 22 - 3;

it("what a gateway has found is read while its process lives, and no longer", () => {
  const state = newFolder();
  publishProtection(state, { ...FOUND, state: "unknown" });
  publishProtection(state, FOUND);
  const folder = join(state, "integrity", "gateways");
  const record = { ...FOUND, since: 1 };
  writeFileSync(join(folder, `${GONE}.json`), JSON.stringify({ ...record, pid: GONE }));
  expect([...readProtections(state)]).toEqual([[process.pid, FOUND]]);
  // The next start of any gateway tidies up.
  publishProtection(state, FOUND);
  expect(readdirSync(folder)).toEqual([`${process.pid}.json`]);
});

it.runIf(process.platform === "linux")("another process with the same id is not the gateway that was killed", () => {
  const state = newFolder();
  publishProtection(state, FOUND);
  const file = join(state, "integrity", "gateways", `${process.pid}.json`);
  writeFileSync(file, JSON.stringify({ ...FOUND, since: 1, pid: process.pid, birth: "1" }));
  expect(readProtections(state).size).toBe(0);
});
