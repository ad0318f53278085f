import { toJson } from "../transcript/json/json.ts";

/** A page of the database, as SQLite makes new files. */
const PAGE_BYTES = 4096;

/**
 * Stands before words in a column. A row's first bytes, fewer than a page, lie in the tree; the tree copies them from
 * page to page when it grows, and `secure_delete` zeroes only the last copy. What comes behind lies in pages of its
 * own, which are never copied and are zeroed when the row goes.
 */
const APART = " ".repeat(PAGE_BYTES);

/**
 * Words of a conversation as the journal stores them, so that nothing of them is left in the file once they are
 * deleted. `parseStored` reads them.
 */
export function storedWords(value: unknown): string {
  return APART + (toJson(value) || "null");
}
