import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { sessionIdOf } from "../../store/sessions/session-index.ts";
import { agentsIn } from "../../store/state-directory.ts";
import { filesIn } from "./read-folder.ts";

/** A transcript that OpenClaw has renamed, which it does where others delete. */
export interface RenamedTranscript {
  readonly agentId: string;
  readonly sessionId: string;
  /**
   * `deleted`: by who deletes a session (also by upkeep since 2026.2.26); `reset`: the conversation goes on in another
   * one.
   */
  readonly reason: "deleted" | "reset";
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly path: string;
}

const RENAMED = /^(.+\.jsonl)\.(deleted|reset)\.(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+Z)(?:\.zst)?$/;

/** The renamed transcripts of all agents. Throws `store-unreadable`. */
export function renamedTranscripts(stateDirectory: string): RenamedTranscript[] {
  return agentsIn(stateDirectory).flatMap((agentId) =>
    filesIn(join(stateDirectory, "agents", agentId, "sessions")).flatMap(({ name, path }): RenamedTranscript[] => {
      const [, transcript, reason, time] = RENAMED.exec(name) ?? [];
      if (transcript === undefined || time === undefined) return [];
      // Colons are no part of a file's name everywhere.
      const at = Date.parse(time.replace(/T(\d\d)-(\d\d)-(\d\d)/, "T$1:$2:$3"));
      return Number.isNaN(at)
        ? []
        : [
            {
              agentId,
              sessionId: sessionIdOf(basename(transcript)),
              reason: reason as RenamedTranscript["reason"],
              at,
              path,
            },
          ];
    }),
  );
}

/**
 * Whether the folder with an agent's transcripts is there: what is on a disk that is not mounted now is not deleted.
 */
export function hasTranscriptFolder(stateDirectory: string, agentId: string): boolean {
  return existsSync(join(stateDirectory, "agents", agentId, "sessions"));
}
