/**
 * An agent over OpenAI's SDK, as one writes it for `openclaw-integrity test-agent`: `sdk-agent.ts healed` has a
 * healingFetch and a durable tool, `sdk-agent.ts plain` has neither. It stores its messages after each step.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import type { AgentInput } from "../../../src/conformance/cases/case.ts";
import { healingFetch } from "../../../src/fetch/index.ts";
import { ConversationJournal, durableTool, openJournal } from "../../../src/journal/index.ts";

const isHealed = process.argv[2] === "healed";
const input = JSON.parse(readFileSync(process.env["TEST_AGENT_CASE"]!, "utf8")) as AgentInput;
const journal = isHealed
  ? new ConversationJournal(openJournal(join(input.state, "agent.sqlite")), input.session)
  : undefined;

/** What each tool does is a request to the kit. */
function makeTool(name: string): (input: unknown, call: { toolCallId: string }) => Promise<string> {
  const tool = {
    execute: async (given: unknown, _call: { toolCallId: string }): Promise<string> => {
      const body = JSON.stringify({ name, arguments: given });
      return (await fetch(input.tools_url, { method: "POST", body })).text();
    },
  };
  return journal === undefined ? tool.execute : durableTool(tool, journal, name).execute;
}

const tools = new Map(input.tools.map(({ name }) => [name, makeTool(name)]));
const client = new OpenAI({ maxRetries: 0, ...(journal && { fetch: healingFetch({ journal }) }) });

const file = join(input.state, "messages.json");
const stored = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as unknown[]) : (input.history ?? []);
const messages = [...stored] as OpenAI.ChatCompletionMessageParam[];
function save(): void {
  writeFileSync(`${file}.new`, JSON.stringify(messages));
  renameSync(`${file}.new`, file);
}

messages.push({ role: "user", content: input.question });
save();
for (;;) {
  const { choices } = await client.chat.completions.create({
    model: "gpt-5",
    messages,
    tools: input.tools.map((one) => ({ type: "function", function: { ...one } })),
  });
  const answer = choices[0]!.message;
  messages.push(answer);
  save();
  const calls = (answer.tool_calls ?? []).filter((call) => call.type === "function");
  if (calls.length === 0) {
    console.log(answer.content);
    break;
  }
  const results = calls.map(async ({ id, function: { name, arguments: given } }) => ({
    role: "tool" as const,
    tool_call_id: id,
    content: await tools.get(name)!(JSON.parse(given), { toolCallId: id }),
  }));
  messages.push(...(await Promise.all(results)));
  save();
}
