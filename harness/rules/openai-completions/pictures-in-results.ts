import type { Card } from "../card.ts";

export default {
  api: "openai-completions",
  rule: "invalid_message",
  what: "A picture in the result of a tool",
  heals: "it is sent behind the results, in a message of the user",
  where: "OpenAI and Mistral",
  error:
    "Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL",
  problem: "block_form",
  sources: [
    {
      report: "OpenHands/OpenHands#7700",
    },
  ],
  target: {
    host: "api.openai.com",
    model: "gpt-5.2",
  },
  elsewhere: {
    host: "openrouter.ai",
    model: "anthropic/claude-opus-4.5",
  },
  refused: {
    model: "gpt-5.2",
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: {
              name: "exec",
              arguments: "{}",
            },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "call_1",
        content: [
          {
            type: "image_url",
            image_url: {
              url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
            },
          },
        ],
      },
    ],
  },
  faulty: [2],
  taken: {
    model: "gpt-5.2",
    messages: [
      {
        role: "user",
        content: "go",
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: {
              name: "exec",
              arguments: "{}",
            },
          },
        ],
      },
      {
        role: "tool",
        tool_call_id: "call_1",
        content: "exit 0",
      },
    ],
  },
} satisfies Card;
