/**
 * An agent over healingFetch alone, with a durable tool, for each API whose form a history can have. It stores its
 * messages after each step, or with `end` at the end of a turn, as programs do that save in `onFinish`.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { healingFetch } from "../../../src/fetch/index.ts";
import { ConversationJournal, durableTool, openJournal } from "../../../src/journal/index.ts";

/** How each API is asked; what is stored of its answer, with its words and calls; and how results are told. */
const APIS = {
  chat: {
    path: "/v1/chat/completions",
    body: (messages, tools) => ({
      model: "gpt-5",
      messages,
      tools: tools.map((one) => ({ type: "function", function: one })),
    }),
    user: (content) => ({ role: "user", content }),
    read: ({ choices: [{ message }] }) => ({
      messages: [message],
      text: message.content ?? "",
      calls: (message.tool_calls ?? []).map((call) => ({
        id: call.id,
        name: call.function.name,
        input: JSON.parse(call.function.arguments),
      })),
    }),
    results: (results) => results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text })),
  },
  anthropic: {
    path: "/v1/messages",
    body: (messages, tools) => ({
      model: "claude-test",
      max_tokens: 99,
      messages,
      tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    }),
    user: (content) => ({ role: "user", content }),
    read: ({ content }) => ({
      messages: [{ role: "assistant", content }],
      text: content.map((block) => block.text ?? "").join(""),
      calls: content.filter(({ type }) => type === "tool_use"),
    }),
    results: (results) => [
      {
        role: "user",
        content: results.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text })),
      },
    ],
  },
  responses: {
    path: "/v1/responses",
    body: (input, tools) => ({
      model: "gpt-5",
      input,
      store: false,
      tools: tools.map((one) => ({ type: "function", strict: false, ...one })),
    }),
    user: (content) => ({ role: "user", content }),
    read: ({ output }) => ({
      messages: output,
      text: output
        .flatMap(({ content }) => content ?? [])
        .map((part) => part.text ?? "")
        .join(""),
      calls: output
        .filter(({ type }) => type === "function_call")
        .map((item) => ({ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) })),
    }),
    results: (results) => results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text })),
  },
  gemini: {
    path: "/v1beta/models/gemini-2.5-flash:generateContent",
    body: (contents, tools) => ({ contents, tools: [{ functionDeclarations: tools }] }),
    user: (text) => ({ role: "user", parts: [{ text }] }),
    read: ({ candidates: [{ content }] }) => ({
      messages: [content],
      text: content.parts.map((part) => part.text ?? "").join(""),
      calls: content.parts
        .filter(({ functionCall }) => functionCall)
        .map(({ functionCall: { id, name, args } }) => ({ id, name, input: args })),
    }),
    results: (results) => [
      {
        role: "user",
        parts: results.map(({ id, name, text }) => ({ functionResponse: { id, name, response: { output: text } } })),
      },
    ],
  },
  converse: {
    path: "/model/anthropic.claude-test/converse",
    body: (messages, tools) => ({
      messages,
      toolConfig: {
        tools: tools.map(({ name, description, parameters }) => ({
          toolSpec: { name, description, inputSchema: { json: parameters } },
        })),
      },
    }),
    user: (text) => ({ role: "user", content: [{ text }] }),
    read: ({ output: { message } }) => ({
      messages: [message],
      text: message.content.map((block) => block.text ?? "").join(""),
      calls: message.content
        .filter(({ toolUse }) => toolUse)
        .map(({ toolUse: { toolUseId, name, input } }) => ({ id: toolUseId, name, input })),
    }),
    results: (results) => [
      {
        role: "user",
        content: results.map(({ id, text }) => ({ toolResult: { toolUseId: id, content: [{ text }] } })),
      },
    ],
  },
};

const savesAtEnd = process.argv[2] === "end";
const input = JSON.parse(readFileSync(process.env["TEST_AGENT_CASE"], "utf8"));
const api = APIS[input.form];
const journal = new ConversationJournal(openJournal(join(input.state, "agent.sqlite")), input.session);
const fetchModel = healingFetch({ journal });
const act = async (name, given) =>
  (await fetch(input.tools_url, { method: "POST", body: JSON.stringify({ name, arguments: given }) })).text();
const tools = new Map(
  input.tools.map(({ name }) => [name, durableTool({ execute: (given, _call) => act(name, given) }, journal, name)]),
);

const file = join(input.state, "messages.json");
const messages = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [...(input.history ?? [])];
function save() {
  writeFileSync(`${file}.new`, JSON.stringify(messages));
  renameSync(`${file}.new`, file);
}

messages.push(api.user(input.question));
save();
for (;;) {
  const response = await fetchModel(input.provider_url + api.path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(api.body(messages, input.tools)),
  });
  if (!response.ok) throw new Error(await response.text());
  const answer = api.read(await response.json());
  messages.push(...answer.messages);
  if (!savesAtEnd || answer.calls.length === 0) save();
  if (answer.calls.length === 0) {
    console.log(answer.text);
    break;
  }
  const results = answer.calls.map(async (call) => ({
    ...call,
    text: await tools.get(call.name).execute(call.input, { toolCallId: call.id }),
  }));
  messages.push(...api.results(await Promise.all(results)));
  if (!savesAtEnd) save();
}
