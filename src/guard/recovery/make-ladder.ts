import { Ladder, type SentRequest } from "../../recovery/ladder.ts";
import { routeMemory } from "../base/memory.ts";
import { learn, toRoute } from "../routes/routes.ts";
import { hasHistory } from "./notices.ts";
import type { ModelCall } from "./port.ts";
import type { Run } from "./run.ts";

/** Returns the ladder of one model call; `last` returns the messages of its last request. */
export function makeLadder(run: Run, call: ModelCall, last: () => unknown[]): Ladder {
  const route = toRoute(call.model);
  return new Ladder(run.tries, {
    route: route.name,
    memory: run.memory,
    get messages() {
      return call.messages;
    },
    // No other form of a conversation is tried in a compaction, and none is blamed.
    get hasHistory() {
      return !run.isCompaction && hasHistory(call.messages);
    },
    get request(): SentRequest {
      return { messages: last(), sent: call.sent() ?? [], body: call.body() };
    },
    get isSuspected() {
      return run.hasRefusedParts(route.name);
    },
    get answeredAt() {
      return routeMemory(route.name).answeredAt;
    },
    learn: (facts) => learn(route, facts),
  });
}
