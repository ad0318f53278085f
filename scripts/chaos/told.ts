import { isRealResult, type ToolPlan } from "./calls.ts";

/** What the next request tells the model of a call. */
export type Told = "result" | "unknown" | "not started" | "absent" | "invented" | "other";

/** The calls and results of a request. */
export interface Cycles {
  /** By the id of our call, which stands in its arguments: the texts of its results. */
  results: Map<string, string[]>;
  /** Calls without a result right behind them, and results without a call right before them. */
  halves: string[];
}

// What OpenClaw and its agent core say in place of a result that they do not have, 2026.1 to 2026.9.
const INVENTED = ["[openclaw] missing tool result in session history", "No result provided", "aborted"];
const OUR_CALL = /toolu\d+[a-z]k\d+r\d+c\d+/;

interface Block {
  type?: string;
  id?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: unknown;
}

/** Reads the body of an Anthropic request. */
export function readCycles(body: unknown): Cycles {
  const cycles: Cycles = { results: new Map(), halves: [] };
  let open = new Map<string, string>();
  for (const { role, content } of (body as { messages?: { role: string; content: unknown }[] }).messages ?? []) {
    const blocks = Array.isArray(content) ? (content as Block[]) : [];
    if (role === "user") {
      for (const block of blocks.filter(({ type }) => type === "tool_result")) answer(cycles, open, block);
      cycles.halves.push(...[...open.values()].map((call) => `call ${call}`));
      open = new Map();
    }
    for (const { type, id = "", input } of blocks)
      if (role === "assistant" && type === "tool_use") open.set(id, ourCall(input) ?? id);
  }
  cycles.halves.push(...[...open.values()].map((call) => `call ${call}`));
  return cycles;
}

function answer(cycles: Cycles, open: Map<string, string>, { tool_use_id: id = "", content }: Block): void {
  const call = open.get(id);
  open.delete(id);
  if (call === undefined) cycles.halves.push(`result ${id}`);
  else cycles.results.set(call, [...(cycles.results.get(call) ?? []), joinText(content)]);
}

function ourCall(input: unknown): string | undefined {
  return OUR_CALL.exec(JSON.stringify(input) ?? "")?.[0];
}

function joinText(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? "").join("\n") : "";
}

/** What a request tells of one call; `text` is in its own words, for a person to judge. */
export function readTold(plan: ToolPlan, { results }: Cycles): { told: Told; text: string } {
  const texts = results.get(plan.id) ?? [];
  const [text] = texts;
  if (text === undefined) return { told: "absent", text: "" };
  if (texts.length > 1) return { told: "other", text: texts.join(" // ") };
  if (isRealResult(plan, text)) return { told: "result", text };
  if (INVENTED.some((invented) => text.startsWith(invented))) return { told: "invented", text };
  if (/\bnot (been )?started\b|never started/i.test(text)) return { told: "not started", text };
  return { told: /unknown/i.test(text) ? "unknown" : "other", text };
}
