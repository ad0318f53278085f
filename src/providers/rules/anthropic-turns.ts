import { shown } from "../json.ts";
import { isAltered } from "../signatures.ts";
import type { JsonObject } from "../types.ts";
import { isPaused, serverTools, type Turn } from "./anthropic-server-tools.ts";
import type { Findings } from "./findings.ts";

/** Judges the order of the turns; the shape of the messages is already known to be right. */
export function checkPairing(
  messages: JsonObject[],
  { prefill, userFirst, claude }: { prefill: boolean; userFirst: boolean; claude: boolean },
  found: Findings,
): void {
  const turns = joined(messages);
  if (userFirst && turns[0]?.role !== "user") {
    found.add("messages", 'messages: first message must use the "user" role');
  }
  turns.forEach((turn, i) => {
    if (turn.role === "assistant") assistantTurn(turn, turns[i + 1], found);
    else checkResults(turn, turns[i - 1], found);
  });
  serverTools(turns, claude, found);
  latestThinking(turns, found);
  if (isPaused(turns)) return;
  const last = turns.at(-1);
  if (last?.role !== "assistant") return;
  if (!prefill) {
    found.add(
      "messages",
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
    return;
  }
  const text = last.blocks.at(-1)?.block["text"];
  if (typeof text === "string" && text !== text.trimEnd()) {
    found.add("messages", "messages: final assistant content cannot end with trailing whitespace");
  }
}

/** The server joins neighbours of the same role, so pairing is judged on the joined turns. */
function joined(messages: JsonObject[]): Turn[] {
  const turns: Turn[] = [];
  messages.forEach(({ role, content }, message) => {
    let turn = turns.at(-1);
    if (turn === undefined || turn.role !== role) turns.push((turn = { role: shown(role), blocks: [] }));
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as JsonObject[]);
    for (let index = 0; index < blocks.length; index++)
      turn.blocks.push({ block: blocks[index] ?? {}, message, index });
  });
  return turns;
}

function assistantTurn(turn: Turn, next: Turn | undefined, found: Findings): void {
  // Recorded: an id of an earlier turn may come again.
  const seen = new Set<unknown>();
  const answered = new Set<unknown>();
  // Results come first: one behind a text is not "immediately after".
  for (const { block } of next?.blocks ?? []) {
    if (block["type"] !== "tool_result") break;
    answered.add(block["tool_use_id"]);
  }
  const missing: unknown[] = [];
  let where = turn.blocks[0]?.message ?? 0;
  for (const { block, message, index } of turn.blocks) {
    if (block["type"] !== "tool_use") continue;
    const id = block["id"];
    if (seen.has(id))
      found.add(
        `messages.${message}.content.${index}`,
        `messages.${message}.content.${index}: \`tool_use\` ids must be unique`,
      );
    seen.add(id);
    if (answered.has(id)) continue;
    if (missing.length === 0) where = message;
    missing.push(id);
  }
  if (missing.length > 0) {
    found.add(
      `messages.${where}`,
      `messages.${where}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  }
  const final = turn.blocks.at(-1);
  if (final?.block["type"] === "thinking" || final?.block["type"] === "redacted_thinking") {
    found.add(
      `messages.${final.message}`,
      `messages.${final.message}: The final block in an assistant message cannot be \`thinking\`.`,
    );
  }
}

function checkResults(turn: Turn, previous: Turn | undefined, found: Findings): void {
  const calls = new Set<unknown>();
  for (const { block } of previous?.blocks ?? []) if (block["type"] === "tool_use") calls.add(block["id"]);
  const answered = new Set<unknown>();
  for (const { block, message, index } of turn.blocks) {
    if (block["type"] !== "tool_result") continue;
    const id = block["tool_use_id"];
    const path = `messages.${message}.content.${index}`;
    if (!calls.has(id)) {
      found.add(
        path,
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${shown(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    } else if (answered.has(id)) {
      found.add(
        path,
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${shown(id)}`,
      );
    }
    answered.add(id);
  }
}

/** Thinking of the latest assistant turn must come back as it was; earlier thinking the server drops by itself. */
function latestThinking(turns: Turn[], found: Findings): void {
  const latest = turns.findLast((turn) => turn.role === "assistant");
  for (const { block, message, index } of latest?.blocks ?? []) {
    if (block["type"] !== "thinking" || !isAltered(shown(block["thinking"]), shown(block["signature"]))) continue;
    found.add(
      `messages.${message}.content.${index}`,
      `messages.${message}.content.${index}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
    );
  }
}
