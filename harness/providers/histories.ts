import { hello, type Sent } from "./client.ts";
import { PIXEL } from "./fixtures.ts";
import type { Api, JsonObject } from "../../src/providers/index.ts";

/** One message of the assistant's with its calls, and their results. */
export interface Round {
  text?: string;
  calls: { name: string; result: string; image?: boolean }[];
}

/**
 * A request that every API accepts: "hello", the rounds, and the user's "go on"; with definitions of the tools `read`
 * and `exec`.
 */
export function toolHistory(api: Api, rounds: Round[]): Sent {
  const { path, body } = hello(api);
  let serial = 0;
  const numbered = rounds.map(({ text, calls }): Numbered => {
    const list = calls.map((call) => ({ ...call, id: `call_${++serial}` }));
    return text === undefined ? { calls: list } : { text, calls: list };
  });
  return { path, body: { ...body, ...BODIES[api](numbered) } };
}

/** A request that its API refuses: of a message without words, on Responses of an output without its call. */
export function refusedRequest(api: Api): Sent {
  const { path, body } = hello(api);
  if (api === "google-generative-ai") return { path, body: { ...body, contents: [{ role: "user", parts: [{}] }] } };
  if (api !== "openai-responses") return hello(api, { content: "" });
  const orphan = { type: "function_call_output", call_id: "call_gone", output: "x" };
  return { path, body: { ...body, input: [...(body["input"] as unknown[]), orphan] } };
}

interface Numbered {
  text?: string;
  calls: { id: string; name: string; result: string; image?: boolean }[];
}

const TOOLS = ["read", "exec"];
const ARGUMENTS = { path: "a.txt" };
const SCHEMA = { type: "object", properties: {} };

const BODIES: Record<Api, (rounds: Numbered[]) => JsonObject> = {
  "anthropic-messages": (rounds) => ({
    tools: TOOLS.map((name) => ({ name, input_schema: SCHEMA })),
    messages: [
      { role: "user", content: "hello" },
      ...rounds.flatMap(({ text, calls }) => [
        {
          role: "assistant",
          content: [
            ...(text === undefined ? [] : [{ type: "text", text }]),
            ...calls.map(({ id, name }) => ({ type: "tool_use", id, name, input: ARGUMENTS })),
          ],
        },
        {
          role: "user",
          content: calls.map(({ id, result, image }) => ({
            type: "tool_result",
            tool_use_id: id,
            content: [
              { type: "text", text: result },
              ...(image ? [{ type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }] : []),
            ],
          })),
        },
      ]),
      { role: "assistant", content: [{ type: "text", text: "done" }] },
      { role: "user", content: "go on" },
    ],
  }),
  "openai-completions": (rounds) => ({
    tools: TOOLS.map((name) => ({ type: "function", function: { name, parameters: SCHEMA } })),
    messages: [
      { role: "system", content: "be short" },
      { role: "user", content: "hello" },
      ...rounds.flatMap(({ text, calls }) => [
        {
          role: "assistant",
          content: text ?? null,
          tool_calls: calls.map(({ id, name }) => ({
            id,
            type: "function",
            function: { name, arguments: JSON.stringify(ARGUMENTS) },
          })),
        },
        ...calls.map(({ id, result, image }) => ({
          role: "tool",
          tool_call_id: id,
          content: image
            ? [
                { type: "text", text: result },
                { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
              ]
            : result,
        })),
      ]),
      { role: "assistant", content: "done" },
      { role: "user", content: "go on" },
    ],
  }),
  "openai-responses": (rounds) => ({
    instructions: "be short",
    tools: TOOLS.map((name) => ({ type: "function", name, parameters: SCHEMA })),
    input: [
      { role: "user", content: [{ type: "input_text", text: "hello" }] },
      ...rounds.flatMap(({ text, calls }) => [
        ...(text === undefined ? [] : [{ role: "assistant", content: [{ type: "output_text", text }] }]),
        ...calls.map(({ id, name }) => ({
          type: "function_call",
          call_id: id,
          name,
          arguments: JSON.stringify(ARGUMENTS),
        })),
        ...calls.map(({ id, result, image }) => ({
          type: "function_call_output",
          call_id: id,
          output: image
            ? [
                { type: "input_text", text: result },
                { type: "input_image", image_url: `data:image/png;base64,${PIXEL}` },
              ]
            : result,
        })),
      ]),
      { role: "assistant", content: [{ type: "output_text", text: "done" }] },
      { role: "user", content: [{ type: "input_text", text: "go on" }] },
    ],
  }),
  "google-generative-ai": (rounds) => ({
    tools: [{ functionDeclarations: TOOLS.map((name) => ({ name, parameters: SCHEMA })) }],
    contents: [
      { role: "user", parts: [{ text: "hello" }] },
      ...rounds.flatMap(({ text, calls }) => [
        {
          role: "model",
          parts: [
            ...(text === undefined ? [] : [{ text }]),
            ...calls.map(({ id, name }) => ({ functionCall: { id, name, args: ARGUMENTS } })),
          ],
        },
        {
          role: "user",
          parts: calls.map(({ id, name, result, image }) => ({
            functionResponse: {
              id,
              name,
              response: { output: result },
              ...(image ? { parts: [{ inlineData: { mimeType: "image/png", data: PIXEL } }] } : {}),
            },
          })),
        },
      ]),
      { role: "model", parts: [{ text: "done" }] },
      { role: "user", parts: [{ text: "go on" }] },
    ],
  }),
  "bedrock-converse-stream": (rounds) => ({
    toolConfig: { tools: TOOLS.map((name) => ({ toolSpec: { name, inputSchema: { json: SCHEMA } } })) },
    messages: [
      { role: "user", content: [{ text: "hello" }] },
      ...rounds.flatMap(({ text, calls }) => [
        {
          role: "assistant",
          content: [
            ...(text === undefined ? [] : [{ text }]),
            ...calls.map(({ id, name }) => ({ toolUse: { toolUseId: id, name, input: ARGUMENTS } })),
          ],
        },
        {
          role: "user",
          content: calls.map(({ id, result, image }) => ({
            toolResult: {
              toolUseId: id,
              content: [{ text: result }, ...(image ? [{ image: { format: "png", source: { bytes: PIXEL } } }] : [])],
            },
          })),
        },
      ]),
      { role: "assistant", content: [{ text: "done" }] },
      { role: "user", content: [{ text: "go on" }] },
    ],
  }),
};
