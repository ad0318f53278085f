import type { Saying } from "./saying.ts";

/** The request as a whole is too long. */
export const SIZE: readonly Saying[] = [
  ["Anthropic, Bedrock", /prompt (?:is )?too long|input (?:is )?too long|context limit/],
  ["Anthropic", /request[_ ]exceeds the maximum size/],
  ["OpenAI", /context[_ ]?(?:length|window)|reduce the length|(?:messages|input): array too long/],
  ["OpenAI", /\b(?:output|content|text|arguments): string too long/],
  ["Gemini", /exceed(?:s|ed)? .{0,60}(?:number of tokens|token limit|tokens? allowed)/],
  ["Gemini", /request payload size exceeds|more images than the limit/],
  ["Bedrock", /too many total text bytes|number of input tokens exceeds|input tokens exceeded/],
  ["llama.cpp", /exceed_context_size|(?:available|maximum) context size|context size has been exceeded/],
  ["vLLM", /longer than the maximum model length/],
  ["xAI", /maximum prompt length/],
  ["Z.ai", /prompt exceeds max length/],
  ["GitHub Copilot", /prompt token count of \d{1,12} exceeds/],
  ["Together", /\bmax_new_tokens must be/],
  ["Cohere", /too many tokens: size limit exceeded/],
  ["Perplexity", /total length of all messages is too long/],
  ["DashScope", /range of input length/],
  ["LiteLLM", /request size is [\d.]{1,9} mb\. max size is/],
  ["aiohttp", /maximum request body size \d{1,12} exceeded/],
  ["Cloudflare, nginx, Express", /request[_ ](?:entity[_ ]|body )?(?:is )?too[_ ]large|payload too large/],
];

/** One request that is above what is allowed in a minute: no later time takes it. */
export const TOO_LARGE_FOR_A_MINUTE: readonly Saying[] = [["OpenAI, Groq", /request too large for .{0,200}per min/]];

/** A single id or name that is too long; one wrapper reports that as a full context window. */
export const LONG_FIELD = /\b(?:id|call_id|name): string too long/;
