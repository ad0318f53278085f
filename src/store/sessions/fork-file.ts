import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { toJson, type JsonObject } from "../../transcript/json/json.ts";
import { putFile } from "../archives/durable-file.ts";
import { storeError } from "../errors.ts";
import { newEntryId } from "./entry-id.ts";
import { readChoices, type Forked } from "./forked.ts";
import { addConversation, readIndex } from "./session-index.ts";
import type { Note } from "./stored-session.ts";

/** The session that is forked. */
export interface ForkedFile {
  readonly agentId: string;
  readonly transcript: string;
  readonly sessionKey: string | undefined;
  readonly header: JsonObject | undefined;
  /** The rows of the path, each behind the one before. */
  readonly rows: Iterable<JsonObject>;
}

/**
 * Makes a session of its own from the rows of a path and a note: a new transcript, and then its conversation in
 * sessions.json. Each is written in one step, so that a kill leaves nothing, or a transcript that no conversation has.
 * Throws `session-missing` where there is no sessions.json, `store-unreadable` where that cannot be read,
 * `session-busy` while another program has it locked, and `not-writable` or `unsafe-path`.
 */
export function forkFile(source: ForkedFile, { text, details, customType }: Note, label: string): Forked {
  const { agentId, transcript, header, rows, sessionKey } = source;
  const index = readIndex(transcript);
  if (index === undefined) {
    throw storeError("session-missing", {
      expected: `OpenClaw's list of sessions beside ${transcript}`,
      found: "none",
      todo: "Only a session of OpenClaw's store can be forked. Nothing was changed.",
    });
  }
  const sessionId = randomUUID();
  const timestamp = new Date().toISOString();
  const lines = [
    {
      ...header,
      type: "session",
      version: header?.["version"] ?? 3,
      id: sessionId,
      timestamp,
      cwd: header?.["cwd"] ?? "",
      parentSession: transcript,
    } as JsonObject,
  ];
  const ids = new Set<string>();
  let parentId: string | null = null;
  for (const row of rows) {
    lines.push({ ...row, parentId });
    parentId = String(row["id"]);
    ids.add(parentId);
  }
  const noteId = newEntryId((one) => ids.has(one));
  lines.push({
    type: "custom_message",
    customType,
    content: text,
    display: true,
    details,
    id: noteId,
    parentId,
    timestamp,
  });
  const file = join(dirname(transcript), `${sessionId}.jsonl`);
  putFile(file, lines.map((row) => `${toJson(row)}\n`).join(""), 0o600);
  const key = `agent:${agentId}:fork-${sessionId.slice(0, 8)}`;
  addConversation(index, key, file, {
    ...readChoices(sessionKey === undefined ? undefined : index.entries[sessionKey]),
    label,
  });
  return { sessionId, sessionKey: key, label, noteId };
}
