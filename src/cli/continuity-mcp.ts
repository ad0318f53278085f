import { isGone, LeaseKeeper } from "../continuity-tools/index.ts";
import { serveStdio } from "../mcp/index.ts";
import { openContinuity, type StoreOptions } from "./continuity-store.ts";
import { runAsync } from "./run.ts";

interface McpOptions extends StoreOptions {
  /** Seconds. */
  readonly lease: number;
}

/** `openclaw-integrity continuity mcp`: serves until its client goes. Standard output is the protocol's. */
export async function mcpCommand(options: McpOptions): Promise<void> {
  await runAsync({ quiet: true }, async () => {
    const { continuity } = await openContinuity(options, { mustExist: false });
    try {
      await serveStdio({ continuity, leases: new LeaseKeeper({ ttlMs: options.lease * 1000, isGone }), project_id: options.project });
    } finally {
      await continuity.close();
    }
    return { data: {}, lines: [] };
  });
}
