/** How often each kind occurred: `{ orphaned_tool_result: 2 }`. */
export type Kinds = Readonly<Record<string, number>>;

/** Counts how often each kind occurs. */
export function tallyKinds(kinds: readonly string[]): Kinds {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** The properties of an event that do not depend on its payload. */
interface Described {
  /** The event reports its kind (`kind`), or the number of each kind (`kinds`); they are counted separately. */
  by?: "kind" | "kinds";
  /** The event ends an operation whose duration is measured. */
  isTimed?: true;
}

/** All events, `l0:<subject>:<what>`. The names are final; docs/operations.md lists them with all fields. */
export const EVENTS = {
  "l0:validation:pass": { isTimed: true },
  "l0:validation:fail": { by: "kinds", isTimed: true },
  "l0:repair:start": {},
  "l0:repair:complete": { by: "kinds", isTimed: true },
  "l0:checkpoint:created": { by: "kind", isTimed: true },
  "l0:checkpoint:committed": { isTimed: true },
  "l0:checkpoint:rolled_back": { isTimed: true },
  "l0:checkpoint:pruned": {},
  "l0:cycle:pending": {},
  "l0:cycle:executing": {},
  "l0:cycle:recorded": { by: "kind", isTimed: true },
  "l0:cycle:committed": {},
  "l0:cycle:rolled_back": {},
  "l0:cycle:interrupted": { by: "kind" },
  "l0:call:blocked": {},
  "l0:recovery:refused": { by: "kind" },
  "l0:recovery:stopped": { by: "kind" },
  "l0:recovery:retried": { by: "kind" },
  "l0:recovery:complete": { by: "kind", isTimed: true },
  "l0:recovery:searched": { by: "kind" },
  "l0:history:forgotten": { by: "kind" },
  "l0:session:healed": {},
  "l0:session:archived": {},
  "l0:session:reset": {},
  "l0:travel:moved": { isTimed: true },
  "l0:travel:aborted": {},
  "l0:journal:opened": { isTimed: true },
  "l0:journal:set_aside": { by: "kind" },
  "l0:journal:failed": { by: "kind" },
  "l0:guard:failed": { by: "kind" },
} as const satisfies Record<string, Described>;

export type EventName = keyof typeof EVENTS;

export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

/**
 * The place in the pipeline where a history is checked; `session` is the library's SessionIntegrity, `store` the
 * plugin.
 */
export type Gate = "load" | "history" | "messages" | "body" | "session" | "store";

interface InSession {
  /** OpenClaw's session id; missing when OpenClaw has none. */
  sessionId?: string | undefined;
}

interface InRequest extends InSession {
  sessionKey?: string | undefined;
  /** The provider's API, `anthropic-messages` for example. */
  api?: string | undefined;
}

interface OfCheckpoint extends InSession {
  checkpointId: string;
}

interface OfCycle extends InSession {
  /** The journal's id of the cycle; missing when it has none. */
  cycleId?: number | undefined;
  /** The id of the model's tool call. */
  callId: string;
}

type Nothing = Record<never, never>;

/** The fields of each event beside the common ones: ids, counts and kinds, never words of a conversation. */
export interface Payloads {
  "l0:validation:pass": InSession & { gate: Gate; messages: number };
  "l0:validation:fail": InSession & { gate: Gate; messages: number };
  "l0:repair:start": InSession & { gate: Gate; messages: number };
  "l0:repair:complete": InSession & { gate: Gate; messages: number };
  "l0:checkpoint:created": OfCheckpoint & { messageIndex: number };
  "l0:checkpoint:committed": OfCheckpoint;
  "l0:checkpoint:rolled_back": OfCheckpoint & { messagesRemoved: number };
  "l0:checkpoint:pruned": InSession & { removed: number };
  "l0:cycle:pending": OfCycle;
  "l0:cycle:executing": OfCycle;
  "l0:cycle:recorded": OfCycle;
  "l0:cycle:committed": OfCycle;
  "l0:cycle:rolled_back": OfCycle;
  "l0:cycle:interrupted": OfCycle;
  "l0:call:blocked": InSession & { messages: number };
  "l0:recovery:refused": InRequest & {
    message?: number | undefined;
    block?: number | undefined;
    ids?: readonly string[];
    status?: number | undefined;
    requestId?: string | undefined;
  };
  "l0:recovery:stopped": InRequest & { status?: number | undefined; requestId?: string | undefined };
  "l0:recovery:retried": InRequest;
  "l0:recovery:searched": InSession & { requests: number };
  "l0:recovery:complete": InRequest & { steps: number; rungs: readonly string[]; isArchived: boolean };
  "l0:history:forgotten": InSession & { messages: number };
  "l0:session:healed": InSession & { messages: number };
  "l0:session:archived": InSession;
  "l0:session:reset": InSession & { isArchived: boolean };
  "l0:travel:moved": InSession & { intentId: string };
  "l0:travel:aborted": InSession & { intentId: string };
  "l0:journal:opened": Nothing;
  "l0:journal:set_aside": Nothing;
  "l0:journal:failed": Nothing;
  "l0:guard:failed": Nothing;
}

type Timed<Name extends EventName> = (typeof EVENTS)[Name] extends { isTimed: true }
  ? {
      /** `performance.now()` at the start of the operation. */
      since?: number | undefined;
    }
  : object;

type Kind<Name extends EventName> = (typeof EVENTS)[Name] extends { by: "kind" }
  ? { kind: string }
  : (typeof EVENTS)[Name] extends { by: "kinds" }
    ? { kinds: Kinds }
    : object;

/** The part of an event that is counted and timed, whether somebody listens or not. */
export type Measured<Name extends EventName> = Timed<Name> & Kind<Name>;

/** The event that an observer receives. */
export type ObservedEvent<Name extends EventName = EventName> = {
  [Each in Name]: {
    event: Each;
    /** Time of the event, in milliseconds since 1970. */
    at: number;
    durationMs?: number;
  } & Kind<Each> &
    Payloads[Each];
}[Name];
