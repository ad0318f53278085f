/** The replies of `/rewind`. */
import { nameInline } from "../../base/quoted.ts";
import { formatMinute } from "../../base/time.ts";
import type { AskedPlace } from "../../timetravel/index.ts";
import type { Rewound } from "../../timetravel/rewind.ts";
import type { FilesReport } from "../../workspace/index.ts";
import type { Asked, Preview } from "../remote/timeline-reads.ts";
import { areShown, inlineCode, saidBlock, saidInline, type Words } from "./said.ts";

/** Characters that are shown of a message in a list, and of one that is given back. */
const LISTED = 80;
const GIVEN_BACK = 4000;
/** How many effects have lines of their own, the latest ones. */
const EFFECTS = 5;
/** How many files of each kind are named. */
const FILES = 10;

/** Why no words are shown, and how they are. */
const WORDS_LEFT_OUT =
  "Words are left out: OpenClaw does not report who reads this chat. `/rewind words` shows them anyway.";

/** The list of places. */
export function askedLines({ places, problems }: Asked, words: Words): string[] {
  if (places.length === 0)
    return ["Nothing was asked in this conversation yet.", "/timeline lists other places.", ...problems];
  return [
    "What was asked in this conversation, the youngest first. A number stands for the place before that message:",
    ...places.flatMap((place, nth) => [
      `${nth + 1}. ${describeWhen(place)}; from there on ${describeAmount(place)}`,
      ...(areShown("user", words) ? [`> ${namePlace(place)}`] : []),
    ]),
    ...problems,
    ...(words === "none" ? [WORDS_LEFT_OUT] : []),
    "/rewind 1 shows what going back before the first of them would change. Nothing is changed yet.",
  ];
}

/** A rewind as it was written. */
export interface Plan {
  readonly written: string;
  readonly files: boolean;
  readonly conflicts: string | undefined;
  readonly note: string;
}

/** What a rewind would change, and the question; `isOpen`: which version stays of some files is still to be said. */
export function previewText(preview: Preview, plan: Plan, words: Words, isOpen: boolean): string[] {
  const { asked, messagesLeft, messagesBack, called, effects } = preview;
  const { written, files, conflicts, note } = plan;
  const again = `/rewind ${written}${files ? " files" : ""}`;
  const shown = words === "all" ? effects.slice(-EFFECTS) : [];
  const more = effects.length - shown.length;
  return [
    `To ${describeTarget(preview)}:`,
    ...(asked && areShown("user", words) ? [`> ${namePlace(asked)}`] : []),
    ...(preview.target && !asked && areShown(preview.target.role, words) && preview.target.first_words !== ""
      ? [`> ${saidInline(preview.target.first_words, LISTED)}`]
      : []),
    `Messages that would no longer be part of the conversation: ${messagesLeft} (they stay stored).`,
    ...(messagesBack > 0 ? [`Messages that would be part of it again: ${messagesBack}.`] : []),
    ...(called === "" ? [] : [`Tool calls among them, ${describeUndone(files)}: ${showTool(called)}.`]),
    ...shown.map((effect) => `> ${inlineCode(effect)}`),
    ...(shown.length > 0 && more > 0 ? [`and ${more} before these`] : []),
    ...filesPreview(preview, plan, words),
    ...(note === "" ? [] : ["Your note for the agent:", `> ${saidInline(note, LISTED)}`]),
    ...(words === "none" ? [WORDS_LEFT_OUT] : []),
    isOpen
      ? `Nothing is changed yet. Say which version stays of files that someone else changed: ${again} theirs, ` +
        `or ${again} ours, or go back without files: /rewind ${written}`
      : `Nothing is changed yet. To do it: ${again}${conflicts === undefined ? "" : ` ${conflicts}`} yes`,
  ];
}

/** What a rewind has changed; the message that was taken out is given back. */
export function doneText(preview: Preview, rewound: Rewound, words: Words): string[] {
  const { messagesLeft, messagesBack, called, back } = rewound;
  const { asked } = preview;
  const isGivenBack = asked !== undefined && !asked.isTask && asked.words !== "" && areShown("user", words);
  return [
    `The conversation continues ${describeTarget(preview)}.`,
    `Messages that are no longer part of it: ${messagesLeft} (they stay stored).`,
    ...(messagesBack > 0 ? [`Messages that are part of it again: ${messagesBack}.`] : []),
    ...(called === ""
      ? []
      : [`Tool calls among them, ${describeUndone(rewound.files !== undefined)}: ${showTool(called)}.`]),
    ...(rewound.files ? filesLines(rewound.files, DONE, words) : []),
    ...rewound.problems,
    ...(isGivenBack ? ["Your message, to be changed and sent again:", ...saidBlock(asked.words, GIVEN_BACK)] : []),
    ...(isGivenBack && asked.attached > 0 ? [`It came with ${describeAttached(asked)}, to be attached again.`] : []),
    ...(back === undefined ? [] : ["To undo this: /rewind undo"]),
  ];
}

function describeTarget({ asked, target, targetId }: Preview): string {
  if (asked) return `before ${asked.isTask ? "the task" : "the message"} of ${formatMinute(asked.time)} UTC`;
  if (targetId === null || !target) return "before the first message";
  return `behind ${inlineCode(target.id)} (${target.role}, ${formatMinute(target.time)} UTC)`;
}

function describeWhen({ time, isTask }: AskedPlace): string {
  return `${formatMinute(time)} UTC${isTask ? ", a task of a schedule or another session" : ""}`;
}

function describeAmount({ messages, calls }: AskedPlace): string {
  const said = `${messages} ${messages === 1 ? "message" : "messages"}`;
  return calls === 0 ? said : `${said} and ${calls} tool ${calls === 1 ? "call" : "calls"}`;
}

function namePlace(place: AskedPlace): string {
  const files = place.attached === 0 ? "" : ` and ${describeAttached(place)}`;
  return place.words === "" ? `no words${files}` : `${saidInline(place.words, LISTED)}${files}`;
}

function describeAttached({ attached }: AskedPlace): string {
  return `${attached} ${attached === 1 ? "file" : "files"}`;
}

/** Counted tools; a name of one that is no plain word is quoted, and then shown as code. */
function showTool(called: string): string {
  return /^[\w ,.:@/-]*$/.test(called) ? called : inlineCode(called);
}

function describeUndone(withFiles: boolean): string {
  return withFiles ? "whose other effects are not undone" : "which are not undone";
}

const PLANNED = [
  "come back",
  "go, because they were not there",
  "conflict, because someone else changed them since",
] as const;
const DONE = [
  "came back",
  "were removed, because they were not there",
  "were left as someone else has written them",
] as const;

function filesPreview(
  { files, filesProblem, broughtFiles }: Preview,
  { written, files: areWanted }: Plan,
  words: Words,
): string[] {
  if (filesProblem !== undefined) return areWanted ? [`What would become of files is not known: ${filesProblem}`] : [];
  if (!files) return [];
  if (areWanted) return filesLines(files, PLANNED, words);
  const touched = files.restored.length + files.removed.length + files.conflicts.length;
  return touched === 0 || broughtFiles
    ? []
    : [`Files stay as they are. With /rewind ${written} files, ${touched} would be as they were at that place.`];
}

/** How many files come back, go and are left, with the first names where words are shown. */
function filesLines(
  { restored, removed, merged, conflicts }: FilesReport,
  [back, gone, left]: typeof PLANNED | typeof DONE,
  words: Words,
): string[] {
  const mixed = new Set(merged);
  return [
    ...named(
      restored.map((path) => ({ path, why: mixed.has(path) ? "with what someone else changed in it since" : "" })),
      `Files that ${back}`,
      words,
    ),
    ...named(
      removed.map((path) => ({ path, why: "" })),
      `Files that ${gone}`,
      words,
    ),
    ...named(conflicts, `Files that ${left}`, words),
    ...(restored.length + removed.length + conflicts.length === 0
      ? ["The files are as they were at that place already."]
      : []),
  ];
}

function named(
  files: readonly { readonly path: string; readonly why: string }[],
  title: string,
  words: Words,
): string[] {
  if (files.length === 0) return [];
  const shown = words === "all" ? files.slice(0, FILES) : [];
  return [
    `${title}: ${files.length}`,
    ...shown.map(({ path, why }) => `> ${inlineCode(nameInline(path))}${why === "" ? "" : ` (${why})`}`),
    ...(shown.length > 0 && files.length > FILES ? [`and ${files.length - FILES} more`] : []),
  ];
}
