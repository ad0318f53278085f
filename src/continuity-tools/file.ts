import { join } from "node:path";

/** The SQLite store that OpenClaw's agents, the MCP server and the command line share unless they are told of another. */
export function continuityFile(stateDirectory: string): string {
  return join(stateDirectory, "openclaw-continuity.sqlite");
}
