/**
 * A small agent with a durable tool: `killed-agent.ts <sdk> <url> <folder> <saves> <words>`. It stores its messages in the
 * folder, `each` time or at the `end` of a turn, as programs do that save in `onFinish`. The tool writes a line into a
 * ledger, waits as long as the ledger's first line says, and returns.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { healingFetch } from "../../src/fetch/index.ts";
import { ConversationJournal, durableTool, openJournal } from "../../src/journal/index.ts";

const [sdk, url, folder, saves, words] = process.argv.slice(2) as [string, string, string, string, string];
const file = join(folder, "messages.json");
const ledger = join(folder, "ledger");
const chat = new ConversationJournal(openJournal(join(folder, "agent.sqlite")), "chat");
const pay = durableTool(
  {
    execute: async ({ euros }: { euros: number }, _call: { toolCallId: string }): Promise<string> => {
      await sleep(Number(process.env.BEFORE ?? 0));
      appendFileSync(ledger, `paid ${euros}\n`);
      await sleep(Number(process.env.BEHIND ?? 0));
      return `paid ${euros}`;
    },
  },
  chat,
  "pay",
);
const parameters = { type: "object" as const, properties: { euros: { type: "number" } } };
const options = { apiKey: "none", maxRetries: 0, fetch: healingFetch({ journal: chat }) };

type Call = { id: string; input: { euros: number } };

/** Asks the model; returns its answer as a message, and the calls in it. */
async function ask(messages: object[]): Promise<{ answer: object; calls: Call[] }> {
  if (sdk === "anthropic") {
    const client = new Anthropic({ baseURL: url, ...options });
    const { content } = await client.messages.create({
      model: "claude-test",
      max_tokens: 100,
      tools: [{ name: "pay", input_schema: parameters }],
      messages: messages as Anthropic.MessageParam[],
    });
    const calls = content.flatMap((block) => (block.type === "tool_use" ? [block as Call] : []));
    return { answer: { role: "assistant", content }, calls };
  }
  const client = new OpenAI({ baseURL: `${url}/v1`, ...options });
  const { choices } = await client.chat.completions.create({
    model: "gpt-5",
    tools: [{ type: "function", function: { name: "pay", parameters } }],
    messages: messages as OpenAI.ChatCompletionMessageParam[],
  });
  const answer = choices[0]!.message;
  const calls = (answer.tool_calls ?? []).flatMap((call) =>
    call.type === "function" ? [{ id: call.id, input: JSON.parse(call.function.arguments) as Call["input"] }] : [],
  );
  return { answer, calls };
}

function toResults(results: { id: string; text: string }[]): object[] {
  if (sdk !== "anthropic") return results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
  return [
    { role: "user", content: results.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text })) },
  ];
}

const messages = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as object[]) : [];
/** Whole or not at all: a kill in the middle of a write is not what is tested here. */
function save(): void {
  writeFileSync(`${file}.new`, JSON.stringify(messages));
  renameSync(`${file}.new`, file);
}
messages.push({ role: "user", content: words });
save();
for (;;) {
  const { answer, calls } = await ask(messages);
  messages.push(answer);
  if (saves === "each") save();
  if (calls.length === 0) break;
  const results = calls.map(async ({ id, input }) => ({ id, text: await pay.execute(input, { toolCallId: id }) }));
  messages.push(...toResults(await Promise.all(results)));
  if (saves === "each") save();
}
save();
