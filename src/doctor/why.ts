/** Finds the stored message that a provider's error is about, and what is sent in its place by a patched OpenClaw. */
import { examineLoaded, isSound, mend, toConversation } from "../health/index.ts";
import { classify } from "../recovery/errors/classify.ts";
import { collectMarks } from "../recovery/errors/locate.ts";
import type { ProviderFailure } from "../recovery/failure.ts";
import { isEarlier, type Catalog, type SessionSummary } from "../store/index.ts";
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

/** Returns what an error is about: without a status in its words it counts as a refusal. */
export function readFailure(text: string): ProviderFailure {
  const failure = classify({ text });
  return failure.kind === "other" || failure.kind === "unknown" ? classify({ text, status: 400 }) : failure;
}

/**
 * Reads all stored sessions, and finds those that a provider refuses with this error: by the ids that it names, else by
 * their faults. Changes nothing; a session that cannot be read is left out.
 */
export async function findOrigin(catalog: Catalog, text: string, options: OriginOptions): Promise<Origin> {
  const failure = readFailure(text);
  const { sessions } = catalog.list(options.agentId);
  const ids = new Set(failure.kind === "history" ? failure.ids.flatMap((id) => [id, ...id.split("|")]) : []);
  const isOfHistory = failure.kind === "history" || failure.kind === "unknown";
  const named: Suspect[] = [];
  const faulty: Suspect[] = [];
  for (const [done, session] of (isOfHistory ? sessions : []).entries()) {
    options.onProgress?.(done, sessions.length);
    const suspect = examineSuspect(catalog, session, ids);
    if (suspect?.by === "id") named.push(suspect);
    else if (suspect && !isEarlier(session)) faulty.push(suspect);
    // A long scan leaves other work of the process its turn.
    await new Promise(setImmediate);
  }
  const all = named.length > 0 ? named : faulty;
  const suspects = all.slice(0, MAX_FOUND).map(async (suspect) => {
    if (suspect.violations.length === 0) return suspect;
    const name = { sessions, ...(options.agentId !== undefined && { agentId: options.agentId }) };
    return { ...suspect, remedy: await remedyFor(catalog, suspect.session, name, options.stateDirectory) };
  });
  return { failure, suspects: await Promise.all(suspects), others: Math.max(0, all.length - MAX_FOUND) };
}

/** Returns what speaks against a session; undefined where nothing does, and where it cannot be read. */
function examineSuspect(catalog: Catalog, session: SessionSummary, ids: ReadonlySet<string>): Suspect | undefined {
  if (session.unread !== undefined) return undefined;
  try {
    const stored = catalog.read(session);
    const conversation = toConversation(stored, session);
    const { messages } = conversation;
    const examination = examineLoaded(stored, conversation);
    const { violations } = examination;
    const named = ids.size === 0 ? [] : [...messages.keys()].filter((at) => hasId(messages[at], ids));
    if (named.length === 0 && isSound(examination)) return undefined;
    const faults = new Set(violations.map(({ messageIndex }) => messageIndex));
    // Of the messages with that id, the one that is at fault.
    const at = named.find((place) => faults.has(place)) ?? named[0] ?? violations[0]?.messageIndex ?? 0;
    const { messages: mended } = mend(messages, "remove_orphans");
    return {
      session,
      by: named.length > 0 ? "id" : "fault",
      violations,
      messages: messages.length,
      ...around(messages, mended, at),
    };
  } catch {
    return undefined;
  }
}

function hasId(message: unknown, ids: ReadonlySet<string>): boolean {
  return [...collectMarks(message).ids].some((id) => ids.has(id));
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
