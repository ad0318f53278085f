import { shown } from "../json.ts";
import type { JsonObject } from "../types.ts";
import type { Findings } from "./findings.ts";

/*
 * Tools that Anthropic's server runs itself. Sources:
 * - platform.claude.com, "Server tools": a result names its call and stands behind it in the same assistant turn;
 * beside a client's tool
 *   call it may come in the answer to the client's results ("pair up by tool_use_id, not by position"); a paused turn is sent back as it is.
 * - anthropics/claude-code#95406 and 40 more: the text for a result whose call is not before it (a reminder stood
 * between: #89348).
 * - langchain-ai/langchainjs#11407, anthropics/anthropic-sdk-typescript#841: the text for a call without its result.
 * - vercel/ai#13013 and #16312, anthropics/anthropic-sdk-typescript#841: a client's call before a server's call in one
 * message.
 * - anomalyco/opencode, a recording of api.anthropic.com (rejects-malformed-assistant-tool-order-without-patch), and
 * stacklok/mecatl#1465: a text behind a client's call in one message.
 * - openai/openai-agents-js#1542, pydantic/pydantic-ai (its test of mixed turns): text behind the client's results
 * while a server's call waits.
 */

/** A block and where it stands. */
export interface Placed {
  block: JsonObject;
  message: number;
  index: number;
}

/** Neighbours of one role, as the server joins them. */
export interface Turn {
  role: string;
  blocks: Placed[];
}

const CALLS = ["server_tool_use", "mcp_tool_use"];

const isCall = ({ block }: Placed): boolean => CALLS.includes(shown(block["type"]));
const isResult = ({ block }: Placed): boolean => shown(block["type"]).endsWith("_tool_result");

/** True when the request ends inside a turn that the server paused at one of its own tools. */
export function isPaused(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  const final = last?.blocks.at(-1);
  return last?.role === "assistant" && final !== undefined && (isCall(final) || isResult(final));
}

/** Judges calls and results of the server's tools, and where the client's calls stand beside them. */
export function serverTools(turns: readonly Turn[], claude: boolean, found: Findings): void {
  /** Calls that wait for their result, by id. */
  let waiting = new Map<unknown, Placed>();
  const refuseWaiting = (): void => {
    for (const { block, message } of waiting.values()) {
      const { name, id } = block;
      found.add(
        `messages.${message}`,
        `messages.${message}: \`${shown(name)}\` tool use with id \`${shown(id)}\` was found without a corresponding \`${shown(name)}_tool_result\` block`,
      );
    }
    waiting = new Map();
  };
  for (const turn of turns) {
    if (turn.role !== "assistant") {
      if (!turn.blocks.every(({ block }) => block["type"] === "tool_result")) refuseWaiting();
      continue;
    }
    order(turn, claude, found);
    for (const placed of turn.blocks) {
      if (isCall(placed)) waiting.set(placed.block["id"], placed);
      else if (isResult(placed)) answer(placed, waiting, found);
    }
  }
  if (turns.at(-1)?.role === "assistant" && !isPaused(turns)) refuseWaiting();
}

function answer({ block, message, index }: Placed, waiting: Map<unknown, Placed>, found: Findings): void {
  const type = shown(block["type"]);
  const callType = type === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use";
  const id = block["tool_use_id"];
  const call = waiting.get(id);
  if (call?.block["type"] === callType) {
    waiting.delete(id);
    return;
  }
  const path = `messages.${message}.content.${index}`;
  found.add(
    path,
    `${path}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${shown(id)}. Each \`${type}\` block must have a corresponding \`${callType}\` block before it.`,
  );
}

/**
 * A client's call is looked for at the end of its message: what the server did, and what Claude says, stands before it.
 */
function order(turn: Turn, claude: boolean, found: Findings): void {
  const lastOfServer = turn.blocks.findLastIndex((placed) => isCall(placed) || isResult(placed));
  const lastText = new Map<number, number>();
  if (claude)
    for (const { block, message, index } of turn.blocks) if (block["type"] === "text") lastText.set(message, index);
  const early = turn.blocks.filter(
    ({ block, message, index }, at) =>
      block["type"] === "tool_use" && (at < lastOfServer || index < (lastText.get(message) ?? -1)),
  );
  const first = early[0];
  if (first === undefined) return;
  found.add(
    `messages.${first.message}`,
    `messages.${first.message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${early.map(({ block }) => shown(block["id"])).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}
