/**
 * How a chat reply shows words of messages: every reply is Markdown on some channels and plain text on others, so that
 * foreign words are kept from passing for this project's, or for markup, in both.
 */
import { quotedInline } from "../../base/quoted.ts";
import { cut } from "../../timetravel/cut.ts";
import type { Named } from "./named.ts";
import type { OwnersCommand } from "./command.ts";

/** The messages of which the words are shown. */
export type Words = "all" | "chat messages" | "none";

/**
 * Decides whose words are shown. In a direct chat all are. Others who read the chat know what was said in it, but not
 * the results of tools. Where the readers are unknown, words are shown if the owner asks for them.
 */
export function wordsFor(
  { isOwn }: Pick<Named, "isOwn">,
  { audience }: Pick<OwnersCommand, "audience">,
  areAskedFor: boolean,
): Words {
  if (audience === "private" || (audience === "unknown" && areAskedFor)) return "all";
  return isOwn ? "chat messages" : "none";
}

/** Whether the words of a message with this role are among those. */
export function areShown(role: string, words: Words): boolean {
  return words === "all" || (words === "chat messages" && (role === "user" || role === "assistant"));
}

/** Words within a line: a JSON string as code, cut after `most` characters. */
export function saidInline(words: string, most: number): string {
  return inlineCode(quotedInline(cut(words.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim(), most)));
}

/** Foreign text of one line as code, which no Markdown in it ends. */
export function inlineCode(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** A whole text in a block between two lines of a length that the text does not have. Tabs become spaces. */
export function saidBlock(words: string, most: number): string[] {
  const text = cut(words, most).replaceAll("\t", "    ");
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return [fence, ...text.split(/\r\n|[\n\r]/), fence];
}

/** The length of the longest run of backticks. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
