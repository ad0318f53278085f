import { createHash } from "node:crypto";

/** As long as the kernel lets a project's name be. */
const LONGEST = 200;
const DIGEST_LENGTH = 32;

/** A conversation as the author of what it records: by its whole key, so that no two are the same. */
export function conversationOf(sessionKey: string): string {
  return projectOf(sessionKey, "session");
}

/**
 * The project that a conversation's work belongs to: its own, which no other conversation sees, or that of its agent.
 */
export function projectOf(sessionKey: string, scope: "session" | "agent"): string {
  const project_id = scope === "session" ? sessionKey : `agent:${/^agent:([^:]+)/.exec(sessionKey)?.[1] ?? "main"}`;
  if (project_id.length <= LONGEST) return project_id;
  // Two long keys that differ at the end only must not share a project.
  const digest = createHash("sha256").update(project_id).digest("hex").slice(0, DIGEST_LENGTH);
  return `${project_id.slice(0, LONGEST - DIGEST_LENGTH - 1).toWellFormed()}#${digest}`;
}
