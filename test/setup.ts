import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensurePatched } from "../src/patching/ensure-release.ts";
import type { Release } from "../src/patching/index.ts";
import { BASE_RELEASES } from "./openclaw/releases.ts";

/** Installs and patches both base releases before any test looks for them; a second or so when they are there. Returns how to tidy up. */
export default async function setup(): Promise<() => void> {
  for (const release of BASE_RELEASES) await ensurePatched(release as Release, { say: (line) => console.log(line) });
  // Every worker inherits it: what a test that was killed left behind goes with the rest. Short, for the sockets in it.
  const folder = mkdtempSync(join(tmpdir(), "oi-"));
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
