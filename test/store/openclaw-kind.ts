import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OpenClawSession } from "../../src/integrity/sessions/openclaw.ts";
import { loadOpenClawSessions } from "../../src/store/openclaw/openclaw-sessions.ts";
import type { Session } from "../../src/integrity/index.ts";
import { toTranscript, type StoredMessage, type TranscriptEntry } from "../../harness/openclaw/index.ts";
import { openRows } from "../../harness/openclaw/adapters/rows.ts";
import type { SessionKind } from "../integrity/kind.ts";

/**
 * Sessions of an installed OpenClaw 2026.9, whose code is loaded into this process; its state is in a folder of its
 * own.
 */
export function openclawKind(root: string): SessionKind & {
  readRow(session: Session, entryId: string): Promise<TranscriptEntry | undefined>;
  compact(session: Session, firstKeptEntryId: string): Promise<void>;
} {
  const stateDirectory = realpathSync(mkdtempSync(join(tmpdir(), "integrity-openclaw-")));
  mkdirSync(join(stateDirectory, "agents", "main", "agent"), { recursive: true });
  /** OpenClaw's own access to its rows, for this state directory; another kind in this process may have its own. */
  const rows = (): ReturnType<typeof openRows> => {
    process.env["OPENCLAW_STATE_DIR"] = stateDirectory;
    return openRows(join(root, "dist"));
  };
  const keys = new Map<string, string>();
  const at = (session: string): Promise<OpenClawSession> => OpenClawSession.open({ root, stateDirectory, session });
  return {
    name: "OpenClaw 2026.9.6",
    format: "openclaw",
    open: async (messages) => {
      const id = randomUUID();
      const key = `agent:main:${id}`;
      keys.set(id, key);
      await (
        await rows()
      ).store({
        key,
        id,
        transcript: toTranscript(messages as StoredMessage[], { seed: id }),
        api: "anthropic-messages",
      });
      return at(key);
    },
    reopen: async ({ id }) => at(id),
    everything: async ({ id }) => {
      const entries = await (await rows()).read({ key: keys.get(id)!, id, transcript: "", api: "anthropic-messages" });
      return entries.filter(({ type }) => type === "message").map(({ message }) => message);
    },
    compact: async ({ id }, firstKeptEntryId) => {
      const openclaw = await loadOpenClawSessions(root, stateDirectory);
      const storePath = openclaw.resolveStorePath(undefined, { agentId: "main" });
      openclaw
        .open({ agentId: "main", sessionKey: keys.get(id)!, sessionId: id, storePath })
        .appendCompaction("They said hello.", firstKeptEntryId, 9);
    },
    readRow: async ({ id }, entryId) => {
      const entries = await (await rows()).read({ key: keys.get(id)!, id, transcript: "", api: "anthropic-messages" });
      return entries.find((entry) => entry["id"] === entryId);
    },
    archived: async (archive) => {
      const { sessionId, leafEntryId } = JSON.parse(readFileSync(archive, "utf8")) as {
        sessionId: string;
        leafEntryId: string;
      };
      return (await at(sessionId)).readMessages({ firstEntryId: null, leafEntryId })!;
    },
    close: async () => rmSync(stateDirectory, { recursive: true, force: true }),
  };
}
