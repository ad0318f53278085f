import { RecentMap } from "../base/recent-map.ts";

/** Whether and where the files of a conversation are captured. */
interface LiveFiles {
  workspace: string | undefined;
}

const MAX_CONVERSATIONS = 1024;

/** The guard and the plugin are separate bundles in one process and share this map by a global symbol. */
const LIVE = Symbol.for("openclaw-integrity.workspace.v1");

function conversations(): RecentMap<string, LiveFiles> {
  const holder = globalThis as { [LIVE]?: RecentMap<string, LiveFiles> };
  return (holder[LIVE] ??= new RecentMap<string, LiveFiles>(MAX_CONVERSATIONS, () => ({ workspace: undefined })));
}

/** Turns the capture of files on for a conversation whose agent works in this folder. */
export function enableFiles(sessionKey: string, workspace: string): void {
  conversations().of(sessionKey).workspace = workspace;
}

/** The folder whose files are captured for this conversation; undefined where that is turned off. */
export function enabledWorkspace(sessionKey: string): string | undefined {
  return conversations().of(sessionKey).workspace;
}
