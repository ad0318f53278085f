import { RecentMap } from "../base/recent-map.ts";

const MAX_CONVERSATIONS = 1024;
const MAX_AGENTS = 256;

/** Where files are captured. */
interface LiveFiles {
  readonly conversations: RecentMap<string, { workspace: string | undefined }>;
  /** All folders in which an agent has been seen to work. */
  readonly agents: RecentMap<string, Set<string>>;
}

/** The guard and the plugin are separate bundles in one process and share this by a global symbol. */
const LIVE = Symbol.for("openclaw-integrity.workspace.v2");
const holder = globalThis as { [LIVE]?: LiveFiles };

function live(): LiveFiles {
  return (holder[LIVE] ??= {
    conversations: new RecentMap<string, { workspace: string | undefined }>(MAX_CONVERSATIONS, () => ({
      workspace: undefined,
    })),
    agents: new RecentMap<string, Set<string>>(MAX_AGENTS, () => new Set()),
  });
}

/** Turns the capture of files on for a conversation, and for others of the same agent, which works in this folder. */
export function enableFiles(sessionKey: string, agentId: string | undefined, workspace: string): void {
  const { conversations, agents } = live();
  conversations.getOrMake(sessionKey).workspace = workspace;
  if (agentId !== undefined) agents.getOrMake(agentId).add(workspace);
}

/** Turns the capture of files off for all conversations that are not turned on again. */
export function disableFiles(): void {
  delete holder[LIVE];
}

/**
 * The folder whose files are captured for this conversation; undefined where that is turned off. OpenClaw
 * 2026.7.1 and 2026.8.1 create a plugin's tools once for all conversations of an agent in one folder, so that most
 * conversations are known by their agent only; an agent that works in several folders is not known by that.
 */
export function enabledWorkspace(sessionKey: string, agentId: string | undefined): string | undefined {
  const { conversations, agents } = live();
  const { workspace } = conversations.getOrMake(sessionKey);
  if (workspace !== undefined || agentId === undefined) return workspace;
  const folders = agents.getOrMake(agentId);
  return folders.size === 1 ? folders.values().next().value : undefined;
}
