/**
 * Loads the functions of an installed OpenClaw (2026.8 and later) that read and change its sessions. Only OpenClaw
 * writes to its database.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { LeafMover } from "./append-entry.ts";
import { describeError, storeError } from "../errors.ts";

/** An entry of a session's tree. */
export interface TreeEntry {
  readonly id: string;
  readonly type: string;
}

/** A session, identified as OpenClaw does. */
export interface SessionTarget {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly storePath: string;
}

/** Appends entries after the leaf of a session, and moves the leaf. */
export interface SessionWriter extends LeafMover {
  appendMessage(message: unknown, options?: { readonly idempotencyLookup: "caller-checked" }): string;
  appendCustomEntry(customType: string, data: unknown): string;
  appendCustomMessageEntry(customType: string, content: string, display: boolean, details?: unknown): string;
}

/** The part of OpenClaw's session manager that is used here. */
export interface OpenClawSession extends SessionWriter {
  getLeafId(): string | null;
  getEntry(id: string): TreeEntry | undefined;
  getEntries(): readonly TreeEntry[];
  /** The entries from the first one to this one, or to the leaf. */
  getBranch(fromId?: string): readonly TreeEntry[];
  appendCompaction(summary: unknown, firstKeptEntryId: string | undefined, ...rest: unknown[]): string;
  appendResetBoundary(reason: string, firstKeptEntryId?: string): string;
  /**
   * Copies the path to this entry into a new session and makes it the conversation's current one, in one transaction.
   */
  createBranchedSession(leafId: string): Promise<string | undefined> | string | undefined;
  /**
   * Since 2026.9: returns a copy to write to. `commit` stores it in one transaction, which fails when somebody else has
   * written meanwhile.
   */
  prepareTranscriptRewrite?(): {
    readonly sessionManager: SessionWriter;
    commit(ids: ReadonlyMap<string, string>): void;
  };
}

/** The part of OpenClaw's record of a conversation that is used here. */
export interface ConversationEntry {
  readonly sessionId?: string;
  readonly status?: string;
  readonly updatedAt?: number;
}

/** The functions of OpenClaw that are used here. */
export interface OpenClawSessions {
  /**
   * Opens a session. With limits, only the end of the active path is read, and only when OpenClaw's index of the
   * session is up to date.
   */
  open(target: SessionTarget, limits?: { readonly maxBytes: number; readonly maxEvents: number }): OpenClawSession;
  resolveStorePath(store: undefined, options: { readonly agentId: string }): string;
  resolveTranscriptSessionKeyBySessionId(params: {
    readonly agentId: string;
    readonly sessionId: string;
    readonly storePath: string;
  }): string | undefined;
  getSessionEntry(params: Omit<SessionTarget, "sessionId">): ConversationEntry | undefined;
  /** Adds a conversation, or replaces its record. */
  upsertSessionEntry?(
    params: Omit<SessionTarget, "sessionId"> & { readonly entry: Readonly<Record<string, unknown>> },
  ): Promise<unknown>;
  deleteSessionEntry?(
    params: Omit<SessionTarget, "sessionId"> & { readonly expectedSessionId: string },
  ): Promise<unknown>;
  /**
   * Without `skipMaintenance` OpenClaw tidies the store after the change, in a thread that holds the lock of its state
   * for seconds, in which a gateway can write nothing.
   */
  patchSessionEntry(
    params: Omit<SessionTarget, "sessionId"> & {
      readonly skipMaintenance: true;
      /** Returns the fields that change, or null to change nothing. */
      update(entry: ConversationEntry): object | null;
    },
  ): Promise<ConversationEntry | null>;
}

interface SessionManagerModule {
  readonly SessionManager: { open(target: SessionTarget, cwd?: string, limits?: object): OpenClawSession };
}

/**
 * Loads the session code of the OpenClaw in `root` for the state in `stateDirectory`. Sets OPENCLAW_STATE_DIR in the
 * environment of this process, because that code reads it. Throws `openclaw-unfit`.
 */
export async function loadOpenClawSessions(root: string, stateDirectory: string): Promise<OpenClawSessions> {
  process.env["OPENCLAW_STATE_DIR"] = stateDirectory;
  try {
    const store = await importFrom<Omit<OpenClawSessions, "open">>(root, "openclaw/plugin-sdk/session-store-runtime");
    const { SessionManager } = await importFrom<SessionManagerModule>(root, "openclaw/plugin-sdk/agent-sessions");
    const { resolveStorePath, resolveTranscriptSessionKeyBySessionId, getSessionEntry, patchSessionEntry } = store;
    const { upsertSessionEntry, deleteSessionEntry } = store;
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
      ...(upsertSessionEntry && { upsertSessionEntry }),
      ...(deleteSessionEntry && { deleteSessionEntry }),
    };
  } catch (error) {
    const { version, node } = readVersions(root);
    throw storeError("openclaw-unfit", {
      expected:
        "an OpenClaw that keeps its sessions in SQLite (2026.8.1 or later) and can be loaded by this Node " +
        `(${process.version})`,
      found: `OpenClaw ${version} in ${root}, which needs Node ${node}: ${describeError(error)}`,
      todo:
        "Name the OpenClaw that the sessions belong to with --path or --global, and run it with the Node that " +
        "OpenClaw needs. Nothing was changed.",
      cause: error,
    });
  }
}

/**
 * Loads a module of the OpenClaw in `root` by the name under which plugins import it; inside that OpenClaw it is the
 * module instance that OpenClaw itself uses. Loaded with `require`: when a plugin uses `import`, OpenClaw 2026.9.6
 * first copies itself with all its dependencies, which takes 40 s and creates a second OpenClaw.
 */
export async function importFrom<Module>(root: string, name: string): Promise<Module> {
  // A package can resolve its own name.
  return createRequire(join(root, "package.json"))(name) as Module;
}

function readVersions(root: string): { readonly version: string; readonly node: string } {
  const { version = "unknown", engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version?: string;
    engines?: { node?: string };
  };
  return { version, node: engines?.node ?? "of any version" };
}
