import { callBlocks, callsIn, type Call } from "./calls.ts";
import { cycleMessages } from "./cycle-messages.ts";
import { repairIn } from "./native.ts";
import type { AssistantMessage, CycleCall, MessageFormat } from "../base/types.ts";

/** A cycle as it is stored, and its calls. */
export interface StoredCycle {
  readonly cycle: CycleCall;
  /** The calls with the ids, names and inputs that are stored. */
  readonly calls: readonly Call[];
}

/**
 * Returns a cycle in the form in which a session of this format can be sent: names, inputs, ids and words that the API
 * refuses are replaced as `repair` replaces them, so that what is stored is valid at once. Returns the same cycle when
 * nothing of it is refused, or when it would have to be split.
 */
export function storedForm(format: MessageFormat, cycle: CycleCall): StoredCycle {
  const calls = callsIn(cycle);
  const opening = {
    role: "user",
    content: [{ type: "text", text: "." }],
    ...(format === "openclaw" && { timestamp: 0 }),
  };
  const results = calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "." }) as const);
  const history = [opening, ...cycleMessages({ format, messages: [opening] }, cycle, results)];
  const { messages, repaired } = repairIn(format, history);
  if (!repaired) return { cycle, calls };
  const turns = messages.filter((message) => (message as { role?: unknown }).role === "assistant");
  const [turn] = turns;
  if (turns.length !== 1 || callBlocks(turn).length !== calls.length) return { cycle, calls };
  return { cycle: turn as AssistantMessage, calls: callsIn(turn as AssistantMessage) };
}
