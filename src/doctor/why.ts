/** Finds the stored message that a provider's error is about, and what is sent in its place by a patched OpenClaw. */
import { examineLoaded, type IndexFault, isSound, mend, toConversation } from "../health/index.ts";
import { classify } from "../recovery/errors/classify.ts";
import { collectMarks } from "../recovery/errors/locate.ts";
import type { ProviderFailure } from "../recovery/failure.ts";
import { isEarlier, type Catalog, type SessionSummary } from "../store/index.ts";
import type { RecordFault } from "../store/sessions/record-fault.ts";
import type { Violation } from "../transcript/violations.ts";
import type { Remedy } from "./checkup.ts";
import { remedyFor } from "./remedy.ts";

/** Sessions that are told of. */
const MAX_FOUND = 5;
/** Messages that are shown before and behind the one at fault. */
const AROUND = 2;
/** Messages that a repair can put there. */
const MAX_SHOWN = 12;

/** A stored session that an error can be of. */
export interface Suspect {
  readonly session: SessionSummary;
  /** `id`: the error names an id that a message has. `fault`: the session has faults of a kind that is refused so. */
  readonly by: "id" | "fault";
  readonly violations: readonly Violation[];
  readonly messages: number;
  /** The message that the error is about, and those around it. */
  readonly stored: readonly Shown[];
  /** What a patched OpenClaw sends in their place; missing where that is the same. */
  readonly sent?: readonly Shown[];
  readonly remedy?: Remedy;
}

/** A message, and its place. */
export interface Shown {
  /** Counted from 0. */
  readonly at: number;
  readonly message: unknown;
}

/** Where an error comes from. */
export interface Origin {
  readonly failure: ProviderFailure;
  /** The fault that OpenClaw itself refuses the session for. */
  readonly own?: IndexFault | RecordFault;
  /** The sessions that the error can be of, the surest first. */
  readonly suspects: readonly Suspect[];
  /** How many more sessions have faults of such a kind. */
  readonly others: number;
}

/** Options of {@link findOrigin}. */
export interface OriginOptions {
  readonly stateDirectory: string;
  readonly agentId?: string;
  readonly onProgress?: (done: number, all: number) => void;
}

/** What OpenClaw itself says of a session that it refuses before any provider is asked. */
const OWN_REFUSALS: readonly (readonly [words: string, fault: IndexFault | RecordFault])[] = [
  ["ended during restart recovery", "ended_recovery"],
  ["still initializing", "unfinished_setup"],
  ["configured model is unavailable", "missing_model"],
  ["session file locked", "stuck_lock"],
  ["projection is rebuilding", "outdated_index"],
];

/** What OpenClaw says in place of a provider's words, or of a history that it fails on itself. */
const REPLACED: readonly (readonly [words: string, failure: ProviderFailure])[] = [
  ["Message ordering conflict", { kind: "history", problem: "role_order", ids: [] }],
  ["rejected the request schema or tool payload", { kind: "unknown" }],
  ["legacy session transcripts require", { kind: "unknown" }],
  ["Cannot read properties of", { kind: "unknown" }],
];

const NOT_OF_HISTORY: ReadonlySet<ProviderFailure["kind"]> = new Set(["overload", "access", "size", "content_filter"]);

/** Lines of a log that are looked at, the last ones first. */
const MAX_LINES = 2000;
/** A provider's error is not longer. */
const MAX_ERROR = 8000;

/** The text of an error, and what it is about. */
interface ReadText {
  readonly text: string;
  readonly failure: ProviderFailure;
}

/**
 * Returns what an error is about. Of a longer text, such as the end of a log, the last line counts that is about a
 * history; else its end.
 */
export function readFailure(given: string): ReadText {
  const whole = { text: given.slice(-MAX_ERROR), failure: classifyRefusal(given.slice(-MAX_ERROR)) };
  if (whole.failure.kind === "history" && given.length <= MAX_ERROR) return whole;
  const lines = given.split("\n").slice(-MAX_LINES);
  for (const line of lines.toReversed()) {
    const text = line.slice(0, MAX_ERROR);
    const failure = classifyRefusal(text);
    if (failure.kind === "history" || OWN_REFUSALS.some(([words]) => text.includes(words))) return { text, failure };
  }
  return whole;
}

/** A log leaves out the status of a refusal. */
function classifyRefusal(text: string): ProviderFailure {
  const failure = classify({ text });
  if (failure.kind !== "other" && failure.kind !== "unknown") return failure;
  const refused = classify({ text, status: 400 });
  if (refused.kind === "history") return refused;
  return REPLACED.find(([words]) => text.includes(words))?.[1] ?? failure;
}

/**
 * Reads all stored sessions where the error can be of one, and finds those that a provider refuses with this error: by
 * the ids that it names, else by their faults. Changes nothing; a session that cannot be read is left out.
 */
export async function findOrigin(catalog: Catalog, given: string, options: OriginOptions): Promise<Origin> {
  const { text, failure } = readFailure(given);
  const own = OWN_REFUSALS.find(([words]) => text.includes(words))?.[1];
  // Nothing that is stored has to do with these, and reading all of it can take a while.
  if (own === undefined && NOT_OF_HISTORY.has(failure.kind)) return { failure, suspects: [], others: 0 };
  const { sessions } = catalog.list(options.agentId);
  const named = failure.kind === "history" ? failure.ids : [];
  const ids = new Set([...named, ...(text.match(/[\w|:.-]{8,200}/g) ?? [])].flatMap(spellings));
  const isOfHistory = failure.kind === "history" || failure.kind === "unknown" || own !== undefined;
  const byId: Suspect[] = [];
  const faulty: Suspect[] = [];
  const told: Suspect[] = [];
  for (const [done, session] of sessions.entries()) {
    options.onProgress?.(done, sessions.length);
    const suspect = examineSuspect(catalog, session, ids, own);
    // A session that the text itself names is the one, whatever else has faults.
    const isTold = [session.sessionId, session.sessionKey].some(
      (name) => name && name.length > 5 && text.includes(name),
    );
    if (suspect?.by === "id") byId.push(suspect);
    else if (suspect && isTold) told.push(suspect);
    else if (suspect && isOfHistory && !isEarlier(session)) faulty.push(suspect);
    // A long scan leaves other work of the process its turn.
    await new Promise(setImmediate);
  }
  const all = [byId, told].find((list) => list.length > 0) ?? faulty;
  const suspects = all.slice(0, MAX_FOUND).map(async (suspect) => {
    if (suspect.violations.length === 0) return suspect;
    const name = { sessions, ...(options.agentId !== undefined && { agentId: options.agentId }) };
    return { ...suspect, remedy: await remedyFor(catalog, suspect.session, name, options.stateDirectory) };
  });
  return {
    failure,
    ...(own !== undefined && { own }),
    suspects: await Promise.all(suspects),
    others: Math.max(0, all.length - MAX_FOUND),
  };
}

/** Returns what speaks against a session; undefined where nothing does, and where it cannot be read. */
function examineSuspect(
  catalog: Catalog,
  session: SessionSummary,
  ids: ReadonlySet<string>,
  own: IndexFault | RecordFault | undefined,
): Suspect | undefined {
  if (session.unread !== undefined) return undefined;
  try {
    const stored = catalog.read(session);
    const conversation = toConversation(stored, session);
    const { messages } = conversation;
    const examination = examineLoaded(stored, conversation);
    const { violations } = examination;
    const named = [...messages.keys()].filter((at) => hasId(messages[at], ids));
    if (
      own !== undefined
        ? examination.record !== own && examination.index !== own
        : named.length === 0 && isSound(examination)
    )
      return undefined;
    const faults = new Set(violations.map(({ messageIndex }) => messageIndex));
    // Of the messages with that id, the one that is at fault.
    const at = named.find((place) => faults.has(place)) ?? named[0] ?? violations[0]?.messageIndex ?? 0;
    const { messages: mended } = mend(messages, "remove_orphans");
    return {
      session,
      by: named.length > 0 || own !== undefined ? "id" : "fault",
      violations,
      messages: messages.length,
      ...around(messages, mended, at),
    };
  } catch {
    return undefined;
  }
}

function hasId(message: unknown, ids: ReadonlySet<string>): boolean {
  return [...collectMarks(message).ids].some((id) => spellings(id).some((spelled) => ids.has(spelled)));
}

/** An id as it is, its parts, and as OpenClaw writes it for APIs that take letters and digits alone. */
function spellings(id: string): string[] {
  const parts = [id, ...id.split("|")];
  return [...parts, ...parts.map((part) => part.replaceAll(/[^A-Za-z0-9]/g, ""))].filter((part) => part.length >= 8);
}

/** Returns the messages around a place, and what stands between the same neighbours in the mended list. */
function around(stored: readonly unknown[], mended: readonly unknown[], at: number): Pick<Suspect, "stored" | "sent"> {
  const [first, last] = [Math.max(0, at - AROUND), Math.min(stored.length - 1, at + AROUND)];
  const shown = toShown(stored, first, last);
  const places = new Map(mended.map((message, place) => [message, place]));
  let begin = first;
  while (begin > 0 && !places.has(stored[begin])) begin--;
  let end = last;
  while (end < stored.length - 1 && !places.has(stored[end])) end++;
  const from = places.get(stored[begin]) ?? 0;
  const to = places.get(stored[end]) ?? mended.length - 1;
  const sent = toShown(mended, from, Math.min(to, from + MAX_SHOWN));
  const isSame = sent.length === shown.length && sent.every(({ message }, place) => message === shown[place]!.message);
  return { stored: shown, ...(!isSame && { sent }) };
}

function toShown(messages: readonly unknown[], first: number, last: number): Shown[] {
  return messages.slice(first, last + 1).map((message, place) => ({ at: first + place, message }));
}
