import { countKinds, logLine } from "./log.ts";
import { agentMemory } from "./memory.ts";

/** Records what a gate healed; logged with this agent's next request. */
export function noteHealed(agent: object, gate: string, healed: readonly { kind: string }[]): void {
  const gates = (agentMemory(agent).healed ??= new Map<string, string[]>());
  gates.set(gate, [...(gates.get(gate) ?? []), ...healed.map(({ kind }) => kind)]);
}

/** Logs one line on everything that was healed for this request; nothing when all was valid. */
export function logHealed(agent: object, request: string): void {
  const memory = agentMemory(agent);
  const { healed: gates } = memory;
  if (!gates) return;
  delete memory.healed;
  logLine(`healed request ${request} ${[...gates].map(([gate, kinds]) => `${gate}: ${countKinds(kinds)}`).join("; ")}`);
}
