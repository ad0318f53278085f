import { toJson } from "../transcript/json/json.ts";

/** Page size of new SQLite files. */
const PAGE_BYTES = 4096;

/**
 * Padding before words of a conversation in a column. The first bytes of a row, fewer than a page, are stored in the
 * B-tree; a growing B-tree copies them from page to page, and `secure_delete` zeroes only the last copy. The rest is
 * stored in overflow pages, which are never copied and are zeroed when the row is deleted.
 */
const APART = " ".repeat(PAGE_BYTES);

/**
 * Returns words of a conversation in the form in which the journal stores them, so that nothing of them stays in the
 * file after their deletion. `parseStored` reads this form.
 */
export function storedWords(value: unknown): string {
  return APART + (toJson(value) || "null");
}
