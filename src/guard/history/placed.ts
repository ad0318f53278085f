import { shownNote } from "../base/words.ts";
import { isObject } from "../../transcript/json/json.ts";
import { joinTexts } from "../../transcript/json/text.ts";
import { logFailure } from "../base/log.ts";
import { askedHere } from "../base/memory.ts";
import { isRoleEntry, findLastEntry } from "../openclaw/entries.ts";
import { OWN_TYPE, type SessionManager } from "../openclaw/session.ts";
import { notedIn, settle } from "./lost-messages.ts";
import { Path } from "./path.ts";

/**
 * Stores lost messages that had a place in the requests of the run alone, behind the answer that has ended the run: a
 * compaction reads the transcript. Does nothing while the path ends in something else. Never throws.
 */
export function storePlaced(sessionId: string, manager: SessionManager | undefined): void {
  try {
    const noted = notedIn(sessionId);
    const placed = noted.filter(({ entryId }) => !askedHere.has(entryId));
    if (placed.length === 0 || !manager?.getBranch || !manager.appendCustomMessageEntry) return;
    if (!isRoleEntry("assistant", findLastEntry(manager))) return;
    const path = new Path(manager.getBranch());
    for (const one of placed) {
      if (path.has(one.entryId) || path.isSaidAgain(one) || !path.nextBehind(one)) continue;
      manager.appendCustomMessageEntry(OWN_TYPE, storedContent(one.message), false);
      settle(one);
    }
  } catch (error) {
    logFailure("transcript (lost message)", error, "each request has the message in its place");
  }
}

/** Returns the content of a note: a person's message is quoted, since it is not in its place; a note stays as it is. */
function storedContent(message: unknown): string | object[] {
  const { role, content } = isObject(message) ? message : {};
  if (role !== "user") return typeof content === "string" ? content : "";
  const blocks: unknown[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const images = blocks.filter(isObject).filter(({ type }) => type === "image");
  const text = shownNote(joinTexts(blocks));
  return images.length === 0 ? text : [{ type: "text", text }, ...images];
}
