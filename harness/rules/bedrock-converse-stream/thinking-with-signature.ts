import type { Card } from "../card.ts";

export default {
  api: "bedrock-converse-stream",
  rule: "invalid_block",
  what: "Reasoning with a signature",
  heals: "the signature is left out",
  where: "all but Claude",
  error: "This model doesn't support the reasoningContent.reasoningText.signature field",
  problem: "thinking",
  sources: [
    {
      report: "earendil-works/pi#686",
    },
    {
      report: "strands-agents/harness-sdk#682",
    },
  ],
  target: {
    host: "bedrock-runtime.amazonaws.com",
    model: "us.amazon.nova-pro-v1:0",
  },
  elsewhere: {
    host: "bedrock-runtime.amazonaws.com",
    model: "us.anthropic.claude-opus-4-5-20251101-v1:0",
  },
  refused: {
    modelId: "us.amazon.nova-pro-v1:0",
    messages: [
      {
        role: "user",
        content: [
          {
            text: "go",
          },
        ],
      },
      {
        role: "assistant",
        content: [
          {
            reasoningContent: {
              reasoningText: {
                text: "hm",
                signature:
                  "EqoBCkgIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8/FcoLewocJQPa2HnmLM+NECy50y44F/kD4SULFXi57buI9fAvyBwtyjlOiO0SDE3+r3spdg6PLOo9PBoMma2ku5OTAoR46j9VIjDRlvNmBvff7YW4WI9oU8XagaOBSxLPxElrhyuxppEn7m6bfT40dqBSTDrfiw4FYB4qEPETTI6TA6wtjGAAqmFqKTo=",
              },
            },
          },
          {
            text: "ok",
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            text: "and?",
          },
        ],
      },
    ],
  },
  faulty: [1],
  taken: {
    modelId: "us.amazon.nova-pro-v1:0",
    messages: [
      {
        role: "user",
        content: [
          {
            text: "go",
          },
        ],
      },
      {
        role: "assistant",
        content: [
          {
            reasoningContent: {
              reasoningText: {
                text: "hm",
              },
            },
          },
          {
            text: "ok",
          },
        ],
      },
      {
        role: "user",
        content: [
          {
            text: "and?",
          },
        ],
      },
    ],
  },
} satisfies Card;
