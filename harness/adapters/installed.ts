import { ensureRelease } from "../openclaw/ensure-release.ts";
import { RELEASES } from "../../src/patching/base/releases.ts";
import type { Adapter } from "./adapter.ts";
import { loadAdapters } from "./releases.ts";

/** The real adapters of all base releases; a release that is not there yet is installed. */
export async function installedAdapters(say?: (line: string) => void): Promise<Adapter[]> {
  const adapters: Adapter[] = [];
  for (const { release } of RELEASES) {
    const { stock } = await ensureRelease(release, say ? { say } : {});
    adapters.push(...(await loadAdapters(release, stock)));
  }
  return adapters;
}
