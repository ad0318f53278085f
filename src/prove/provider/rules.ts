/**
 * The rules of Anthropic's Messages API on a conversation. Written from the API's error texts and not from src/wire, so
 * that the guard is not judged by its own reading of them.
 */
import { isObject, type JsonObject } from "../../transcript/json/json.ts";

/** Consecutive messages of one role, which the API joins. */
interface Turn {
  readonly role: unknown;
  readonly blocks: { readonly block: JsonObject; readonly path: string; readonly message: number }[];
}

/** Returns the refusal of a request body in the API's words; undefined when the API would accept it. */
export function findRefusal(body: unknown): string | undefined {
  const messages = isObject(body) ? body.messages : undefined;
  if (!Array.isArray(messages)) return "messages: Field required";
  if (messages.length === 0) return "messages: at least one message is required";
  for (let at = 0; at < messages.length; at++) {
    const refusal = checkMessage(messages[at], at);
    if (refusal !== undefined) return refusal;
  }
  const turns = joined(messages as JsonObject[]);
  if (turns[0]?.role !== "user") return 'messages: first message must use the "user" role';
  if (turns.at(-1)?.role !== "user")
    return "This model does not support assistant message prefill. The conversation must end with a user message.";
  return checkPairing(turns);
}

function checkMessage(message: unknown, at: number): string | undefined {
  const path = `messages.${at}`;
  if (!isObject(message)) return `${path}: Input should be a valid dictionary`;
  const { role, content } = message;
  if (role !== "user" && role !== "assistant")
    return `messages: Unexpected role ${JSON.stringify(role)}. Allowed roles are "user" or "assistant".`;
  if (typeof content === "string") return content.trim() === "" ? `${path}: text content must be non-empty` : undefined;
  if (!Array.isArray(content)) return `${path}.content: Input should be a valid list`;
  if (content.length === 0) return `${path}: all messages must have non-empty content`;
  for (let index = 0; index < content.length; index++) {
    const refusal = checkBlock(content[index], role, `${path}.content.${index}`);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** The blocks that a role may send, by type. The sessions of a proof cause no others. */
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "tool_result", "image", "document"],
  assistant: ["text", "tool_use", "thinking", "redacted_thinking"],
};

function checkBlock(block: unknown, role: string, path: string): string | undefined {
  const type = isObject(block) ? block.type : undefined;
  if (!isObject(block) || typeof type !== "string" || !BLOCKS[role]!.includes(type))
    return `${path}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags`;
  if (type === "text") {
    if (typeof block.text !== "string") return `${path}.text.text: Input should be a valid string`;
    if (block.text.trim() === "") return "messages: text content blocks must be non-empty";
  }
  if (type === "tool_use") {
    if (typeof block.id !== "string" || !/^[a-zA-Z0-9_-]+$/.test(block.id))
      return `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
    if (typeof block.name !== "string" || !/^[a-zA-Z0-9_-]{1,128}$/.test(block.name))
      return `${path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    if (!isObject(block.input)) return `${path}.tool_use.input: Input should be a valid dictionary`;
  }
  if (type === "tool_result" && typeof block.tool_use_id !== "string")
    return `${path}.tool_result.tool_use_id: Field required`;
  return undefined;
}

function joined(messages: readonly JsonObject[]): readonly Turn[] {
  const turns: Turn[] = [];
  messages.forEach(({ role, content }, message) => {
    if (turns.at(-1)?.role !== role) turns.push({ role, blocks: [] });
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as JsonObject[]);
    blocks.forEach((block, index) => {
      turns.at(-1)!.blocks.push({ block, path: `messages.${message}.content.${index}`, message });
    });
  });
  return turns;
}

/**
 * Returns why turns are refused, unless every call has one result, at the beginning of the next turn, and every result
 * its call in the turn before.
 */
function checkPairing(turns: readonly Turn[]): string | undefined {
  const used = new Set<unknown>();
  for (let at = 0; at < turns.length; at++) {
    const refusal =
      turns[at]!.role === "assistant"
        ? checkCalls(turns[at]!, turns[at + 1], used)
        : checkResults(turns[at]!, turns[at - 1]);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkCalls(turn: Turn, next: Turn | undefined, used: Set<unknown>): string | undefined {
  const answered = new Set<unknown>();
  for (const { block } of next?.blocks ?? []) {
    if (block.type !== "tool_result") break;
    answered.add(block.tool_use_id);
  }
  for (const { block, path } of turn.blocks) {
    if (block.type !== "tool_use") continue;
    if (used.has(block.id)) return `${path}: \`tool_use\` ids must be unique`;
    used.add(block.id);
  }
  const open = turn.blocks.filter(({ block }) => block.type === "tool_use" && !answered.has(block.id));
  if (open.length === 0) return undefined;
  const ids = open.map(({ block }) => String(block.id)).join(", ");
  return (
    `messages.${open[0]!.message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately ` +
    `after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
  );
}

function checkResults(turn: Turn, before: Turn | undefined): string | undefined {
  const calls = new Set(before?.blocks.filter(({ block }) => block.type === "tool_use").map(({ block }) => block.id));
  const seen = new Set<unknown>();
  for (const { block, path } of turn.blocks) {
    if (block.type !== "tool_result") continue;
    const id = block.tool_use_id;
    if (!calls.has(id))
      return (
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each ` +
        `\`tool_result\` ` +
        `block must have a corresponding \`tool_use\` block in the previous message.`
      );
    if (seen.has(id))
      return (
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with ` +
        `id: ${String(id)}`
      );
    seen.add(id);
  }
  return undefined;
}
