import type { Card } from "../card.ts";

export default {
  api: "openai-responses",
  rule: "duplicate_call_id",
  what: "Two calls with the same id",
  heals: "the second call and its output get another id",
  error: "Duplicate function",
  problem: "tool_id",
  sources: [
    {
      report: "NousResearch/hermes-agent#102629",
      says: "Duplicate function_call_output for call_id 'terminal:0'. Each function_call must have exactly one matching function_call_output",
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
        call_id: "call_1",
        name: "exec",
        arguments: "{}",
      },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: "exit 0",
      },
      {
        type: "function_call",
        call_id: "call_1",
        name: "read",
        arguments: "{}",
      },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: "exit 1",
      },
    ],
  },
  faulty: [1, 2, 3, 4],
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
