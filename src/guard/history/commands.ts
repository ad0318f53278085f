import { answeredKey, isOwnCommand } from "../../timetravel/index.ts";
import { isObject } from "../../transcript/json/json.ts";
import { logFailure } from "../base/log.ts";
import type { SessionManager } from "../openclaw/session.ts";

/**
 * Leaves out this project's chat commands, which 2026.9 stores as messages of the person and would send to the model:
 * what was said to OpenClaw is no word to the agent. A message counts as a command only when OpenClaw has answered it
 * itself. The rows stay. A history without commands stays the same list. Never throws.
 */
export function withoutCommands(messages: unknown[], manager: SessionManager | undefined): unknown[] {
  try {
    const commands = messages.filter(mayBeCommand);
    if (commands.length === 0) return messages;
    const answered = new Set(
      manager?.getBranch?.().flatMap((entry) => (isObject(entry) ? (answeredKey(entry.message) ?? []) : [])),
    );
    const gone = new Set(commands.filter(({ idempotencyKey }) => answered.has(String(idempotencyKey))));
    return gone.size === 0 ? messages : messages.filter((message) => !gone.has(message as Command));
  } catch (error) {
    logFailure("history gate (commands)", error, "the history is used with the commands in it");
    return messages;
  }
}

type Command = { readonly idempotencyKey: string };

function mayBeCommand(message: unknown): message is Command {
  if (!isObject(message) || message.role !== "user" || typeof message.idempotencyKey !== "string") return false;
  const { content } = message;
  const first: unknown = Array.isArray(content) ? content[0] : content;
  const text = isObject(first) ? first.text : first;
  return typeof text === "string" && isOwnCommand(text);
}
