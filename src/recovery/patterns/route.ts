import type { Saying } from "./saying.ts";

// Refusals that are about what a route can do, not about a fault of the history. Matched like the patterns of
// elsewhere.ts.

/** The route takes no pictures: the history is refused for those in it, whatever the status. */
export const NO_MEDIA: readonly Saying[] = [
  ["Ollama, LM Studio, Bedrock", /\bdo(?:es)?(?: ?not|nt) support (?:the )?(?:images?\b|vision)/],
  ["OpenRouter", /no endpoints found that support image input/],
  ["GitHub Copilot", /not supported for vision|image blocks are not supported/],
  ["DeepSeek", /unknown variant image_url, expected text/],
  ["llama.cpp", /image input (?:is )?not supported|\bmmproj\b/],
  ["vLLM", /at most 0 images?(?:\(s\))? may be provided|is not a multimodal model/],
  ["vLLM, Gemini", /image input (?:modality )?is not enabled/],
  ["OpenAI", /image_url is only supported by certain models/],
  ["LiteLLM", /image_url is not supported by this model|unsupported content type: image_url/],
  ["MLX", /is not a vlm\b/],
  ["xAI", /do(?:es)? not accept image/],
  ["Z.ai", /不支持图片/],
  // These want text where OpenClaw sends a list for the sake of a picture.
  ["vLLM, LM Studio", /\bcontent\]? must be a string|input should be a valid string: messages/],
];

/** The endpoint does not take the role of the system prompt: no form of the history changes that. */
export const NO_SYSTEM_ROLE: readonly Saying[] = [
  ["OpenAI", /does not support developer\b/],
  ["DeepSeek", /unknown variant developer\b/],
  ["DashScope", /\bdeveloper is not one of|invalid msg role: developer/],
  ["Cerebras", /input tag developer found using role/],
  ["Gemma, vLLM", /system role (?:is )?not supported|roles are supported, got system/],
  ["OpenAI proxies", /system messages are not allowed/],
];
