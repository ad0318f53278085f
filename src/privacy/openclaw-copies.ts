import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { describeError } from "../store/errors.ts";
import { agentDatabase } from "../store/sessions/session-coordinates.ts";
import { agentsIn } from "../store/state-directory.ts";
import type { Subject } from "./holders/holder.ts";
import type { StoreNow } from "./names.ts";

/** Data that OpenClaw itself keeps about a subject and that this project does not delete. */
export interface OpenClawCopy {
  readonly what: "session" | "file" | "rows";
  readonly place: string;
  readonly sessionId: string;
  readonly sessionKey?: string;
}

/** Part of the names of files that this project writes beside OpenClaw's. */
const OURS = /\.integrity-/;

/**
 * Lists what OpenClaw has of a subject: sessions in its store, files with a session's id in their names, and
 * transcripts of deleted sessions.
 */
export function openclawCopies(
  stateDirectory: string,
  { sessionIds }: Subject,
  { sessions, rows }: StoreNow,
): { readonly copies: readonly OpenClawCopy[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const stored = sessions.filter(({ sessionId }) => sessionIds.has(sessionId));
  const files = agentsIn(stateDirectory)
    .flatMap((agent) => namesBelow(join(stateDirectory, "agents", agent, "sessions"), problems))
    .flatMap((path): OpenClawCopy[] => {
      const name = basename(path);
      const sessionId = OURS.test(name) ? undefined : [...sessionIds].find((id) => name.includes(id));
      return sessionId === undefined ? [] : [{ what: "file", place: path, sessionId }];
    });
  const named = new Set(files.map(({ place }) => place));
  return {
    copies: [
      ...stored
        .filter(({ place }) => !named.has(place))
        .map(({ place, sessionId, sessionKey }): OpenClawCopy => ({
          what: "session",
          place,
          sessionId,
          ...(sessionKey !== undefined && { sessionKey }),
        })),
      ...files,
      ...rows.deleted
        .filter(({ sessionId }) => sessionIds.has(sessionId))
        .map(({ agentId, sessionId, sessionKey }): OpenClawCopy => ({
          what: "rows",
          place: agentDatabase(stateDirectory, agentId),
          sessionId,
          sessionKey,
        })),
    ],
    problems,
  };
}

function namesBelow(folder: string, problems: string[]): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      problems.push(`what OpenClaw has in ${folder} could not be looked at: ${describeError(error)}`);
    return [];
  }
}
