import { createHash } from "node:crypto";

/**
 * The beginning of the tools' names in OpenClaw, which has a tool `create_goal` of its own since 2026.6.11, and may get
 * others of these names.
 */
export const TOOL_PREFIX = "continuity_";

const NAMES = ["get_work", "create_goal", "add_task", "update_task", "set_goal_status", "step"];

/**
 * Names of the tools in OpenClaw. openclaw.plugin.json lists them too; later releases register no tool that is missing
 * there. Kept apart from the tools, so that the names are known without loading the kernel.
 */
export const TOOL_NAMES: readonly string[] = NAMES.map((name) => TOOL_PREFIX + name);

/** The kernel's limit for project names. */
const LONGEST = 200;
const DIGEST_LENGTH = 32;

/**
 * Returns the author name of a conversation, made of its whole session key, so that no two conversations have the same.
 */
export function conversationAuthor(sessionKey: string): string {
  return conversationProject(sessionKey, "session");
}

/** Returns the project of a conversation's work: its own, which no other conversation sees, or that of its agent. */
export function conversationProject(sessionKey: string, scope: "session" | "agent"): string {
  const project_id = scope === "session" ? sessionKey : `agent:${/^agent:([^:]+)/.exec(sessionKey)?.[1] ?? "main"}`;
  if (project_id.length <= LONGEST) return project_id;
  // The digest keeps apart two long keys that differ only at the end.
  const digest = createHash("sha256").update(project_id).digest("hex").slice(0, DIGEST_LENGTH);
  return `${project_id.slice(0, LONGEST - DIGEST_LENGTH - 1).toWellFormed()}#${digest}`;
}
