import type { Card } from "../card.ts";

export default {
  api: "openai-responses",
  rule: "output_place",
  what: "Anything between calls and their outputs",
  heals: "what stands between comes before the calls, or behind the outputs",
  where: "DeepSeek",
  error: "No tool output found for tool call",
  problem: "tool_pairing",
  sources: [
    {
      recorded: 189,
    },
    {
      report: "deepseek-ai/DeepSeek-V3#1588",
    },
    {
      report: "deepseek-ai/awesome-deepseek-integration#740",
    },
    {
      report: "yetone/alma-releases#81",
    },
  ],
  target: {
    host: "api.deepseek.com",
    model: "deepseek-v4-pro",
  },
  elsewhere: {
    host: "api.openai.com",
    model: "gpt-5.2",
  },
  refused: {
    model: "deepseek-v4-pro",
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
        role: "developer",
        content: [
          {
            type: "input_text",
            text: "hook",
          },
        ],
      },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: "exit 0",
      },
    ],
  },
  faulty: [1, 2, 3],
  taken: {
    model: "deepseek-v4-pro",
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
        type: "function_call",
        call_id: "call_2",
        name: "exec",
        arguments: "{}",
      },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: "exit 0",
      },
      {
        type: "function_call_output",
        call_id: "call_2",
        output: "exit 0",
      },
    ],
  },
} satisfies Card;
