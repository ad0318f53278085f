import type { Card } from "../../card.ts";

export default {
  api: "anthropic-messages",
  rule: "invalid_block",
  what: "A picture whose bytes are text, such as an error page under the name of a picture",
  heals: "its text is sent, said to be one",
  where: "Claude",
  error: "Could not process image",
  problem: "image",
  sources: [
    {
      report: "anthropics/claude-code#15004",
    },
    {
      report: "anthropics/claude-code#37111",
    },
    {
      report: "anthropics/claude-code#53228",
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
        content: [
          {
            type: "text",
            text: "look",
          },
          {
            type: "image",
            source: {
              type: "base64",
              media_type: "image/png",
              data: "PCFkb2N0eXBlIGh0bWw+PHRpdGxlPlBsZWFzZSBsb2cgaW48L3RpdGxlPg==",
            },
          },
        ],
      },
    ],
  },
  faulty: [0],
  taken: {
    model: "claude-opus-4-5",
    max_tokens: 100,
    messages: [
      {
        role: "user",
        content: [
          {
            type: "text",
            text: "look",
          },
          {
            type: "image",
            source: {
              type: "base64",
              media_type: "image/png",
              data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
            },
          },
        ],
      },
    ],
  },
  mustReach: ["Please log in"],
} satisfies Card;
