import type { Card } from "../../card.ts";

export default {
  api: "anthropic-messages",
  rule: "tool_use_order",
  what: "A client's call before a text in one message",
  heals: "the call is moved to the end",
  where: "Claude",
  error: "`tool_use` ids were found without `tool_result` blocks immediately after",
  problem: "tool_pairing",
  sources: [
    {
      recording:
        "anomalyco/opencode: packages/llm/test/fixtures/recordings/anthropic-messages/rejects-malformed-assistant-tool-order-without-patch.json",
    },
  ],
  target: {
    host: "api.anthropic.com",
    model: "claude-opus-4-5",
  },
  elsewhere: {
    host: "api.moonshot.ai",
    model: "kimi-k2",
  },
  refused: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: [
          {
            type: "tool_use",
            id: "toolu_1",
            name: "exec",
            input: {},
          },
          {
            type: "text",
            text: "I look.",
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: "exit 0",
          },
        ],
      },
    ],
  },
  faulty: [0, 1, 2],
  taken: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: [
          {
            type: "text",
            text: "I look.",
          },
          {
            type: "tool_use",
            id: "toolu_1",
            name: "exec",
            input: {},
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: "exit 0",
          },
        ],
      },
    ],
  },
} satisfies Card;
