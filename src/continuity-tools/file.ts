import { join } from "node:path";

/** A store's users: OpenClaw's agents (through the plugin), or other agents (through the MCP server). */
export type StoreName = "openclaw" | "mcp";
export const STORE_NAMES: readonly StoreName[] = ["openclaw", "mcp"];

const FILES: Readonly<Record<StoreName, string>> = {
  openclaw: "openclaw-continuity.sqlite",
  mcp: "openclaw-continuity-mcp.sqlite",
};
const SCHEMAS: Readonly<Record<StoreName, string>> = { openclaw: "continuity", mcp: "continuity_mcp" };

/** Returns the default path of a store's SQLite file. */
export function continuityFile(stateDirectory: string, store: StoreName = "openclaw"): string {
  return join(stateDirectory, FILES[store]);
}

/** Returns the default database schema of a store in PostgreSQL. */
export function continuitySchema(store: StoreName): string {
  return SCHEMAS[store];
}

/**
 * Returns whether a project name has the form that OpenClaw's plugin gives to the work of a conversation or an agent
 * (its session key).
 */
export function isOpenClawsName(project_id: string): boolean {
  return /^agent:/i.test(project_id);
}
