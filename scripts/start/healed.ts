import { stripVTControlCharacters } from "node:util";
import { ENTRY_WORDS, VIOLATION_WORDS } from "../../src/health/index.ts";

/** A kind of damage that was healed in one request, and where: `history`, `messages`, `body` or `load`. */
export interface Healed {
  gate: string;
  kind: string;
  count: number;
}

/** What a line of the guard says. */
export interface GuardLine {
  /** Session that it is about; undefined when the line does not name one. */
  session?: string;
  healed: Healed[];
  /** Set when a part of the guard failed: the line itself. */
  failure?: string;
}

const PREFIX = "[openclaw-integrity] ";
const REQUEST = /^healed request api=\S+ session=(\S+)(?: compaction)? (.+)$/;
const LOAD = /^session load(?: session=(\S+)|:) (.+)$/;

/** Reads a line that OpenClaw printed; undefined when it is not one of the guard's. */
export function parseGuardLine(line: string): GuardLine | undefined {
  const plain = stripVTControlCharacters(line);
  const at = plain.indexOf(PREFIX);
  if (at < 0) return undefined;
  const text = plain.slice(at + PREFIX.length).trim();
  const request = REQUEST.exec(text);
  if (request) return about(request[1], request[2]!.split("; ").flatMap(parseGate));
  const load = LOAD.exec(text);
  if (load) return about(load[1], parseLoad(load[2]!));
  return { healed: [], failure: text };
}

function about(session: string | undefined, healed: Healed[]): GuardLine {
  return session === undefined || session === "?" ? { healed } : { session, healed };
}

/** `history: displaced_tool_result 8, empty_message 1`. */
function parseGate(text: string): Healed[] {
  const [gate = "", kinds = ""] = text.split(": ");
  return kinds.split(", ").flatMap((part) => {
    const [, kind, count] = /^(.+) (\d+)$/.exec(part) ?? [];
    return kind === undefined ? [] : [{ gate, kind, count: Number(count) }];
  });
}

/** What is said of rows has no counts; what follows a semicolon tells where the original was kept. */
function parseLoad(text: string): Healed[] {
  return text
    .split("; ")[0]!
    .split(", ")
    .map((kind) => ({ gate: "load", kind, count: 1 }));
}

/**
 * One list of several: the same damage is healed again in every request, and so the highest count of a kind is right.
 */
export function mergeHealed(lists: readonly (readonly Healed[])[]): Healed[] {
  const merged = new Map<string, Healed>();
  for (const one of lists.flat()) {
    const key = `${one.gate} ${one.kind}`;
    const known = merged.get(key);
    if (!known || known.count < one.count) merged.set(key, one);
  }
  return [...merged.values()];
}

/**
 * For a reader: `8 × a tool result that does not follow its call; body: tool id`. What only the finished body showed is set apart.
 */
export function describeHealed(healed: readonly Healed[]): string {
  const body = countsText(healed.filter(({ gate }) => gate === "body"));
  const history = countsText(healed.filter(({ gate }) => gate !== "body"));
  return [history, body && `body: ${body}`].filter(Boolean).join("; ");
}

/** The names of faults that every command shows. */
const WORDS = new Map<string, string>(Object.entries({ ...VIOLATION_WORDS, ...ENTRY_WORDS }));

function countsText(healed: readonly Healed[]): string {
  const counts = new Map<string, number>();
  for (const { kind, count } of healed) {
    const words = WORDS.get(kind)?.split(":")[0] ?? kind.replace(/[_-]/g, " ");
    counts.set(words, Math.max(count, counts.get(words) ?? 0));
  }
  return [...counts].map(([words, count]) => (count > 1 ? `${count}\u00a0×\u00a0${words}` : words)).join(", ");
}
