import type { Card } from "../card.ts";

export default {
  api: "openai-responses",
  rule: "invalid_item",
  what: "An item id without the prefix of its type",
  heals: "the id is left out",
  where: "OpenAI",
  error: "Expected an ID that begins with",
  problem: "tool_id",
  sources: [
    {
      report: "nodetool-ai/nodetool#4252",
    },
    {
      report: "jlcodes99/cockpit-tools#2090",
    },
  ],
  target: {
    host: "api.openai.com",
    model: "gpt-5.2",
  },
  elsewhere: {
    host: "api.x.ai",
    model: "grok-4.3",
  },
  refused: {
    model: "gpt-5.2",
    store: false,
    input: [
      {
        type: "message",
        role: "user",
        content: [
          {
            type: "input_text",
            text: "go",
          },
        ],
      },
      {
        type: "function_call",
        call_id: "call_1",
        name: "exec",
        arguments: "{}",
        id: "call_1",
      },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: "exit 0",
      },
    ],
  },
  faulty: [1],
  taken: {
    model: "gpt-5.2",
    store: false,
    input: [
      {
        type: "message",
        role: "user",
        content: [
          {
            type: "input_text",
            text: "go",
          },
        ],
      },
      {
        type: "function_call",
        call_id: "call_1",
        name: "exec",
        arguments: "{}",
        id: "fc_1",
      },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: "exit 0",
      },
    ],
  },
} satisfies Card;
