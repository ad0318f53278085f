import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { parseSessionId } from "../../store/sessions/session-index.ts";
import { agentsIn } from "../../store/state-directory.ts";
import { filesIn } from "./read-folder.ts";

/** A transcript that OpenClaw has renamed instead of deleting it. */
export interface RenamedTranscript {
  readonly agentId: string;
  readonly sessionId: string;
  /**
   * `deleted`: the session was deleted, by a user or (since 2026.2.26) by OpenClaw's maintenance. `reset`: its
   * conversation continues in another session.
   */
  readonly reason: "deleted" | "reset";
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly path: string;
}

const RENAMED = /^(.+\.jsonl)\.(deleted|reset)\.(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+Z)(?:\.zst)?$/;

/** Lists the renamed transcripts of all agents. Throws `store-unreadable`. */
export function renamedTranscripts(stateDirectory: string): RenamedTranscript[] {
  return agentsIn(stateDirectory).flatMap((agentId) =>
    filesIn(join(stateDirectory, "agents", agentId, "sessions")).flatMap(({ name, path }): RenamedTranscript[] => {
      const [, transcript, reason, time] = RENAMED.exec(name) ?? [];
      if (transcript === undefined || time === undefined) return [];
      // OpenClaw writes the time without colons, which not every file system allows.
      const at = Date.parse(time.replace(/T(\d\d)-(\d\d)-(\d\d)/, "T$1:$2:$3"));
      return Number.isNaN(at)
        ? []
        : [
            {
              agentId,
              sessionId: parseSessionId(basename(transcript)),
              reason: reason as RenamedTranscript["reason"],
              at,
              path,
            },
          ];
    }),
  );
}

/** Whether an agent's folder of transcripts exists: transcripts on a disk that is not mounted are not deleted. */
export function hasTranscriptFolder(stateDirectory: string, agentId: string): boolean {
  return existsSync(join(stateDirectory, "agents", agentId, "sessions"));
}
