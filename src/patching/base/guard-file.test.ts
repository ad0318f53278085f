import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { GUARD_EXPORTS, WAITING_GUARD } from "./guard-file.ts";

const PATCHES = new URL("../../../patches/", import.meta.url);
const INSERTED = /^\+.*\/\* openclaw-integrity:[a-z-]+ \*\/$/gm;
const USED = [/openclaw-integrity\.mjs"\)\.catch\(console\.error\)\)\?\.(\w+)\(/g, /^\+\s*import \{ (\w+) as /gm];

// A kill while the patch is applied leaves the stand-in there: a function that it lacks would end OpenClaw's turns.
it("every function that an inserted line calls is one of the guard's exports, and of what stands in for it during a swap", () => {
  const patches = readdirSync(PATCHES)
    .filter((name) => name.endsWith("+call-sites.patch"))
    .map((name) => readFileSync(new URL(name, PATCHES), "utf8"));
  const lines = patches.flatMap((text) => text.match(INSERTED) ?? []);
  const called = new Set(
    lines.flatMap((line) => USED.flatMap((use) => [...line.matchAll(use)].map(([, name]) => name!))),
  );
  expect([...called].toSorted(), "patches/ is older than the points: npm run generate patches").toEqual(
    Object.keys(GUARD_EXPORTS).toSorted(),
  );
  for (const name of called) expect(WAITING_GUARD).toContain(`export const ${name} = `);
});
