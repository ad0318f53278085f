import type { Saying } from "./saying.ts";

// Refusals that are about what a route can do, not about a fault of the history.

/** The route takes no pictures: the history is refused for those in it, whatever the status. */
export const NO_PICTURES: readonly Saying[] = [
  ["Ollama, LM Studio, Bedrock", /\bdo(?:es)?(?: ?not|nt) support (?:the )?(?:images?\b|vision)/],
  ["OpenRouter", /no endpoints found that support image input/],
  ["gateways", /no active provider for this model supports image/],
  ["GitHub Copilot", /not supported for vision|image blocks are not supported/],
  ["DeepSeek", /unknown variant image_url, expected text/],
  ["llama.cpp", /image input (?:is )?not supported|\bmmproj\b|unsupported content part type: image_url/],
  ["llama.cpp", /not compiled for multimodal|can only concatenate str \(not list\) to str/],
  ["DashScope, Qwen's template", /unexpected item type in content/],
  ["vLLM", /at most 0 images?(?:\(s\))? may be provided|is not a multimodal model/],
  ["vLLM, Gemini", /image input (?:modality )?is not enabled/],
  ["OpenAI", /image_url is only supported by certain models/],
  ["LiteLLM", /image_url is not supported by this model|unsupported content type: image_url/],
  ["MLX", /is not a vlm\b/],
  ["xAI", /do(?:es)? not accept image|image inputs are not supported/],
  ["Azure", /only messages with type=text are supported/],
  ["Z.ai", /不支持图片|messages\.content\.type (?:is invalid|参数非法)/],
];

/** Servers that want text where OpenClaw sends a list, for the sake of a picture or of its own accord. */
export const TEXT_ONLY: readonly Saying[] = [
  ["vLLM, LM Studio", /\bcontent\]? must be a string|input should be a valid string: messages/],
  ["Ollama", /input should be a valid string \(ref: |cannot unmarshal array into .{0,80}\bcontent of type string/],
];

/** Servers that overlook a question that stands in a list of parts. */
export const NO_TEXT_PARTS: readonly Saying[] = [["Qwen's template", /no user query found/]];

/** What a route does not take of pictures and of the lists that hold them. */
export const NO_MEDIA: readonly Saying[] = [...NO_PICTURES, ...TEXT_ONLY];

/** The route takes no documents. */
export const NO_DOCUMENTS: readonly Saying[] = [
  ["Anthropic, Bedrock", /\bdo(?:es)?(?: ?not|nt) support (?:pdf|documents?|file content)/],
  ["OpenRouter", /no endpoints found that support (?:file|pdf)/],
  ["DashScope", /invalid value: (?:file|input_file)\. supported values are: text\b/],
];

/** The endpoint does not know the role of the system prompt: it has another name there. */
export const NO_DEVELOPER_ROLE: readonly Saying[] = [
  ["OpenAI", /does not support developer\b/],
  ["DeepSeek", /unknown variant developer\b/],
  ["DashScope", /\bdeveloper is not one of|invalid msg role: developer/],
  ["Cerebras", /input tag developer found using role/],
];

/** The endpoint takes no system prompt: no form of the history changes that. */
export const NO_SYSTEM_ROLE: readonly Saying[] = [
  ["OpenAI", /messages\[0\]\.role does not support system\b/],
  ["Gemma, vLLM", /system role (?:is )?not supported|roles are supported, got system/],
  ["Gemini", /developer instruction is not enabled/],
  ["OpenAI proxies", /system messages are not allowed/],
];

/** The role of a system prompt is refused, by its name or whatever its name is. */
export const NO_PROMPT_ROLE: readonly Saying[] = [...NO_DEVELOPER_ROLE, ...NO_SYSTEM_ROLE];

/** The last message has to be the user's. */
export const USER_LAST: readonly Saying[] = [
  ["Anthropic", /assistant message prefill|conversation must end with a user message/],
  ["Mistral", /expected last role user/],
];
