import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { applyToCheckout, revertCheckout, verifyCheckout } from "../../src/patching/checkout/apply.ts";
import { writeSeries } from "../../src/patching/checkout/series.ts";
import { hashTree } from "./fixture.ts";
import { git } from "./checkout-fixture.ts";

/** A folder with archives of OpenClaw's sources, one release each: nothing of them is in this repository. */
const FOLDER = process.env["OPENCLAW_SOURCES"];
const ARCHIVES =
  FOLDER !== undefined && existsSync(FOLDER)
    ? readdirSync(FOLDER).filter((name) => /\.(?:tgz|txz|tar\..z2?)$/.test(name))
    : [];

describe.skipIf(ARCHIVES.length === 0)("the sources of OpenClaw in the folder that OPENCLAW_SOURCES names", () => {
  test.each(ARCHIVES)(
    "%s: patched, verified, given back byte for byte; the series gives the same",
    { timeout: 600_000 },
    (name) => {
      const root = join(newFolder(), "checkout");
      mkdirSync(root);
      execFileSync("tar", ["xf", join(FOLDER!, name), "-C", root]);
      const before = hashTree(root);
      const report = applyToCheckout(root);
      expect(report).toMatchObject({ action: "applied", leftOut: [] });
      expect(report.points).toMatchObject({
        "session-load": 2,
        "attempt-history-load": 1,
        "attempt-history-gate": 1,
        "compaction-history-load": 1,
        "compaction-history-gate": 1,
        "session-reset": 2,
      });
      expect(verifyCheckout(root).state).toBe("patched");
      const patched = hashTree(root);
      revertCheckout(root);
      expect(hashTree(root)).toEqual(before);
      const patches = join(newFolder(), "patches");
      const files = writeSeries(root, patches);
      git(root, "init", "--quiet");
      git(root, "config", "core.autocrlf", "false");
      git(root, "add", "--all", "--force");
      git(root, "commit", "--quiet", "--no-verify", "-m", "published");
      git(root, "am", "--quiet", ...files.map((file) => join(patches, file)));
      const bySeries = Object.fromEntries(Object.entries(hashTree(root)).filter(([file]) => !file.startsWith(".git/")));
      expect(bySeries).toEqual(patched);
      for (const file of files) expect(readFileSync(join(patches, file), "utf8")).toContain("\nSubject: [PATCH ");
    },
  );
});
