import { join } from "node:path";
import { fileTrouble } from "../../base/file-trouble.ts";
import { isThere } from "../../base/is-there.ts";
import { describeError } from "../errors.ts";
import { agentDatabase } from "../sessions/session-coordinates.ts";
import { agentsIn } from "../state-directory.ts";
import { AgentDatabase } from "./database.ts";
import { listTranscripts, readFileRows } from "./files.ts";
import type { Catalog, SessionSummary } from "./summary.ts";

/**
 * Opens all sessions of a state directory for reading: transcript files and, since 2026.8, each agent's database. Files
 * that OpenClaw has migrated into its database no longer end in `.jsonl`, so no session is listed twice.
 */
export function openCatalog(stateDirectory: string): Catalog {
  const databases = new Map<string, AgentDatabase>();
  const databaseAt = (file: string): AgentDatabase => {
    const database = databases.get(file) ?? new AgentDatabase(file);
    databases.set(file, database);
    return database;
  };
  return {
    list(agentId) {
      const problems: string[] = [];
      const unless = (read: () => readonly SessionSummary[]): readonly SessionSummary[] => {
        try {
          return read();
        } catch (error) {
          // The other agents' sessions can still be listed.
          problems.push(fileTrouble(error)?.message ?? describeError(error));
          return [];
        }
      };
      const agents = agentId === undefined ? agentsIn(stateDirectory) : [agentId];
      const sessions = agents.flatMap((agent): readonly SessionSummary[] => {
        const folder = join(stateDirectory, "agents", agent);
        const database = agentDatabase(stateDirectory, agent);
        return [
          ...unless(() => listTranscripts(agent, join(folder, "sessions"), (sentence) => problems.push(sentence))),
          ...unless(() => (isThere(database) ? databaseAt(database).sessions(agent) : [])),
        ];
      });
      return { sessions: sessions.toSorted((one, other) => other.updatedAt - one.updatedAt), problems };
    },
    read: (session) => (session.kind === "file" ? readFileRows(session) : databaseAt(session.place).read(session)),
    close() {
      for (const database of databases.values()) database.close();
      databases.clear();
    },
  };
}
