import type { Card } from "../card.ts";

export default {
  api: "openai-responses",
  rule: "missing_output",
  what: "A call without an output of its type",
  heals: "an output of the call's type says that the outcome is unknown",
  error: "No tool output found for",
  problem: "tool_pairing",
  sources: [
    {
      report: "router-for-me/CLIProxyAPI#2368",
    },
    {
      report: "openai/openai-agents-python#1855",
    },
    {
      report: "diegosouzapw/OmniRoute#8946",
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
