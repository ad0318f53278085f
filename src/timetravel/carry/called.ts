/** The tool calls of a branch that is left, one line each, with what they have acted on. */
import { nameInline } from "../../base/quoted.ts";
import type { ToolCycle } from "../../journal/index.ts";
import { type CallBehind, type CallOutcome, callsIn, countByTool } from "../../store/index.ts";
import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { readOrigin } from "../../transcript/origin.ts";
import { idKey, isCallBlock, readCall, readResult } from "../../transcript/read.ts";
import { nodeBlocks, type HistoryNode } from "../history.ts";
import { TIMELINE_TOOL, TOBE_TOOL } from "../records.ts";
import { inputInline } from "./input.ts";

/** How many calls have lines of their own; of those before them the number is said. */
const MAX_LINES = 40;

/** Tools that only move the agent or list its targets. */
const OWN_TOOLS: ReadonlySet<string> = new Set([TOBE_TOOL, TIMELINE_TOOL]);

/** Tools that change nothing; only their number is said. */
const READING_TOOLS: ReadonlySet<string> = new Set([
  "read",
  "grep",
  "find",
  "ls",
  "image",
  "web_search",
  "web_fetch",
  "memory_search",
  "memory_get",
  "session_status",
  "sessions_list",
  "sessions_history",
  "agents_list",
  "continuity_get_work",
]);

/** Whether a tool is known to change nothing. */
export function isReadingTool(name: unknown): boolean {
  return typeof name === "string" && (READING_TOOLS.has(name) || OWN_TOOLS.has(name));
}

/** The calls of a branch, for a text to a model. */
export interface Called {
  /** Lines of foreign text; to be quoted. */
  readonly lines: readonly string[];
  /** What the lines leave out, in a part of a sentence; undefined when that is nothing. */
  readonly besides: string | undefined;
}

/**
 * Returns the calls in these nodes that may have had an effect, each with its tool and what its input says
 * ({@link inputInline}); equal calls behind each other share a line. Calls that the journal knows were never started
 * are left out. Deterministic.
 */
export function calledIn(nodes: readonly HistoryNode[], openCycles: readonly ToolCycle[]): Called {
  const inputs = nodes.flatMap((node) =>
    node.role === "assistant"
      ? nodeBlocks(node)
          .filter(isCallBlock)
          .map((block) => readCall(block).arguments)
      : [],
  );
  const invented = inventedIn(nodes);
  const calls = callsIn(
    nodes.map(({ entry }) => entry),
    openCycles,
  )
    .map((call, at) => ({ ...call, outcome: invented.get(call.callId) ?? call.outcome, input: inputs[at] }))
    .filter(({ tool, outcome }) => !OWN_TOOLS.has(tool) && outcome !== "not-started");
  const [reading, acting] = [true, false].map((reads) =>
    calls.filter(({ tool }) => READING_TOOLS.has(tool) === reads),
  ) as [typeof calls, typeof calls];
  const lines: { readonly text: string; times: number; readonly calls: CallBehind[] }[] = [];
  for (const call of acting) {
    const text = formatCall(call);
    const last = lines.at(-1);
    if (last?.text === text) {
      last.times += 1;
      last.calls.push(call);
    } else lines.push({ text, times: 1, calls: [call] });
  }
  const before = lines.slice(0, -MAX_LINES).flatMap((line) => line.calls);
  const besides = [
    ...(before.length > 0 ? [`before these: ${countByTool(before)}`] : []),
    ...(reading.length > 0 ? [`that only read: ${countByTool(reading)}`] : []),
  ];
  return {
    lines: lines.slice(-MAX_LINES).map(({ text, times }) => (times > 1 ? `${text} (${times} times)` : text)),
    besides: besides.length === 0 ? undefined : besides.join("; "),
  };
}

/** What is known of calls whose stored result this project wrote because the tool's own was lost, by call id. */
function inventedIn(nodes: readonly HistoryNode[]): ReadonlyMap<string, CallOutcome> {
  return new Map(
    nodes.flatMap(({ role, entry: { message } }) => {
      const outcome = role === "toolResult" && isObject(message) ? readOrigin(message).result : undefined;
      if (outcome === undefined) return [];
      const id = idKey(readResult(message as JsonObject).id);
      return [[id, outcome === "not_started" ? "not-started" : "unknown"] as const];
    }),
  );
}

function formatCall({ tool, outcome, input }: CallBehind & { readonly input: unknown }): string {
  const ended = { done: "", failed: " (failed)", unknown: " (outcome unknown)", "not-started": "" }[outcome];
  return `- ${nameInline(tool)} ${inputInline(input)}`.trimEnd() + ended;
}
