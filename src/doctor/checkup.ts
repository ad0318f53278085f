import type { ScannedSession } from "../health/index.ts";
import type { Checkpoint } from "../journal/index.ts";
import type { LeftBehind } from "../privacy/left-behind.ts";
import type { Drawing } from "./drawing/drawing.ts";

/**
 * How all stored sessions of an OpenClaw stand, for a person to read; nothing of what was said in them unless it was
 * asked for.
 */
export interface Checkup {
  /** When it was made, in milliseconds since 1970. */
  readonly at: number;
  readonly stateDirectory: string;
  /** The youngest first. */
  readonly sessions: readonly CheckedSession[];
  /** What could not be looked at, in sentences. */
  readonly problems: readonly string[];
  readonly journal: JournalFacts;
  /** The youngest first. */
  readonly archives: readonly Archive[];
  readonly incidents: Incidents;
  /** What is kept of sessions that OpenClaw has deleted. */
  readonly leftBehind: readonly LeftBehind[];
  /** The one session that was asked for, as it was named. */
  readonly only?: string;
}

/** One session. */
export interface CheckedSession extends ScannedSession {
  /** Undefined where the journal could not be read. */
  readonly checkpoints: readonly Checkpoint[] | undefined;
  readonly incidents: readonly Incident[];
  readonly archives: readonly Archive[];
  /** Of a session with faults. */
  readonly remedy?: Remedy;
  /** The messages at fault with their first words, where these were asked for. */
  readonly words?: readonly string[];
  /** The conversation, for a page; missing for those that are not drawn. */
  readonly drawing?: Drawing;
}

/**
 * What mends the faults of a session. `patch`: a repair of the store does nothing about them, the patched OpenClaw does
 * where it asks a model.
 */
export type Remedy = { readonly by: "repair"; readonly command: string } | { readonly by: "patch" };

/** What the journal knows; `sentence` says why it knows nothing. */
export type JournalFacts =
  | { readonly checkpoints: readonly Checkpoint[]; readonly sentence?: never }
  | { readonly checkpoints?: never; readonly sentence: string };

/** What was kept of a session before something was done to it. */
export interface Archive {
  readonly path: string;
  readonly kind: "file" | "rows";
  readonly sessionId: string;
  /** The transcript that it is a copy of. */
  readonly transcript?: string;
  /** Milliseconds since 1970. */
  readonly at: number | undefined;
  /** Size of a copy, in bytes. */
  readonly size?: number;
  /** How many messages lead to the place that is kept (rows). */
  readonly messages?: number;
  /** Brings the session back. */
  readonly command: string;
}

/** Something that went wrong and was written down when it did. */
export interface Incident {
  readonly file: string;
  readonly at: number | undefined;
  readonly sessionId?: string;
  readonly sessionKey?: string;
  /** What it was, in a few words. */
  readonly what: string;
  /** What was done about it. */
  readonly outcome: string;
  readonly archive?: string;
}

/** The incidents of a state directory. */
export interface Incidents {
  /** The youngest first. */
  readonly list: readonly Incident[];
  /** Older ones, which were not read. */
  readonly older: number;
  /** Files that could not be read as one. */
  readonly damaged: number;
}
