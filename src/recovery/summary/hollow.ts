import { isBlank } from "../../transcript/json/json.ts";

/** A summary of fewer characters, without a heading, is no summary of a conversation of so many. */
const SHORT = 500;
const LONG = 10_000;

/** Where OpenClaw appends the lists of files that it has made itself. */
const FILE_LISTS = /<(?:read|modified)-files>/;

/**
 * True for a summary that says nothing of what it stands for: a blank one, and a sentence without any of the headings
 * that were asked for, in place of a long conversation, as a model writes that does not want to.
 */
export function isHollow(summary: string, characters: number): boolean {
  const lists = FILE_LISTS.exec(summary);
  const body = lists ? summary.slice(0, lists.index) : summary;
  return isBlank(body) || (body.length < SHORT && characters > LONG && !/^#/m.test(body));
}
