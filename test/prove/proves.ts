import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { ensurePatched } from "../../harness/openclaw/ensure-release.ts";
import { GUARD_FILE } from "../../src/patching/base/guard-file.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import type { Release } from "../../src/patching/index.ts";
import { prove } from "../../src/prove/index.ts";
import { hashTree } from "../patching/fixture.ts";

/** What every unpatched release fails at; others fail on some releases only. */
const FATAL = ["orphaned-result", "displaced-result", "refused"];

/** A home as a user has it, which a proof must leave alone. */
function userHome(): string {
  const home = newFolder();
  mkdirSync(join(home, ".openclaw", "agents", "main", "sessions"), { recursive: true });
  writeFileSync(join(home, ".openclaw", "openclaw.json"), '{ "no": "config that OpenClaw accepts" }');
  writeFileSync(join(home, ".openclaw", "agents", "main", "sessions", "sessions.json"), "{}");
  return home;
}

/** Tests for each release, which must be installed: patched it is proven, as published it is not. */
export function proves(releases: readonly string[]): void {
  test.each(releases)(
    "OpenClaw %s: patched it is proven, as published it is not",
    { timeout: 600_000 },
    async (release) => {
      const { stock, patched } = await ensurePatched(release as Release);
      const home = userHome();
      vi.stubEnv("HOME", home);
      vi.stubEnv("OPENCLAW_STATE_DIR", join(home, ".openclaw"));
      vi.stubEnv("OPENCLAW_INTEGRITY", "off");
      const [before, packageBefore] = [hashTree(home), readdirSync(patched, { recursive: true }).length];
      const good = await prove(patched);
      expect(good).toMatchObject({ release, verdict: "proven", node: { path: process.execPath } });
      expect(good.guard?.sha256).toBe(sha256(readFileSync(join(patched, GUARD_FILE))));
      expect(good.sessions).toHaveLength(7);
      for (const session of good.sessions) expect(session).toMatchObject({ passed: true, answered: 2, lost: [] });

      const bad = await prove(stock);
      expect(bad).toMatchObject({ release, verdict: "patch" });
      expect(bad.guard).toBeUndefined();
      const failed = bad.sessions.filter(({ passed }) => !passed).map(({ id }) => id);
      expect(failed).toEqual(expect.arrayContaining(release === "2026.2.3" ? [...FATAL, "too-large"] : FATAL));
      expect(bad.sessions.find(({ id }) => id === "sound")).toMatchObject({ passed: true });
      expect(bad.sessions.find(({ id }) => id === "refused")?.outcome).toContain("reserved path");

      expect(hashTree(home)).toEqual(before);
      expect(readdirSync(patched, { recursive: true })).toHaveLength(packageBefore);
      expect(readFileSync(join(home, ".openclaw", "openclaw.json"), "utf8")).toContain("no");
    },
  );
}
