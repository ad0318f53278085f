import { countKinds, logLine } from "./log.ts";

/** What was healed in a history since the last model call, to be told in the line of the next one. */
const pending = new WeakMap<object, Map<string, string[]>>();

/** Takes down what a gate healed; it is logged with the next request of the same agent. */
export function noteHealed(agent: object, gate: string, healed: readonly { kind: string }[]): void {
  const gates = pending.get(agent) ?? new Map<string, string[]>();
  gates.set(gate, [...(gates.get(gate) ?? []), ...healed.map(({ kind }) => kind)]);
  pending.set(agent, gates);
}

/** One line on everything that was healed for this request; none for a healthy one. */
export function logHealed(agent: object, request: string): void {
  const gates = pending.get(agent);
  if (!gates) return;
  pending.delete(agent);
  logLine(`healed request ${request} ${[...gates].map(([gate, kinds]) => `${gate}: ${countKinds(kinds)}`).join("; ")}`);
}
