import { createHash } from "node:crypto";

/** A message as OpenClaw stores it; anything may be in it, because stored history may be corrupt. */
export type StoredMessage = Record<string, unknown>;

/** One line of a stored transcript: the header, a message, a compaction, or anything else. */
export type TranscriptEntry = Record<string, unknown>;

/** How `toTranscript` writes the file. */
export interface TranscriptOptions {
  /** Distinguishes the ids of two transcripts; the same seed gives the same bytes. */
  seed?: string;
  /**
   * `none` leaves the header line out; 1 is the flat format without ids, 2 the tree format before `custom` messages.
   */
  header?: 1 | 2 | 3 | "none";
  /** Time of the header, ISO; every entry is one second later than the one before it. */
  start?: string;
}

const DEFAULT_START = "2026-02-06T09:00:00.000Z";

/** Eight hexadecimal digits that depend on nothing but seed and position, as OpenClaw's own entry ids look. */
export function entryId(seed: string, position: number): string {
  return createHash("sha256").update(`${seed}:${position}`).digest("hex").slice(0, 8);
}

/**
 * The JSONL text of a session in OpenClaw's stored format: a header line, then one `message` entry per message, chained
 * by `parentId`. Messages without a timestamp get the one of their entry, as OpenClaw always stores one.
 */
export function toTranscript(messages: readonly StoredMessage[], options: TranscriptOptions = {}): string {
  const { seed = "transcript", header = 3, start = DEFAULT_START } = options;
  const startMs = Date.parse(start);
  const lines: TranscriptEntry[] = header === "none" ? [] : [headerEntry(seed, header, start)];
  for (const [index, message] of messages.entries()) {
    const time = startMs + (index + 1) * 1000;
    const timestamped = "timestamp" in message ? message : { ...message, timestamp: time };
    const tree =
      header === 1 ? {} : { id: entryId(seed, index), parentId: index === 0 ? null : entryId(seed, index - 1) };
    lines.push({ type: "message", ...tree, timestamp: new Date(time).toISOString(), message: timestamped });
  }
  return toJsonl(lines);
}

/** Every JSON value of a JSONL text, in order; a half-written line holds none. */
export function parseLines(jsonl: string): unknown[] {
  const values: unknown[] = [];
  for (const line of jsonl.split("\n")) {
    try {
      if (line.trim()) values.push(JSON.parse(line));
    } catch {
      // One of the corruptions that are stored on purpose.
    }
  }
  return values;
}

/** Whether a value of a transcript is an entry, which a stored number or list is not. */
export function isEntry(value: unknown): value is TranscriptEntry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSONL text with a final newline; empty for no entries. */
export function toJsonl(entries: readonly TranscriptEntry[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

function headerEntry(seed: string, version: 1 | 2 | 3, timestamp: string): TranscriptEntry {
  const digest = createHash("sha256").update(`session:${seed}`).digest("hex");
  const id = [8, 12, 16, 20].reduce(
    (text, at, nth) => `${text.slice(0, at + nth)}-${text.slice(at + nth)}`,
    digest.slice(0, 32),
  );
  // Version 1 files carry no version field at all.
  return { type: "session", ...(version === 1 ? {} : { version }), id, timestamp, cwd: "/workspace" };
}
