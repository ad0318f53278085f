import { nameInline, quotedInline, section } from "../../base/quoted.ts";
import { cutMiddle } from "../forms/cut-middle.ts";
import { tailText } from "../forms/tail.ts";
import { EXTRACT_OPENING, EXTRACT_TAIL } from "../words.ts";
import { readAccount, type Account } from "./account.ts";

/** The sections in which OpenClaw asks a model for a summary: those of its own request, or of its safeguard mode. */
export type SummaryForm = "plain" | "safeguard";

/** What an extract is made of. */
export interface ExtractSource {
  /** The messages that a summary would stand for, oldest first. */
  readonly messages: readonly unknown[];
  /** What was summarised before. */
  readonly previous?: string | undefined;
  readonly form: SummaryForm;
  /** How many characters the extract may have. */
  readonly characters: number;
  /** What the extract begins with, where it does not stand alone. */
  readonly opening?: string;
}

/** The most characters of a line of a list. */
const LINE = 300;

/** Which part of the room each of these may take. */
const SHARE = {
  previous: 0.25,
  asked: 0.25,
  answered: 0.2,
  files: 0.08,
  failed: 0.08,
  open: 0.06,
  calls: 0.05,
} as const;

/** The last words are left out where there is less room. */
const LEAST_TAIL = 500;

/** The least room, in characters, with which there are lists. */
const LEAST_LISTS = 100;

const PREVIOUS_HEADING = "[The summary of what was before that:]";

/** How often a part that is too long with its quotation is made shorter. */
const HALVINGS = 6;

const NONE = "- (none)";

type Part = "asked" | "answered" | "open" | "calls" | "failed" | "files" | "none";

/** The headings, each with what stands below it. */
const SECTIONS: Record<SummaryForm, readonly (readonly [heading: string, part: Part])[]> = {
  plain: [
    ["## Goal", "asked"],
    ["## Constraints & Preferences", "none"],
    ["## Progress\n### Done", "calls"],
    ["### In Progress", "open"],
    ["### Blocked", "failed"],
    ["## Key Decisions", "answered"],
    ["## Next Steps", "none"],
    ["## Critical Context", "files"],
  ],
  safeguard: [
    ["## Decisions", "answered"],
    ["## Open TODOs", "open"],
    ["## Constraints/Rules", "none"],
    ["## Pending user asks", "asked"],
    ["## Exact identifiers", "files"],
  ],
};

/**
 * Returns what takes the place of a summary that no model has made: what the user asked, what was answered, which calls
 * were made, which files they name, what is open, the earlier summary and the last words. Everything is quoted; nothing
 * is judged. At most `characters` long; where its headings alone are longer, only its first sentences, whatever their
 * length. Deterministic.
 */
export function makeExtract(source: ExtractSource): string {
  const account = readAccount(source.messages);
  for (let lists = source.characters; lists > LEAST_LISTS; lists /= 2) {
    const text = textFrom(source, account, lists);
    if (text.length <= source.characters) return text;
  }
  return source.opening ?? EXTRACT_OPENING;
}

function textFrom(source: ExtractSource, account: Account, lists: number): string {
  const { messages, previous, form, characters, opening = EXTRACT_OPENING } = source;
  const parts = [opening];
  for (const [heading, part] of SECTIONS[form]) parts.push(`${heading}\n${linesFor(account, part, lists)}`);
  if (previous !== undefined && previous !== "")
    parts.push(within(lists * SHARE.previous, (most) => section(PREVIOUS_HEADING, cutMiddle(previous, most))));
  const room = characters - joinedLength(parts);
  if (room >= LEAST_TAIL)
    parts.push(within(room, (most) => tailText(messages, { opening: EXTRACT_TAIL, characters: most }) ?? ""));
  return parts.filter((part) => part !== "").join("\n\n");
}

function linesFor(account: Account, part: Part, characters: number): string {
  switch (part) {
    case "asked":
    case "answered":
      return list(account[part], characters * SHARE[part]);
    case "open":
      return account.open === undefined ? NONE : list([account.open], Math.max(LINE, characters * SHARE.open));
    case "files":
      return list(account.files, characters * SHARE.files);
    case "calls":
      return listed(
        [...account.calls].map(([tool, count]) => `- ${nameInline(tool)}: ${count} ${count === 1 ? "call" : "calls"}`),
        characters * SHARE.calls,
      );
    case "failed":
      return listed(
        account.failed.map(({ tool, words }) => `- ${nameInline(tool)}: ${line(words, characters * SHARE.failed)}`),
        characters * SHARE.failed,
      );
    case "none":
      return NONE;
  }
}

function list(texts: readonly string[], room: number): string {
  return listed(
    texts.map((text) => `- ${line(text, room)}`),
    room,
  );
}

/** The first line and the newest ones, as many as there is room for; how many are between them is said. */
function listed(all: readonly string[], room: number): string {
  if (all.length === 0) return NONE;
  const first = all[0]!;
  let roomLeft = room - first.length;
  const newest: string[] = [];
  let at = all.length - 1;
  for (; at > 0 && roomLeft > all[at]!.length; at--) {
    roomLeft -= all[at]!.length + 1;
    newest.unshift(all[at]!);
  }
  return [first, ...(at > 0 ? [`- […] (${at} more)`] : []), ...newest].join("\n");
}

/** The text as a JSON string of one line, which nothing in it can end; at most a third of the room of its list. */
function line(text: string, room: number): string {
  return within(Math.min(LINE, room / 3), (limit) => quotedInline(cutMiddle(text, limit)));
}

/** What `make` makes of the longest limit with which the outcome has room; the empty text where none has. */
function within(room: number, make: (limit: number) => string): string {
  for (
    let halvings = 0, limit = Math.floor(room);
    halvings < HALVINGS && limit > 0;
    halvings++, limit = Math.floor(limit / 2)
  ) {
    const made = make(limit);
    if (made.length <= room) return made;
  }
  return "";
}

function joinedLength(parts: readonly string[]): number {
  let length = 0;
  for (const part of parts) length += part.length + 2;
  return length;
}
