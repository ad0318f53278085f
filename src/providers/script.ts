import { FAULT_CALL, faultOn, type Plan } from "./faults.ts";
import { argumentsText, halves, splitText } from "./sse.ts";
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

/** What to do for a step; throws if its fault does not exist on `api`. */
export function planStep(step: Step, api: Api): Plan {
  if (step.kind === "fault") return faultOn(api, step.fault);
  return { do: "answer", says: step.kind, ...(step.kind === "text" && step.isCutOff && { stop: "length" }) };
}

/** Builds the answer of a step. `serial` numbers everything that gets an id. */
export function buildAnswer(
  step: Step,
  plan: Plan,
  adapter: ApiAdapter,
  options: { n: number; model: string; serial: () => number },
): Answer {
  const { n, model, serial } = options;
  const blocks: AnswerBlock[] = [];
  if (step.thinking !== undefined) blocks.push({ type: "thinking", thinking: step.thinking, serial: serial() });
  const calls = planCalls(step, plan);
  const says = plan.do === "answer" ? plan.says : "text";
  const text = step.text ?? planText(plan, calls.length > 0 || says === "nothing", n);
  if (text !== "" || (step.kind === "text" && calls.length === 0)) {
    const block: AnswerBlock = { type: "text", text, pieces: splitText(text, step.pieces ?? 2), serial: serial() };
    blocks.push(says === "refusal" ? { ...block, refusal: true } : block);
  }
  for (const [i, call] of calls.entries()) {
    const at = serial();
    const block: AnswerBlock = {
      type: "tool",
      id: call.id ?? adapter.toolId(at, model),
      name: call.name,
      arguments: call.arguments,
      serial: at,
    };
    const cut = says === "half-tool" && i === calls.length - 1;
    if (!cut) blocks.push(block);
    else if (!adapter.wholeCalls(model))
      blocks.push({ ...block, arguments: halves(argumentsText(call.arguments))[0], cut: true });
  }
  const natural = calls.length > 0 ? "tool" : "stop";
  const stop = plan.do === "answer" ? (plan.stop ?? natural) : natural;
  const answer: Answer = { n, model, blocks, stop, inputTokens: step.inputTokens ?? 100 };
  if (plan.do === "answer" && plan.reason !== undefined) answer.reason = plan.reason;
  return answer;
}

function planText(plan: Plan, silent: boolean, n: number): string {
  if (silent) return "";
  return plan.do === "answer" && plan.text !== undefined ? plan.text : `ok ${n}`;
}

function planCalls(step: Step, plan: Plan): ToolCallSpec[] {
  if (step.kind === "tool") return step.calls;
  if (step.kind === "text") return [];
  if (step.calls !== undefined) return step.calls;
  const inCall = plan.do === "cut" && (plan.mark === "in-tool" || plan.mark === "after-tool");
  const asks = plan.do === "answer" && (plan.says === "tool" || plan.says === "half-tool");
  return inCall || asks ? [FAULT_CALL] : [];
}
