import type { Card } from "../card.ts";

export default {
  api: "openai-responses",
  rule: "unexpected_output",
  what: "An output without its call before it, unless an `item_reference` may stand for it",
  heals: "it gets a placeholder call",
  error: "No tool call found for function call output",
  problem: "tool_pairing",
  sources: [
    {
      report: "openclaw/openclaw#24649",
    },
    {
      report: "continuedev/continue#10092",
    },
    {
      report: "can1357/oh-my-pi#106",
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
        type: "function_call_output",
        call_id: "call_1",
        output: "exit 0",
      },
      {
        type: "message",
        role: "user",
        content: [
          {
            type: "input_text",
            text: "and?",
          },
        ],
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
      },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: "exit 0",
      },
    ],
  },
} satisfies Card;
