import type { Card } from "../card.ts";

export default {
  api: "openai-responses",
  rule: "invalid_item",
  what: "A call without an id",
  heals: "call and output get one",
  error: "call_id': empty string",
  problem: "tool_id",
  sources: [
    {
      report: "openclaw/openclaw#27178",
    },
  ],
  target: {
    host: "api.openai.com",
    model: "gpt-5.2",
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
        call_id: "",
        name: "exec",
        arguments: "{}",
      },
      {
        type: "function_call_output",
        call_id: "",
        output: "exit 0",
      },
    ],
  },
  faulty: [1, 2],
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
      },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: "exit 0",
      },
    ],
  },
} satisfies Card;
