import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { TravellingManager } from "../../src/guard/travel/history.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";

/** OpenClaw's own session manager, with what tests append. */
export type RealManager = TravellingManager & { appendMessage(message: unknown): string };

/** The class that makes them. */
export interface Managers {
  readonly SessionManager: { inMemory(cwd?: string): RealManager };
}

/** The session manager of a base release, loaded from its files. */
export async function sessionManagers(release: string): Promise<Managers> {
  const root = join(releasesFolder(), release, "patched", "node_modules", "openclaw");
  const file =
    release === "2026.2.3"
      ? join(root, "../@mariozechner/pi-coding-agent/dist/index.js")
      : join(root, "dist/plugin-sdk/agent-sessions.js");
  return (await import(pathToFileURL(file).href)) as Managers;
}
