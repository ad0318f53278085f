/**
 * The text of an anchor file: a heading, and a line per ledger. Every line has the same length, which divides a disk's
 * sectors, so that a line is written in place and never in half.
 */
import { sha256 } from "../base/json.ts";
import type { AnchorEntry } from "../ledger/anchor.ts";

/** Bytes of a line, with the line's end. */
export const LINE_BYTES = 256;
const NUMBER_DIGITS = 16;
const CHECK_DIGITS = 16;
const SLOT = /^([0-9a-f-]{36}) (\d{16}) ([0-9a-f]{64}) (\d{16}) ([0-9a-f]{16})$/;

export const HEADING = line(
  "# openclaw-integrity continuity anchor 1: workflow_id event_seq checksum fencing_token check",
);
/** The line of a ledger that was removed. */
export const FREE = line("-");

/** Returns the line of a ledger. Its last word is the beginning of the SHA-256 of the words before it. */
export function formatSlot({ workflow_id, event_seq, checksum, fencing_token }: AnchorEntry): string {
  const words = [workflow_id, padded(event_seq), checksum, padded(fencing_token)].join(" ");
  return line(`${words} ${shortChecksum(words)}`);
}

/** Reads a line; undefined for any other line, also one that was written in half. */
export function parseSlot(text: string): AnchorEntry | undefined {
  const words = SLOT.exec(text.trimEnd());
  if (!words || shortChecksum(words.slice(1, -1).join(" ")) !== words[5]) return undefined;
  const [, workflow_id, event_seq, checksum, fencing_token] = words;
  return {
    workflow_id: workflow_id!,
    event_seq: Number(event_seq),
    checksum: checksum!,
    fencing_token: Number(fencing_token),
  };
}

function padded(number: number): string {
  return String(number).padStart(NUMBER_DIGITS, "0");
}

function shortChecksum(words: string): string {
  return sha256(words).slice(0, CHECK_DIGITS);
}

function line(text: string): string {
  return `${text.padEnd(LINE_BYTES - 1)}\n`;
}
