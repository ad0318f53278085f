import type { Card } from "../card.ts";
import { call, calls, result, user } from "../build/chat.ts";
import { OPENAI, OPENROUTER } from "../build/hosts.ts";

export default {
  api: "openai-completions",
  rule: "invalid_message",
  what: "A picture in the result of a tool",
  heals: "it is sent behind the results, in a message of the user",
  where: "OpenAI and Mistral",
  error:
    "Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL",
  problem: "block_form",
  sources: [{ report: "OpenHands/OpenHands#7700" }],
  target: OPENAI,
  elsewhere: OPENROUTER,
  refused: [
    user("go"),
    calls(call("call_1")),
    result("call_1", [
      {
        type: "image_url",
        image_url: {
          url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
        },
      },
    ]),
  ],
  faulty: [2],
  taken: [user("go"), calls(call("call_1")), result("call_1")],
} satisfies Card;
