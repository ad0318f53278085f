import type { Protection } from "../store/openclaw/protection.ts";
import type { ScannedSession } from "../health/index.ts";
import type { Checkpoint } from "../journal/index.ts";
import type { LeftBehind } from "../privacy/left-behind.ts";
import type { LearnedRoute } from "./routes.ts";
import type { Drawing } from "./drawing/drawing.ts";

/**
 * The state of all stored sessions of an OpenClaw, for a person to read. Contains no text of conversations unless it
 * was requested.
 */
export interface Checkup {
  /** When the checkup was made, in milliseconds since 1970. */
  readonly at: number;
  readonly stateDirectory: string;
  /** The youngest first. */
  readonly sessions: readonly CheckedSession[];
  /** What could not be examined, in sentences. */
  readonly problems: readonly string[];
  readonly journal: JournalFacts;
  /** The youngest first. */
  readonly archives: readonly Archive[];
  readonly incidents: Incidents;
  /** What was learned of the routes to models, by the route's name. */
  readonly routes: readonly LearnedRoute[];
  /** Data that openclaw-integrity still keeps of sessions that OpenClaw has deleted. */
  readonly leftBehind: readonly LeftBehind[];
  /** What needs a person in recorded work, the most urgent first; missing where nobody looked. */
  readonly work?: readonly WorkNeed[];
  /** The only session that was examined, by the name that the user gave. */
  readonly only?: string;
  /** The OpenClaws that use these sessions; missing where nobody looked for them, empty where none was found. */
  readonly openclaws?: readonly OpenClawAtHand[];
  /** The gateways that run; missing where nobody looked, and where the system does not tell. */
  readonly gateways?: readonly GatewayAtHand[];
  /** Why no OpenClaw was found, where `openclaws` is empty. */
  readonly whyNone?: string;
}

/** A sentence on what to do, with the command apart from it, so that the command can be copied. */
export interface Step {
  readonly sentence: string;
  readonly command?: string;
}

/** Why recorded work needs a person, the most urgent first. */
export const WORK_NEEDS = ["unread", "older_copy", "unknown_step", "gone_claim", "gone_lease"] as const;

/** What needs a person in recorded work. */
export interface WorkNeed extends Step {
  /**
   * `unread`: a project, or a whole store, cannot be read. `older_copy`: what was done since the copy from which it
   * goes on is not confirmed. `unknown_step`: a step may have run, and nobody executes it. `gone_claim`, `gone_lease`:
   * a task, or the right to execute steps, is held by a process that has ended.
   */
  readonly needs: (typeof WORK_NEEDS)[number];
  /** The file or schema of the store. */
  readonly place: string;
  /** Missing for a whole store, and for a lost project without a name. */
  readonly project_id?: string;
}

/** An OpenClaw, and whether it is patched. */
export interface OpenClawAtHand {
  readonly release: string;
  readonly root: string;
  /**
   * `files`, `memory`: the patch of this version is there. `outdated`: the whole patch of another version is there, and
   * works. `part`: a part is there, which does nothing. `unknown`: the files were changed by others.
   */
  readonly patched: "files" | "memory" | "outdated" | "part" | "no" | "unknown";
  /** What became of the patch of an OpenClaw that is not patched, in a sentence. */
  readonly fate?: string;
  /** Set where a proof of the patch was begun, and has not ended well. */
  readonly isUnproven?: true;
  /** Set where `apply` would refuse to patch it. */
  readonly isRefused?: true;
  /** Names it on the command line, where the options that were given do not. */
  readonly path?: string;
}

/** A gateway that runs now. */
export interface GatewayAtHand {
  readonly pid: number;
  /** When it was started, in milliseconds since 1970; undefined where the system does not tell. */
  readonly since: number | undefined;
  /**
   * Whether the guard is at work in it, if it runs the OpenClaw that was found. `patched`: it is. `memory`: so it said
   * itself. `earlier`: it was started before the patch. `off`: it was started with the guard switched off. `unpatched`:
   * that OpenClaw is not patched, or in part only. `unknown`: others have changed that OpenClaw, none was found, or
   * several that are not all patched. `proven`, `refuted`: so it has found itself, by trying.
   */
  readonly guard: "patched" | "memory" | "earlier" | "off" | "unpatched" | "unknown" | "proven" | "refuted";
  /** What it has found about itself, where the plugin is at work in it. */
  readonly said?: Protection;
}

/** One session. */
export interface CheckedSession extends ScannedSession {
  /** Undefined where the journal could not be read. */
  readonly checkpoints: readonly Checkpoint[] | undefined;
  readonly incidents: readonly Incident[];
  readonly archives: readonly Archive[];
  /** Set for a session with faults. */
  readonly remedy?: Remedy;
  /** The messages with faults, with their first words; set on request only. */
  readonly words?: readonly string[];
  /** The conversation for the HTML page; missing for sessions that are not drawn. */
  readonly drawing?: Drawing;
}

/**
 * What removes the faults of a session. `patch`: a repair of the store cannot remove them; the patched OpenClaw removes
 * them from each request. `none`: nothing has to, because the conversation has left the session.
 */
export type Remedy = { readonly by: "repair"; readonly command: string } | { readonly by: "patch" | "none" };

/** The checkpoints of the journal, or a sentence with the reason why there are none. */
export type JournalFacts =
  | { readonly checkpoints: readonly Checkpoint[]; readonly sentence?: never }
  | { readonly checkpoints?: never; readonly sentence: string };

/** A copy of a session, or a record of its leaf, that was made before a change. */
export interface Archive {
  readonly path: string;
  readonly kind: "file" | "rows";
  readonly sessionId: string;
  /** The transcript that was copied (file). */
  readonly transcript?: string;
  /** Milliseconds since 1970. */
  readonly at: number | undefined;
  /** Size of the copy in bytes (file). */
  readonly size?: number;
  /** Number of messages up to the recorded leaf (rows). */
  readonly messages?: number;
  /** How many faults the session has again when it is restored; missing where the archive was not examined. */
  readonly faults?: number;
  /** The command line that restores the session. */
  readonly command: string;
}

/** A problem that was recorded when it occurred. */
export interface Incident {
  readonly file: string;
  readonly at: number | undefined;
  readonly sessionId?: string;
  readonly sessionKey?: string;
  /** Description of the problem in a few words. */
  readonly what: string;
  /** What was done about the problem. */
  readonly outcome: string;
  readonly archive?: string;
}

/** The incidents of a state directory. */
export interface Incidents {
  /** The youngest first. */
  readonly list: readonly Incident[];
  /** Number of older incidents that were not read. */
  readonly older: number;
  /** Number of files that could not be read as an incident. */
  readonly damaged: number;
}
