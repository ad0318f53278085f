/**
 * What must be true of a session, judged from what its tools did and from what is stored and sent. Written apart from
 * the library: nothing of src is used here, and the stored file is read as text.
 */
import type { Note } from "./trace.ts";

/** What is judged. */
export interface Evidence {
  /** What the program did, of this session only. */
  readonly notes: readonly Note[];
  /** The stored file as it lies on the disk. */
  readonly stored: string;
  /** The messages of the active path. */
  readonly history: readonly unknown[];
  /** The body of the last request, as JSON. */
  readonly sent: string;
}

type Json = Record<string, unknown>;

/** Words are of the form `w3-14-2q`, and stand alone. */
const WORD = /\bw\d+-\d+-\d+q\b/;

/** All that is wrong; nothing for a session that is as it should be. */
export function findFaults({ notes, stored, history, sent }: Evidence): string[] {
  const words = (kind: Note["kind"]): Set<string> =>
    new Set(notes.flatMap((note) => (note.kind === kind && note.word !== undefined ? [note.word] : [])));
  const [asked, ran, gave, threw] = [words("asked"), words("ran"), words("gave"), words("threw")];
  const isMoved = notes.some(({ kind }) => kind === "moved");
  const faults = notes.flatMap(({ kind, word }) => (kind === "fault" ? [word ?? "a fault"] : []));
  for (const word of settledIn(notes)) {
    if (!stored.includes(`did ${word}`)) faults.push(`lost result: what ${word} gave back is not stored`);
    else if (!isMoved && !sent.includes(`did ${word}`))
      faults.push(`lost result: what ${word} gave back is stored and not sent`);
  }
  for (const word of asked) {
    if (!stored.includes(`said ${word}`)) faults.push(`lost word: what the user said, ${word}, is not stored`);
    else if (!isMoved && !sent.includes(`said ${word}`))
      faults.push(`lost word: what the user said, ${word}, is not sent`);
  }
  const runs = notes.filter(({ kind }) => kind === "ran").map(({ word }) => word);
  for (const word of ran) if (runs.filter((one) => one === word).length > 1) faults.push(`ran twice: ${word}`);
  return [...faults, ...falseStatements(history, { ran, gave, threw, isMoved })];
}

/**
 * Words that were given back before their cycle ended. Those of a tool that was given up may come too late to be told.
 */
function settledIn(notes: readonly Note[]): Set<string> {
  const [given, settled] = [new Set<string>(), new Set<string>()];
  for (const { kind, word = "" } of notes) {
    if (kind === "gave") given.add(word);
    if (kind === "settled" && given.has(word)) settled.add(word);
  }
  return settled;
}

interface Deeds {
  readonly ran: ReadonlySet<string>;
  readonly gave: ReadonlySet<string>;
  readonly threw: ReadonlySet<string>;
  readonly isMoved: boolean;
}

/** What the history says of calls that is not so. */
function falseStatements(history: readonly unknown[], { ran, gave, threw, isMoved }: Deeds): string[] {
  const faults: string[] = [];
  const told = new Set<string>();
  for (const { word, text } of answers(history)) {
    told.add(word);
    const other = /did (w\d+-\d+-\d+q)/.exec(text)?.[1];
    if (other !== undefined && other !== word)
      faults.push(`false statement: the call of ${word} has the result of ${other}`);
    if (other !== undefined && !gave.has(other))
      faults.push(`false statement: ${other} gave nothing back, and has a result`);
    const saysItDidNothing = text.includes("was not started") || text.includes("did nothing");
    if (saysItDidNothing && ran.has(word) && !threw.has(word))
      faults.push(`false statement: ${word} ran, and is told as a call that did nothing`);
    if (text === "") faults.push(`no result: the call of ${word} has none`);
  }
  // A tool that ran and threw alone leaves no trace; all others do.
  if (!isMoved)
    for (const word of ran)
      if (!threw.has(word) && !told.has(word) && !JSON.stringify(history).includes(word))
        faults.push(`no trace: ${word} ran, and the history does not know it`);
  return faults;
}

/** The calls whose input has a word, each with the text of its result; in either form. */
function answers(history: readonly unknown[]): { word: string; text: string }[] {
  const found: { word: string; text: string }[] = [];
  history.forEach((message, at) => {
    for (const block of listBlocks(message)) {
      if (block.type !== "tool_use" && block.type !== "toolCall") continue;
      const word = WORD.exec(JSON.stringify(block.input ?? block.arguments ?? null))?.[0];
      if (word !== undefined) found.push({ word, text: findResult(history, at, block.id) });
    }
  });
  return found;
}

function findResult(history: readonly unknown[], from: number, id: unknown): string {
  for (const message of history.slice(from + 1)) {
    const { role, toolCallId, content } = message as Json;
    if (role === "assistant") break;
    if (role === "toolResult" && toolCallId === id) return `${JSON.stringify(content)} `;
    const block = listBlocks(message).find((one) => one.type === "tool_result" && one.tool_use_id === id);
    if (block) return `${JSON.stringify(block.content)} `;
  }
  return "";
}

function listBlocks(message: unknown): Json[] {
  const content = (message as Json | null)?.content;
  return Array.isArray(content)
    ? (content as unknown[]).filter((block): block is Json => typeof block === "object" && block !== null)
    : [];
}
