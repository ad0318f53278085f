/** The histories that each project's step gets: the corpus, and what real providers accepted. */
import { readFileSync } from "node:fs";
import { loadCorpus, transcriptPath } from "../../../harness/corpus/case.ts";
import { loadRecorded } from "../../../harness/recorded/recorded.ts";
import { isObject, type JsonObject } from "../../../src/transcript/json/json.ts";
import type { Message } from "./formats.ts";

/** A history as OpenClaw has it, and words of its that have to reach a provider. */
export interface Given {
  readonly messages: readonly Message[];
  readonly words: readonly string[];
}

/** The corpus: broken histories, each with the words that nobody may lose. */
export function loadBroken(): readonly Given[] {
  return loadCorpus().map(({ id, mustReach }) => {
    const rows = readFileSync(transcriptPath(id), "utf8").split("\n").flatMap(parseRow);
    // Summaries and notes are rows of other types, which OpenClaw makes messages of.
    const said = JSON.stringify(rows);
    return { messages: rows, words: mustReach.filter((word) => said.includes(JSON.stringify(word).slice(1, -1))) };
  });
}

/**
 * Histories that OpenAI and Anthropic themselves accepted, of more than one message, which consist of texts, calls and
 * results alone: every project has these.
 */
export function loadAccepted(): readonly Given[] {
  const read = { "openai-completions": readChat, "anthropic-messages": readAnthropic } as const;
  return (["openai-completions", "anthropic-messages"] as const).flatMap((api) =>
    [...loadRecorded(api).values()].flatMap(({ status, body, host }) => {
      const list = objects(body["messages"]);
      if (status !== 200 || !HOSTS.includes(host) || list.length < 2 || !list.every(isPlain)) return [];
      return [{ messages: list.flatMap(read[api]) as Message[], words: [] }];
    }),
  );
}

function parseRow(line: string): readonly Message[] {
  try {
    const row: unknown = JSON.parse(line);
    return isObject(row) && row["type"] === "message" && isObject(row["message"]) ? [row["message"] as Message] : [];
  } catch {
    return [];
  }
}

const HOSTS: readonly string[] = ["api.openai.com", "api.anthropic.com"];
const PLAIN: readonly unknown[] = ["text", "tool_use", "tool_result"];

/** Whether a message can be said in the forms of all projects: results first, nothing but texts in messages and results. */
function isPlain({ role, content }: JsonObject, at: number): boolean {
  if (role === "system" || role === "developer") return at === 0;
  if (!Array.isArray(content)) return content == null || typeof content === "string";
  const types = content.map((block) => (isObject(block) ? block["type"] : undefined));
  const results = content
    .filter((block) => isObject(block) && block["type"] === "tool_result")
    .map((block: JsonObject) => block["content"]);
  return (
    types.every((type) => PLAIN.includes(type)) &&
    types.lastIndexOf("tool_result") + 1 === results.length &&
    results.every((inner) => !Array.isArray(inner) || inner.every((part) => isObject(part) && part["type"] === "text"))
  );
}

function objects(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function readTexts(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return objects(content).flatMap(({ text }) => (typeof text === "string" ? [{ type: "text", text }] : []));
}

function readChat({ role, content, tool_calls: calls, tool_call_id: id }: JsonObject): readonly JsonObject[] {
  if (role === "tool") return [{ role: "toolResult", toolCallId: id, toolName: "tool", content: readTexts(content) }];
  if (role === "user") return [{ role, content: readTexts(content) }];
  if (role !== "assistant") return [];
  const called = objects(calls).flatMap(({ id: call, function: work }) =>
    isObject(work) ? [toCall(call, work["name"], parseArguments(work["arguments"]))] : [],
  );
  return [{ role, content: [...readTexts(content), ...called] }];
}

function readAnthropic({ role, content }: JsonObject): readonly JsonObject[] {
  const blocks = objects(content);
  const results = blocks.filter(({ type }) => type === "tool_result");
  const called = blocks.filter(({ type }) => type === "tool_use");
  const texts = readTexts(typeof content === "string" ? content : blocks.filter(({ type }) => type === "text"));
  const said = [...texts, ...called.map((block) => toCall(block["id"], block["name"], block["input"]))];
  return [
    ...results.map((block) => ({
      role: "toolResult",
      toolCallId: block["tool_use_id"],
      toolName: "tool",
      content: readTexts(block["content"]),
    })),
    ...(said.length > 0 || results.length === 0 ? [{ role, content: said }] : []),
  ];
}

const toCall = (id: unknown, name: unknown, input: unknown): JsonObject => ({
  type: "toolCall",
  id,
  name,
  arguments: input,
});

function parseArguments(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return {};
  }
}
