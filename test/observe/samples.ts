import { emit, type EventName, type Measured, type Payloads } from "../../src/observe/index.ts";

/** Every field of every event, those that may be missing too. */
export const PAYLOADS: { readonly [Name in EventName]: Required<Payloads[Name]> } = {
  "l0:validation:pass": { sessionId: "one", gate: "history", messages: 3 },
  "l0:validation:fail": { sessionId: "one", gate: "history", messages: 3 },
  "l0:repair:start": { sessionId: "one", gate: "body", messages: 3 },
  "l0:repair:complete": { sessionId: "one", gate: "body", messages: 3 },
  "l0:checkpoint:created": { sessionId: "one", checkpointId: "c", messageIndex: 3 },
  "l0:checkpoint:committed": { sessionId: "one", checkpointId: "c" },
  "l0:checkpoint:rolled_back": { sessionId: "one", checkpointId: "c", messagesRemoved: 2 },
  "l0:checkpoint:pruned": { sessionId: "one", removed: 2 },
  "l0:cycle:pending": { sessionId: "one", cycleId: 1, callId: "toolu_1" },
  "l0:cycle:executing": { sessionId: "one", cycleId: 1, callId: "toolu_1" },
  "l0:cycle:recorded": { sessionId: "one", cycleId: 1, callId: "toolu_1" },
  "l0:cycle:committed": { sessionId: "one", cycleId: 1, callId: "toolu_1" },
  "l0:cycle:rolled_back": { sessionId: "one", cycleId: 1, callId: "toolu_1" },
  "l0:cycle:interrupted": { sessionId: "one", cycleId: 1, callId: "toolu_1" },
  "l0:call:blocked": { sessionId: "one", messages: 3 },
  "l0:recovery:refused": {
    sessionId: "one",
    sessionKey: "agent:main:one",
    api: "anthropic-messages",
    message: 1,
    block: 0,
    ids: ["toolu_1"],
    status: 400,
    requestId: "req_1",
  },
  "l0:recovery:stopped": {
    sessionId: "one",
    sessionKey: "agent:main:one",
    api: "anthropic-messages",
    status: 200,
    requestId: "req_1",
  },
  "l0:recovery:retried": { sessionId: "one", sessionKey: "agent:main:one", api: "anthropic-messages" },
  "l0:recovery:searched": { sessionId: "one", requests: 5 },
  "l0:recovery:complete": {
    sessionId: "one",
    sessionKey: "agent:main:one",
    api: "anthropic-messages",
    steps: 1,
    rungs: ["flat"],
    isArchived: false,
  },
  "l0:history:forgotten": { sessionId: "one", messages: 2 },
  "l0:session:healed": { sessionId: "one", messages: 3 },
  "l0:session:archived": { sessionId: "one" },
  "l0:session:reset": { sessionId: "one", isArchived: true },
  "l0:travel:moved": { sessionId: "one", intentId: "i" },
  "l0:travel:aborted": { sessionId: "one", intentId: "i" },
  "l0:journal:opened": {},
  "l0:journal:set_aside": {},
  "l0:journal:failed": {},
  "l0:guard:failed": {},
};

/** Emits an event with all that it can have. */
export function emitSample<Name extends EventName>(event: Name): void {
  const measured = { since: performance.now(), kind: "some", kinds: { some: 1 } };
  emit(event, () => PAYLOADS[event], measured as unknown as Measured<Name>);
}
