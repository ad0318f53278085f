/**
 * The parts of an installed OpenClaw (2026.8 and later) that read and change its sessions; only it writes into its
 * database.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { LeafMover } from "./append-entry.ts";
import { reasonOf, storeError } from "../errors.ts";

/** An entry of a session's tree. */
export interface TreeEntry {
  readonly id: string;
  readonly type: string;
}

/** Which session: OpenClaw's own coordinates. */
export interface SessionTarget {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly storePath: string;
}

/** What can be added to a session behind its leaf, and where that is. */
export interface SessionWriter extends LeafMover {
  appendMessage(message: unknown, options?: { readonly idempotencyLookup: "caller-checked" }): string;
  appendCustomEntry(customType: string, data: unknown): string;
  appendCustomMessageEntry(customType: string, content: string, display: boolean, details?: unknown): string;
}

/** OpenClaw's view of one stored session, as far as it is used here. */
export interface OpenClawSession extends SessionWriter {
  getLeafId(): string | null;
  getEntry(id: string): TreeEntry | undefined;
  getEntries(): readonly TreeEntry[];
  /** The entries from the first one to this one, or to the leaf. */
  getBranch(fromId?: string): readonly TreeEntry[];
  appendCompaction(summary: unknown, firstKeptEntryId: string | undefined, ...rest: unknown[]): string;
  appendResetBoundary(reason: string, firstKeptEntryId?: string): string;
  /** Copies that path into a new session, which the conversation then has; in one transaction. */
  createBranchedSession(leafId: string): Promise<string | undefined> | string | undefined;
  /**
   * Since 2026.9: a copy to write in, and its commit in one transaction, which fails when somebody else has written
   * meanwhile.
   */
  prepareTranscriptRewrite?(): {
    readonly sessionManager: SessionWriter;
    commit(ids: ReadonlyMap<string, string>): void;
  };
}

/** What OpenClaw knows of a conversation. */
export interface ConversationEntry {
  readonly sessionId?: string;
  readonly status?: string;
}

/** What is used of OpenClaw. */
export interface OpenClawSessions {
  /** With limits only the end of the active path, and only when OpenClaw's index of the session is up to date. */
  open(target: SessionTarget, limits?: { readonly maxBytes: number; readonly maxEvents: number }): OpenClawSession;
  resolveStorePath(store: undefined, options: { readonly agentId: string }): string;
  resolveTranscriptSessionKeyBySessionId(params: {
    readonly agentId: string;
    readonly sessionId: string;
    readonly storePath: string;
  }): string | undefined;
  getSessionEntry(params: Omit<SessionTarget, "sessionId">): ConversationEntry | undefined;
  patchSessionEntry(
    params: Omit<SessionTarget, "sessionId"> & { update(entry: ConversationEntry): ConversationEntry },
  ): Promise<ConversationEntry | null>;
}

interface SessionManagerModule {
  readonly SessionManager: { open(target: SessionTarget, cwd?: string, limits?: object): OpenClawSession };
}

/**
 * Takes up the session code of the OpenClaw in `root`, for the state in `stateDirectory`; it reads the environment of
 * the process, which is changed accordingly. Throws `openclaw-unfit`.
 */
export async function loadOpenClawSessions(root: string, stateDirectory: string): Promise<OpenClawSessions> {
  process.env["OPENCLAW_STATE_DIR"] = stateDirectory;
  try {
    const store = await importFrom<Omit<OpenClawSessions, "open">>(root, "openclaw/plugin-sdk/session-store-runtime");
    const { SessionManager } = await importFrom<SessionManagerModule>(root, "openclaw/plugin-sdk/agent-sessions");
    const { resolveStorePath, resolveTranscriptSessionKeyBySessionId, getSessionEntry, patchSessionEntry } = store;
    const parts = [
      resolveStorePath,
      resolveTranscriptSessionKeyBySessionId,
      getSessionEntry,
      patchSessionEntry,
      SessionManager?.open,
    ];
    if (parts.some((part) => typeof part !== "function"))
      throw new Error("its plugin-sdk lacks what sessions are restored with");
    return {
      open: (target, limits) => SessionManager.open(target, undefined, limits),
      resolveStorePath,
      resolveTranscriptSessionKeyBySessionId,
      getSessionEntry,
      patchSessionEntry,
    };
  } catch (error) {
    const { version, node } = manifestOf(root);
    throw storeError("openclaw-unfit", {
      expected: `an OpenClaw that keeps its sessions in SQLite (2026.8.1 or later) and can be loaded by this Node (${process.version})`,
      found: `OpenClaw ${version} in ${root}, which needs Node ${node}: ${reasonOf(error)}`,
      todo: "Name the OpenClaw that the sessions belong to with --path or --global, and run it with the Node that OpenClaw needs. Nothing was changed.",
      cause: error,
    });
  }
}

/**
 * A module of the OpenClaw in `root`, by the name that plugins import it under; inside that OpenClaw it is the very
 * module that it runs. It is required, not imported: what a plugin imports OpenClaw 2026.9.6 copies first, itself with
 * all its dependencies, which takes 40 s and gives a second OpenClaw.
 */
export async function importFrom<Module>(root: string, name: string): Promise<Module> {
  // A package finds itself by its own name.
  return createRequire(join(root, "package.json"))(name) as Module;
}

function manifestOf(root: string): { readonly version: string; readonly node: string } {
  const { version = "unknown", engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version?: string;
    engines?: { node?: string };
  };
  return { version, node: engines?.node ?? "of any version" };
}
