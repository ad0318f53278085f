import { RecentMap } from "../../base/recent-map.ts";
import { storeError } from "../../store/errors.ts";
import type { CommandContext } from "../api.ts";
import { assertDecided, type Decision } from "../../workspace/index.ts";
import type { Preview } from "../remote/timeline-reads.ts";
import type { SessionMonitor } from "../sessions/session-monitor.ts";
import type { Command } from "./command.ts";
import { assertNoPath, resolveConversation, type Named } from "./named.ts";
import { doneText, askedLines, previewText } from "./rewind-texts.ts";
import { wordsFor, type Words } from "./said.ts";

/** How many places are listed. */
const SHOWN = 10;
/** Words of the command, which no place can have as its name. */
const [YES, UNDO, WORDS] = ["yes", "undo", "words"];
/** Behind a place: its files come back too; of those that someone else changed since, which version stays. */
const FILES = "files";

const GONE_ON = "The conversation has gone on since you looked, and nothing was changed. This is how it is now.";

/** A rewind as a person has written it. */
interface Wanted {
  readonly written: string;
  readonly files: boolean;
  readonly conflicts: Decision | undefined;
  readonly note: string;
}

/** What one person has been shown of one conversation. */
interface Seen {
  /** Ids of the listed messages, and the end of the conversation at which they were listed. */
  list?: { readonly ids: readonly string[]; readonly end: string | null };
  /** The rewind that a yes makes: this one only, and only while the conversation ends as it did. */
  preview?: Wanted & { readonly askedId: string | undefined; readonly shown: Preview };
  /** Whether words were asked for where it is unknown who reads them. */
  withWords: boolean;
}

/**
 * The places that were looked at, by conversation and sender: what one person has looked at is no answer of another's.
 * Forgotten with the process.
 */
const seen = new WeakMap<SessionMonitor, RecentMap<string, Seen>>();

function seenBy({ channel, senderId = "" }: CommandContext, { which }: Named, monitor: SessionMonitor): Seen {
  const all = seen.get(monitor) ?? new RecentMap<string, Seen>(200, () => ({ withWords: false }));
  seen.set(monitor, all);
  return all.getOrMake(JSON.stringify([channel, senderId, which]));
}

/** A command on its way to the answer. */
interface Asking {
  readonly monitor: SessionMonitor;
  readonly conversation: Named;
  readonly words: Words;
  /** Whether a refusal may quote words: only where the sender alone reads it. */
  readonly withWords: boolean;
  readonly seen: Seen;
}

/**
 * `/rewind`, `/rewind <number or place> [files [theirs | ours]] [note]`, `/rewind <the same> yes [note]`. Without a
 * place it lists what was asked, with a place it shows what would change, and with a yes to what this person was shown
 * it is done. What has changed since is shown anew.
 */
export const REWIND: Command = {
  name: "rewind",
  description:
    "Go back in this conversation: /rewind lists the places, /rewind <number> shows what would change, " +
    "/rewind <number> yes does it, /rewind undo goes back there",
  acceptsArgs: true,
  async answer(monitor, command) {
    const { first, rest, named } = splitArguments(command);
    assertNoPath(first);
    const conversation = await resolveConversation(monitor, command, named);
    const known = seenBy(command, conversation, monitor);
    if (first === WORDS) known.withWords = true;
    const words = wordsFor(conversation, command, known.withWords);
    const asking = { monitor, conversation, seen: known, words, withWords: command.audience === "private" };
    if (first === "" || first === WORDS) return (await list(asking)).join("\n");
    const { isYes, ...wanted } = wantedIn(first, rest);
    const lines = isYes ? await confirm(asking, wanted) : await look(asking, wanted);
    return lines.join("\n");
  },
};

/** Reads what is behind a place: `files`, `theirs` or `ours`, `yes`, and the note to the agent. */
function wantedIn(first: string, rest: string): Wanted & { readonly isYes: boolean } {
  if (isYesWord(first)) return { written: "", files: false, conflicts: undefined, isYes: true, note: rest.trim() };
  let [files, isYes, left] = [false, false, rest];
  let conflicts: Decision | undefined;
  for (;;) {
    const { word, rest: behind } = firstWord(left);
    if (word === FILES && !files) files = true;
    else if (files && conflicts === undefined && (word === "theirs" || word === "ours")) conflicts = word;
    else if (isYesWord(word)) isYes = true;
    else break;
    left = behind;
    if (isYes) break;
  }
  return { written: first, files, conflicts, isYes, note: left.trim() };
}

function isYesWord(word: string): boolean {
  return word.toLowerCase() === YES;
}

async function list({ monitor, conversation, words, seen: known }: Asking): Promise<string[]> {
  delete known.preview;
  const asked = await monitor.options.scanWorker.call("asked", { which: conversation.which, most: SHOWN });
  if (asked === undefined) return [notStored(conversation)];
  known.list = { ids: asked.places.map(({ id }) => id), end: asked.end };
  return askedLines(asked, words);
}

/**
 * Shows what a rewind would change and remembers that it was shown. `named` is the message that a number stands for.
 */
async function look(asking: Asking, wanted: Wanted, named?: string): Promise<string[]> {
  const { monitor, conversation, words, seen: known } = asking;
  const { written, conflicts } = wanted;
  // Where this look is refused, a yes is no answer to an earlier one.
  delete known.preview;
  const askedId = named ?? (await findAskedId(asking, written));
  const shown = await monitor.options.scanWorker.call("preview", {
    which: conversation.which,
    place: written,
    askedId,
    conflicts,
    withWords: asking.withWords,
  });
  if (shown === undefined) return [notStored(conversation)];
  // The undo of a move that brought files back brings back those that it found.
  const files = (wanted.files || shown.broughtFiles) && (shown.files ?? shown.filesProblem) !== undefined;
  if (shown.isThere && !files) return ["The conversation is there already. Nothing was changed."];
  const plan = { ...wanted, files };
  const isOpen = files && isUndecided(shown, conflicts);
  if (!isOpen) known.preview = { ...plan, askedId, shown };
  // Where nothing was said since the move, undoing it takes nothing away.
  if (written === UNDO && shown.messagesLeft === 0 && !isOpen && known.preview) return rewind(asking, known.preview);
  const isOld = askedId !== undefined && known.list !== undefined && known.list.end !== shown.end;
  const none = wanted.files && !files ? ["No files of this conversation are kept; they stay as they are."] : [];
  return [...(isOld ? [GONE_ON] : []), ...none, ...previewText(shown, plan, words, isOpen)];
}

/** Makes the rewind that this person has looked at; everything else is shown first. */
async function confirm(asking: Asking, wanted: Wanted): Promise<string[]> {
  const { preview } = asking.seen;
  const isSeen =
    preview !== undefined &&
    (wanted.written === "" ||
      (wanted.written === preview.written &&
        (wanted.files === preview.files || preview.shown.broughtFiles) &&
        wanted.conflicts === preview.conflicts));
  if (isSeen) return rewind(asking, wanted.note === "" ? preview : { ...preview, note: wanted.note });
  if (wanted.written !== "") return look(asking, wanted);
  return ["There is nothing to say yes to. /rewind lists the places. Nothing was changed."];
}

async function rewind(asking: Asking, preview: NonNullable<Seen["preview"]>): Promise<string[]> {
  const { monitor, conversation, words, seen: known } = asking;
  const { stateDirectory, root, writer, config } = monitor.options;
  const { shown, askedId, files, conflicts, note } = preview;
  delete known.preview;
  try {
    const rewound = await writer.call("rewind", {
      which: conversation.which,
      place: shown.targetId ?? "root",
      withWords: asking.withWords,
      expectedHead: shown.end,
      stateDirectory,
      root,
      files: files ? "restore" : "keep",
      conflicts,
      continuity: config.continuity,
      ...(note !== "" && { note }),
    });
    if (rewound.action === "already") return ["The conversation is there already. Nothing was changed."];
    // Its numbers stand for messages that are gone now.
    delete known.list;
    return doneText(shown, rewound, words);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "moved-on") throw error;
    const again = await look(asking, preview, askedId);
    return again[0] === GONE_ON ? again : [GONE_ON, ...again];
  }
}

/** Whether files are left of which someone has to say which version stays. */
function isUndecided({ files }: Preview, conflicts: Decision | undefined): boolean {
  try {
    if (files) assertDecided(files, conflicts);
    return false;
  } catch {
    return true;
  }
}

/** The message that a number stands for: the one of the list that this person was shown, else of the present one. */
async function findAskedId(
  { monitor, conversation, seen: known }: Asking,
  written: string,
): Promise<string | undefined> {
  if (!/^\d{1,3}$/.test(written)) return undefined;
  const listed =
    known.list?.ids ??
    (await monitor.options.scanWorker.call("asked", { which: conversation.which, most: SHOWN }))?.places.map(
      ({ id }) => id,
    );
  const id = listed?.[Number(written) - 1];
  if (id !== undefined) return id;
  throw storeError("session-missing", {
    expected: `a number from 1 to ${listed?.length ?? 0}`,
    found: written,
    todo: "/rewind lists the places, and /timeline those before. Nothing was changed.",
  });
}

function notStored({ isOwn }: Named): string {
  return isOwn ? "Nothing is stored of this conversation yet." : "No conversation of that name is stored.";
}

/**
 * Splits the arguments of a command: the first word, the conversation named with `in:` before or after it, and the rest
 * unchanged.
 */
function splitArguments({ args = "" }: CommandContext): {
  readonly first: string;
  readonly rest: string;
  readonly named: string | undefined;
} {
  const inFront = nameAt(args);
  const { word: first, rest } = firstWord(inFront.rest);
  const behind = nameAt(rest);
  return { first, rest: behind.rest.trim(), named: behind.name ?? inFront.name };
}

/** Splits `in:<name>` off the beginning of a text. */
function nameAt(text: string): { readonly name: string | undefined; readonly rest: string } {
  const { word, rest } = firstWord(text);
  const name = word.startsWith("in:") ? word.slice("in:".length) : "";
  return name === "" ? { name: undefined, rest: text } : { name, rest };
}

function firstWord(text: string): { readonly word: string; readonly rest: string } {
  const trimmed = text.trimStart();
  const end = trimmed.search(/\s/);
  return end < 0 ? { word: trimmed, rest: "" } : { word: trimmed.slice(0, end), rest: trimmed.slice(end) };
}
