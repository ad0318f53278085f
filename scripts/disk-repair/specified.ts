/**
 * The repair that the Layer 0 specification gives, for comparison: results whose call is not in the assistant message
 * before them are removed, wherever their call is, and then calls whose result is not in the message behind them.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Row {
  readonly type?: unknown;
  readonly message?: Message;
}

interface Message {
  readonly role?: unknown;
  readonly toolCallId?: unknown;
  content?: unknown;
}

/** Repairs a JSONL transcript so; false when nothing changed. Rows that it cannot read stay as they are. */
export function repairAsSpecified(stateDirectory: string, sessionId: string): boolean {
  const agents = join(stateDirectory, "agents");
  const files = readdirSync(agents).map((agent) => join(agents, agent, "sessions", `${sessionId}.jsonl`));
  let isChanged = false;
  for (const file of files) {
    const before = readIfThere(file);
    if (before === undefined) continue;
    const after = specified(before.split("\n")).join("\n");
    if (after === before) continue;
    writeFileSync(file, after);
    isChanged = true;
  }
  return isChanged;
}

/** Repairs the lines of a transcript. Results that stand one behind the other count as one message, as a provider gets them. */
export function specified(lines: readonly string[]): readonly string[] {
  const left: (string | undefined)[] = [...lines];
  const rows = lines.map(parseMessage);
  const messages = rows.flatMap((message, line) => (message === undefined ? [] : [{ message, line }]));
  let calls: ReadonlySet<unknown> = new Set();
  for (const { message, line } of messages) {
    if (message.role !== "toolResult") calls = new Set(message.role === "assistant" ? listCallIds(message) : []);
    else if (!calls.has(message.toolCallId)) left[line] = undefined;
  }
  const kept = messages.filter(({ line }) => left[line] !== undefined);
  for (const [at, { message, line }] of kept.entries()) {
    if (message.role !== "assistant" || listCallIds(message).length === 0 || at === kept.length - 1) continue;
    const results = new Set<unknown>();
    for (let next = at + 1; kept[next]?.message.role === "toolResult"; next += 1)
      results.add(kept[next]!.message.toolCallId);
    const content = (message.content as readonly unknown[]).filter(
      (block) => !isCall(block) || results.has((block as { id?: unknown }).id),
    );
    if (content.length === (message.content as readonly unknown[]).length) continue;
    const row = JSON.parse(left[line]!) as Row;
    left[line] = JSON.stringify({ ...row, message: { ...row.message, content } });
  }
  return left.filter((line) => line !== undefined);
}

function parseMessage(line: string): Message | undefined {
  try {
    const row = JSON.parse(line) as Row | null;
    const message = row?.type === "message" ? row.message : undefined;
    return typeof message === "object" ? (message ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

function listCallIds({ content }: Message): readonly unknown[] {
  return Array.isArray(content) ? content.filter(isCall).map((block: { id?: unknown }) => block.id) : [];
}

function isCall(block: unknown): boolean {
  return typeof block === "object" && block !== null && "type" in block && block.type === "toolCall";
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
