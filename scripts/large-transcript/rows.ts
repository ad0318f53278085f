import { createCipheriv } from "node:crypto";
import { entryId, type TranscriptEntry } from "../../harness/openclaw/transcript.ts";
import { assistant, result, says, user } from "../../harness/openclaw/samples.ts";

/** How a large transcript looks. */
export interface LargeTranscript {
  sessionId: string;
  bytes: number;
  /** Bytes of each tool result. */
  resultBytes: number;
  /**
   * Whether a compaction stands near the end, as in any session that has grown for months; else all of it is for the
   * model.
   */
  compacted: boolean;
}

const START = Date.parse("2026-02-06T09:00:00.000Z");
/** The messages behind the compaction, which the model is sent. */
const KEPT_TURNS = 3;

/** What the last turn says; a request that holds it has the end of the history. */
export const LAST_WORDS = "the last words before the large file";

/**
 * The rows of a session that has read files all its life, one after the other, so that it need not be held in memory.
 */
export function* largeRows(options: LargeTranscript): Generator<TranscriptEntry> {
  const { sessionId, bytes, resultBytes, compacted } = options;
  yield { type: "session", version: 3, id: sessionId, timestamp: new Date(START).toISOString(), cwd: "/workspace" };
  const zeros = Buffer.alloc(Math.ceil((resultBytes * 3) / 4));
  let at = 0;
  const row = (type: string, fields: TranscriptEntry): TranscriptEntry => {
    const time = START + ++at * 1000;
    return {
      type,
      id: entryId("large", at),
      parentId: at === 1 ? null : entryId("large", at - 1),
      timestamp: new Date(time).toISOString(),
      ...fields,
    };
  };
  const message = (stored: Record<string, unknown>): TranscriptEntry =>
    row("message", { message: { ...stored, timestamp: START + (at + 1) * 1000 } });
  const turns = Math.ceil(bytes / (resultBytes + 1200));
  for (let turn = 0; turn < turns; turn++) {
    const id = `toolu_large_${turn}`;
    yield message(user(`read file ${turn}`));
    yield message(
      assistant({ type: "toolCall", id, name: "read", arguments: { path: `file-${turn}.txt` } }, "toolUse"),
    );
    yield message(result(id, noise(turn, zeros)));
    yield message(says(`File ${turn} is read.`));
  }
  if (compacted)
    yield row("compaction", {
      summary: `${turns} files were read`,
      firstKeptEntryId: entryId("large", at - 3),
      tokensBefore: 151_204,
    });
  for (let turn = 0; turn < KEPT_TURNS; turn++) {
    yield message(user(`question ${turn}`));
    yield message(says(turn === KEPT_TURNS - 1 ? LAST_WORDS : `answer ${turn}`));
  }
}

/** Text that no store can make smaller, the same for the same number. */
function noise(turn: number, zeros: Buffer): string {
  const start = Buffer.alloc(16);
  start.writeUInt32BE(turn);
  return createCipheriv("aes-128-ctr", Buffer.alloc(16), start).update(zeros).toString("base64");
}
