import { join } from "node:path";

/**
 * Whose store: that of OpenClaw's agents, which its plugin writes, or that of other agents, which come by the MCP
 * server.
 */
export type StoreName = "openclaw" | "mcp";
export const STORE_NAMES: readonly StoreName[] = ["openclaw", "mcp"];

const FILES: Readonly<Record<StoreName, string>> = {
  openclaw: "openclaw-continuity.sqlite",
  mcp: "openclaw-continuity-mcp.sqlite",
};
const SCHEMAS: Readonly<Record<StoreName, string>> = { openclaw: "continuity", mcp: "continuity_mcp" };

/** The SQLite file of a store, where no other one is named. */
export function continuityFile(stateDirectory: string, store: StoreName = "openclaw"): string {
  return join(stateDirectory, FILES[store]);
}

/** The database schema of a store in PostgreSQL, where no other one is named. */
export function continuitySchema(store: StoreName): string {
  return SCHEMAS[store];
}

/** Whether that is how OpenClaw's plugin names the work of a conversation or an agent: by the session key. */
export function isOpenClawsName(project_id: string): boolean {
  return /^agent:/i.test(project_id);
}
