import type { Saying } from "./saying.ts";

// Refusals of requests that are too large, with their numbers in named groups: `limit` is what is taken; `count` what
// the request had, without the answer; `all` the same with the answer; `output` what was left for the answer; `over`
// how much it was above the limit; `unit` what a limit in bytes counts. Of one table the first that matches counts.

/** An expression that is written in parts. */
function inParts(...parts: readonly RegExp[]): RegExp {
  return new RegExp(parts.map(({ source }) => source).join(""));
}

/** How many tokens a model takes, prompt and answer together. */
export const CONTEXT_SIZE: readonly Saying[] = [
  ["Anthropic", /prompt is too long: (?<count>[\d,]{1,12}) tokens > (?<limit>[\d,]{3,12}) maximum/],
  ["Anthropic", /context limit: (?<count>[\d,]{1,12}) \+ (?<output>[\d,]{1,12}) > (?<limit>[\d,]{3,12})/],
  [
    "OpenAI, vLLM, DeepSeek",
    inParts(
      /context length is (?<limit>[\d,]{3,12}) tokens.{0,60}\((?<count>[\d,]{1,12}) in the messages/,
      /.{0,60}\b(?<output>[\d,]{1,12}) in the completion/,
    ),
  ],
  [
    "OpenRouter",
    inParts(
      /context length is (?<limit>[\d,]{3,12}) tokens.{0,40}about (?<all>[\d,]{1,12}) tokens/,
      / \(.{0,90}\b(?<output>[\d,]{1,12}) in the output/,
    ),
  ],
  [
    "vLLM",
    inParts(
      /context length is (?<limit>[\d,]{3,12}) tokens.{0,40}requested (?<output>[\d,]{1,12}) output tokens/,
      /.{0,40}at least (?<count>[\d,]{1,12}) input tokens/,
    ),
  ],
  ["vLLM", /context length is (?<limit>[\d,]{3,12}) tokens.{0,40}request has (?<count>[\d,]{1,12}) input tokens/],
  [
    "OpenAI, OpenRouter",
    inParts(
      /context length is (?<limit>[\d,]{3,12}) tokens.{0,40}(?:resulted in|requested)/,
      / (?:about )?(?<count>[\d,]{1,12}) tokens/,
    ),
  ],
  ["OpenAI, vLLM", /maximum context length (?:is|of) (?<limit>[\d,]{3,12}) tokens/],
  [
    "OpenAI, of an organization",
    /configured limit of (?<limit>[\d,]{3,12}) tokens.{0,40}resulted in (?<count>[\d,]{1,12}) tokens/,
  ],
  [
    "Gemini",
    /token count \(?(?<count>[\d,]{1,12})\)? exceeds the maximum number of tokens allowed \(?(?<limit>[\d,]{3,12})/,
  ],
  ["Gemini", /maximum number of tokens allowed ?\(?(?<limit>[\d,]{3,12})/],
  [
    "llama.cpp",
    /request \((?<count>[\d,]{1,12}) tokens\) exceeds the available context size \((?<limit>[\d,]{3,12}) tokens/,
  ],
  ["llama.cpp", /available context size \(?(?<limit>[\d,]{3,12}) tokens/],
  ["llama.cpp", /n_prompt_tokens: ?(?<count>\d{1,12}), ?n_ctx: ?(?<limit>\d{3,12})/],
  ["vLLM", /prompt \(length (?<count>[\d,]{1,12})\).{0,40}maximum model length of (?<limit>[\d,]{3,12})/],
  ["vLLM", /maximum model length (?:of|is) (?<limit>[\d,]{3,12})/],
  ["xAI", /maximum prompt length is (?<limit>[\d,]{3,12})(?: but the request contains (?<count>[\d,]{1,12}) tokens)?/],
  ["GitHub Copilot", /prompt token count of (?<count>[\d,]{1,12}) exceeds the limit of (?<limit>[\d,]{3,12})/],
  ["DashScope", /range of input length should be \[\d{1,3}, ?(?<limit>[\d,]{3,12})\]/],
  [
    "Mistral",
    /prompt contains (?<count>[\d,]{1,12}) tokens.{0,60}model with (?<limit>[\d,]{3,12}) maximum context length/,
  ],
  ["Moonshot", /model token limit: (?<limit>[\d,]{3,12})(?: ?\(requested: (?<count>[\d,]{1,12})\))?/],
  [
    "LM Studio",
    /keep the first (?<count>[\d,]{1,12}) tokens.{0,80}context length of only (?<limit>[\d,]{3,12}) tokens/,
  ],
  ["Cerebras", /current length is (?<count>[\d,]{1,12}) while limit is (?<limit>[\d,]{3,12})/],
  [
    "Together",
    inParts(
      /max_new_tokens must be <= (?<limit>[\d,]{3,12})\. given: (?<count>[\d,]{1,12})/,
      /(?: inputs tokens and (?<output>[\d,]{1,12}) max_new_tokens)?/,
    ),
  ],
];

/** How many tokens are taken in a minute, where one request has more. */
export const MINUTE_SIZE: readonly Saying[] = [
  ["OpenAI, Groq", /per min(?:ute)? \(tpm\): limit (?<limit>[\d,]{1,12}), requested (?<count>[\d,]{1,12})/],
];

/** How many tokens a request was above a limit that is not named. */
export const OVER_CONTEXT_SIZE: readonly Saying[] = [
  ["Ollama", /max context length by (?<over>[\d,]{1,12}) tokens/],
  ["Cohere", /size limit exceeded by (?<over>[\d,]{1,12}) tokens/],
];

/** How many bytes a body may have. */
export const BODY_SIZE: readonly Saying[] = [
  ["Gemini", /payload size exceeds the limit: (?<limit>\d{1,12}) (?<unit>bytes)/],
  ["Bedrock", /too many total text bytes: (?<count>\d{1,12}) > (?<limit>\d{1,12})/],
  ["Cloudflare", /too large\. maximum allowed(?: is|:) (?<limit>\d{1,12}) ?(?<unit>bytes|[kmg]i?b\b)/],
  ["aiohttp", /maximum request body size (?<limit>\d{1,12}) exceeded, actual body size (?<count>\d{1,12})/],
  ["LiteLLM", /request size is (?<count>[\d.]{1,9}) (?<unit>mb)\. max size is (?<limit>[\d.]{1,9}) mb/],
  ["Claude Code", /request too large \(max (?<limit>\d{1,5}) ?(?<unit>[kmg]i?b)\)/],
  ["Anthropic", /request[_ ]exceeds the maximum size|request_too_large/],
  [
    "Cloudflare, nginx, Express",
    /request[_ ](?:entity[_ ]|body )?(?:is )?too[_ ]large(?! for)|payload[_ ]?too[_ ]?large|payload size exceeds/,
  ],
];

/** How many messages, or items, a request may have. */
export const LIST_SIZE: readonly Saying[] = [
  [
    "OpenAI",
    inParts(
      /(?:messages|input): array too long\. expected an array with maximum length (?<limit>\d{1,12})/,
      /(?:, but got an array with length (?<count>\d{1,12}))?/,
    ),
  ],
];

/** How many characters one text may have. */
export const TEXT_SIZE: readonly Saying[] = [
  [
    "OpenAI",
    inParts(
      /string too long\. expected a string with maximum length (?<limit>\d{1,12})/,
      /(?:, but got a string with length (?<count>\d{1,12}))?/,
    ),
  ],
];
