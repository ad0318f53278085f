import { FAULTS, FAULT_CALL } from "./faults.ts";
import type { Plan } from "./faults.ts";
import type { Answer, AnswerBlock, Api, ApiAdapter, Step, ToolCallSpec } from "./types.ts";

/** The queue of scripted steps, one used per accepted request. */
export class Script {
  private steps: { step: Step; left: number }[] = [];

  push(steps: Step[]): void {
    for (const step of steps) {
      const once = step.kind === "fault" && step.fault === "overloaded-once";
      this.steps.push({ step, left: once ? 1 : (step.times ?? 1) });
    }
  }

  /** The first step that serves `api`, or undefined if none is left. */
  take(api: Api): Step | undefined {
    const at = this.steps.findIndex(({ step }) => step.api === undefined || step.api === api);
    const entry = this.steps[at];
    if (entry === undefined) return undefined;
    entry.left--;
    if (entry.left <= 0) this.steps.splice(at, 1);
    return entry.step;
  }

  clear(): void {
    this.steps = [];
  }
}

/** What to do for a step. */
export function planOf(step: Step): Plan {
  return step.kind === "fault" ? FAULTS[step.fault] : { do: "answer", tool: step.kind === "tool" };
}

/** Builds the answer of a step. `serial` numbers everything that gets an id. */
export function answerOf(
  step: Step,
  plan: Plan,
  adapter: ApiAdapter,
  options: { n: number; model: string; serial: () => number },
): Answer {
  const { n, model, serial } = options;
  const blocks: AnswerBlock[] = [];
  if (step.thinking !== undefined) blocks.push({ type: "thinking", thinking: step.thinking, serial: serial() });
  const calls = callsOf(step, plan);
  const text = step.text ?? (calls.length > 0 ? "" : `ok ${n}`);
  if (text !== "" || (step.kind === "text" && calls.length === 0)) blocks.push({ type: "text", text, serial: serial() });
  for (const call of calls) {
    const at = serial();
    blocks.push({
      type: "tool",
      id: call.id ?? adapter.toolId(at, model),
      name: call.name,
      arguments: call.arguments,
      serial: at,
    });
  }
  const stop = plan.do === "answer" && plan.stop !== undefined ? plan.stop : calls.length > 0 ? "tool" : "stop";
  return { n, model, blocks, stop };
}

function callsOf(step: Step, plan: Plan): ToolCallSpec[] {
  if (step.kind === "tool") return step.calls;
  if (step.kind === "text") return [];
  if (step.calls !== undefined) return step.calls;
  return plan.do === "cut" || (plan.do === "answer" && plan.tool) ? [FAULT_CALL] : [];
}
