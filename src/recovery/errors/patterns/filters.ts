import type { FilteredPart } from "../../failure.ts";
import type { Subject } from "./saying.ts";

/**
 * What content filters say, and what a model's own refusal looks like, by what was stopped; the first subject that
 * matches counts. Texts come in lower case and without quotes (`Saying`): `openais` is "OpenAI's".
 */
export const FILTERS: readonly Subject<FilteredPart>[] = [
  [
    "prompt",
    [
      ["Azure", /due to the prompt triggering/],
      ["OpenAI, Gemini, OpenRouter", /prompt (?:was |is |has been )?(?:blocked|flagged)/],
    ],
  ],
  [
    "refusal",
    [
      ["OpenClaw, Anthropic", /\banthropic refusal(?: \(category|[:.])/],
      ["Anthropic", /(?:finish|incomplete|stop)[_ ]reason:? ?refusal/],
    ],
  ],
  [
    "answer",
    [
      ["Anthropic, Bedrock", /output blocked by content filter/],
      ["DashScope", /output (?:text |image )?data may contain inappropriate/],
      ["MiniMax", /output new_sensitive/],
      [
        "OpenClaw, Gemini",
        /google generation stopped \((?:safety|recitation|blocklist|prohibited_content|spii|image_safety)\)/,
      ],
      ["several", /(?:finish|incomplete|stop)[_ ]reason:? ?content[_-]filter/],
      ["Gemini", /(?:finish|incomplete|stop)[_ ]reason:? ?(?:safety|recitation|prohibited_content|blocklist|spii)/],
      ["Anthropic, Z.ai", /(?:finish|incomplete|stop)[_ ]reason:? ?sensitive/],
      ["Bedrock", /(?:finish|incomplete|stop)[_ ]reason:? ?guardrail/],
    ],
  ],
  [
    "prompt",
    [
      ["OpenRouter", /input (?:was|is) flagged|prompt injection patterns detected/],
      ["DashScope", /input (?:text |image )?data may contain inappropriate/],
      ["MiniMax", /input new_sensitive/],
      ["DeepSeek", /content exists risk/],
      ["Moonshot", /considered high risk/],
      ["xAI", /content violates usage guidelines/],
      ["OpenAI, Anthropic", /violat\w{1,4} (?:our |the |openais? )?(?:usage|content) polic/],
      ["OpenAI", /flagged for possible/],
    ],
  ],
  [
    "unknown",
    [
      ["several", /\bcontent[_-]?filter(?:ed|ing)?\b/],
      ["OpenAI, LiteLLM", /content_?policy_?violation/],
      ["OpenAI", /safety system/],
      ["Gemini", /prohibited_content/],
      ["Z.ai", /sensitive content|敏感内容/],
    ],
  ],
];

/** The whole text with which early releases of OpenClaw report a refusal, a content filter and Gemini's SAFETY. */
export const UNEXPLAINED_REFUSAL = /^an unknown error occurred\.?$/;
