import type { StoredRows } from "./summary.ts";

/** Parses JSONL text. Counts the lines that are no JSON; of one that is the last and has no line feed, the bytes. */
export function parseRows(text: string): StoredRows {
  const rows: unknown[] = [];
  let unreadable = 0;
  let torn = 0;
  for (let at = 0, end = 0; at < text.length; at = end + 1) {
    end = text.indexOf("\n", at);
    const isEnded = end >= 0;
    if (!isEnded) end = text.length;
    const line = text.slice(at, end);
    try {
      rows.push(JSON.parse(line) as unknown);
    } catch {
      if (line.trim() === "") continue;
      if (isEnded) unreadable++;
      else torn = Buffer.byteLength(line);
    }
  }
  return { rows, unreadable, torn };
}
