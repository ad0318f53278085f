import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdDecompressSync } from "node:zlib";

/** Where a piece of the conversation is at the end: the first of these that has it. */
export type Place = "request" | "archive" | "store" | "lost";

/** Everything that a state folder holds of its sessions, as text. */
export interface Stored {
  /** Copies that a reset left, ours and OpenClaw's own. */
  archives: string;
  /** What the sessions themselves hold, also what no longer belongs to the active path. */
  sessions: string;
}

const ARCHIVE = /\.(integrity-[0-9a-f]+\.bak|reset\.|deleted\.|bak)/;

/** Reads the sessions of a state folder, JSONL and SQLite, also while OpenClaw runs. */
export function readStored(stateDir: string): Stored {
  const agent = join(stateDir, "agents", "main");
  const folder = join(agent, "sessions");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.includes(".jsonl")) : [];
  const text = (wanted: (name: string) => boolean): string =>
    names
      .filter(wanted)
      .map((name) => readFileSync(join(folder, name), "utf8"))
      .join("");
  const database = join(agent, "agent", "openclaw-agent.sqlite");
  return {
    archives: text((name) => ARCHIVE.test(name)),
    sessions: text((name) => !ARCHIVE.test(name)) + (existsSync(database) ? readRows(database) : ""),
  };
}

/** Where each piece is now. A session in SQLite is never emptied: what a reset leaves behind is still in the store. */
export function locatePieces(pieces: readonly string[], lastRequest: string, stored: Stored): Map<string, Place> {
  const place = (piece: string): Place => {
    if (lastRequest.includes(piece)) return "request";
    if (stored.archives.includes(piece)) return "archive";
    return stored.sessions.includes(piece) ? "store" : "lost";
  };
  return new Map(pieces.map((piece) => [piece, place(piece)]));
}

function readRows(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare("SELECT event_json, event_zstd FROM transcript_events").all();
    return rows
      .map(({ event_json: json, event_zstd: packed }) =>
        packed instanceof Uint8Array ? zstdDecompressSync(packed).toString() : String(json),
      )
      .join("\n");
  } finally {
    database.close();
  }
}
