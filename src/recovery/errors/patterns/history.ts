import type { HistoryProblem } from "../../failure.ts";
import type { Saying, Subject } from "./saying.ts";

/**
 * Sentences with which providers report a broken rule on the history. The first match counts, and the order matters:
 * errors on thinking and ids may mention calls and results too.
 */
export const SENTENCES: readonly Subject<HistoryProblem>[] = [
  [
    "thinking",
    [
      ["Anthropic", /signature in thinking block|expected thinking or redacted_thinking/],
      ["Anthropic", /(?:thinking|redacted_thinking) blocks in the latest/],
      ["Anthropic", /thinking or redacted_thinking blocks, the blocks must match/],
      ["Anthropic", /final block in an assistant message cannot be (?:redacted_)?thinking/],
      ["DeepSeek, Moonshot, Cerebras", /reasoning_content/],
      ["Gemini", /thought[_ ]?signature/],
      ["OpenAI", /required (?:following item|reasoning item)|encrypted[_ ]content|items are not persisted/],
      ["Bedrock", /reasoningcontent\./],
      ["gpt-oss' template", /both content and thinking/],
    ],
  ],
  [
    "too_many_images",
    [
      ["vLLM, OpenRouter", /at most \d{1,4} images?/],
      ["Anthropic, Bedrock", /too many images/],
      ["Anthropic", /\bpdf pages may be provided|too much media: /],
      ["Meta, SGLang", /request contains \d{1,6} images?, exceeding|image count \d{1,6} exceeds limit/],
    ],
  ],
  [
    "image",
    [
      ["Anthropic", /image exceeds|image dimensions|could not process image|pdf specified was not valid/],
      ["OpenAI", /unsupported image|does not represent a valid image|file type you uploaded is not supported/],
      ["OpenAI", /(?:error|timeout) while downloading/],
      ["Bedrock", /doesnt support the (?:video|audio|document|s3uri)\b/],
      ["Ollama", /invalid image input/],
      ["Gemini", /unable to process input image|provided image is (?:not valid|invalid)/],
      ["Gemini", /unsupported mime type: (?:image|audio|video|application)\//],
      ["Vertex", /cannot fetch content from the provided url/],
      ["DashScope", /image length and width do not meet|failed to download multimodal content/],
      ["xAI", /image must have at least/],
      ["GitHub Copilot", /attached image or document is too large/],
      ["Z.ai", /图片输入格式/],
    ],
  ],
  [
    "tool_id",
    [
      ["Anthropic", /tool_use ids must be unique/],
      ["OpenAI", /duplicate (?:value for )?tool_call_?id|duplicate (?:function[ _]call|item|tool)/],
      ["OpenAI", /input item id does not belong/],
      ["Bedrock", /contain duplicate ids/],
      ["Mistral, MiniMax", /tool call id (?:was|is) (?!not found)/],
      ["Mistral", /tool call id has to be defined/],
    ],
  ],
  [
    "tool_pairing",
    [
      ["Anthropic", /unexpected tool_use_id|tool_use ids were found|must have a corresponding/],
      ["Anthropic", /must have a single result|was found without a corresponding/],
      ["several", /role (?:of )?tool must be a response|must be followed by (?:a )?tool (?:messages?|responses?)/],
      ["OpenAI, Moonshot", /tool_call_?ids? .{0,80}not (?:found|have response)/],
      ["DeepSeek", /insufficient tool messages/],
      ["OpenAI, DeepSeek", /no tool (?:call|output) found|tool call output is missing/],
      ["Gemini", /number of function response parts|function (?:call|response) turn comes immediately/],
      ["Gemini", /functionresponse\.id does not match/],
      ["Bedrock", /number of tool_?result blocks|expected toolresult blocks/],
      ["Bedrock", /tool (?:use|result) blocks cannot be provided in the same turn/],
      ["Mistral", /number of function calls and responses/],
      ["MiniMax", /tool results? tool id ?\(|tool (?:call )?results? does not follow/],
      ["Ollama", /mismatch between tool calls and tool results/],
      ["OpenClaw", /invalid_replay_transcript/],
    ],
  ],
  [
    "tool_fields",
    [
      ["MiniMax", /invalid function arguments/],
      ["Ollama", /invalid tool call arguments|tool_calls\.function/],
      ["DashScope", /function\.arguments parameter/],
      ["llama.cpp", /failed to parse tool call arguments|\btool_call\.arguments\b/],
    ],
  ],
  [
    "empty_content",
    [
      ["Anthropic", /non-?empty content|text content blocks must|content cannot be empty/],
      ["Anthropic", /at least one message is required/],
      ["Moonshot, Gemini", /must not be empty/],
      ["Bedrock", /(?:content|text|messages) field .{0,80}(?:is empty|is blank)/],
      ["xAI", /at least one (?:content element|non-empty)/],
      ["Gemini", /at least one (?:contents field|parts? )|should have at least one part/],
      ["Gemini", /contents is not specified|required oneof field/],
      ["Mistral", /either content or tool_calls/],
      ["Cohere", /message must be at least 1 token long|elements in history must have a message/],
      ["DashScope", /content field is a required field|content length must be greater than 0/],
      ["OpenAI", /expected a string, got null|(?:messages|input|contents): empty array/],
    ],
  ],
  [
    "role_order",
    [
      ["several", /roles must alternate|must (?:start|begin|end) with a user/],
      ["Perplexity", /roles should be alternating|last message must/],
      ["Bedrock", /must alternate between/],
      ["Z.ai", /incorrect role information|角色信息不正确/],
      ["several", /unexpected (?:message )?role/],
      ["Anthropic", /first message must|assistant message prefill|final assistant content cannot/],
      ["Mistral", /expected last role/],
      ["Gemini", /multiturn requests|use a valid role/],
      ["pi-ai, MiniMax", /(?:unknown|invalid) message role/],
      ["DashScope", /do not contain elements with the role of user/],
      ["Qwen's template", /system message must be|no user query found/],
      ["OpenAI", /supported values are: (?:system|developer|user|assistant|tool)\b/],
    ],
  ],
  [
    "block_form",
    [
      ["pi-ai", /unknown (?:user|assistant) content type/],
      ["Anthropic", /body is not valid json/],
      ["OpenAI", /could not parse the json body/],
      [
        "OpenAI",
        /supported values are: (?:text|input_text|output_text|summary_text|message|function_call|image_url)\b/,
      ],
      ["Gemini, Bedrock", /invalid utf-8/],
      ["Gemini", /message too deep/],
      ["vLLM", /unsupported chat content part type|type field in multimodal part/],
      ["Bedrock", /exactly one of the following keys/],
      ["xAI", /single text element per message/],
    ],
  ],
  [
    "unspecified",
    [
      ["Z.ai", /messages? parameter is illegal|messages 参数非法/],
      ["Bedrock", /toolconfig field must be defined when using tooluse/],
      ["Anthropic", /(?:^|\| |invalid |\b4\d\d )(?:messages|contents): /],
      ["LiteLLM", /support tool calling without tools= param/],
      [
        "OpenAI, Gemini",
        /(?:value at|type for|parameter:) (?:messages|input|contents)\b(?![.[]| must contain the word)/,
      ],
    ],
  ],
];

/** The problem by the field that a path names; matched against the path as it stands. */
export const FIELDS: readonly Subject<HistoryProblem>[] = [
  [
    "thinking",
    [
      ["Anthropic", /\b(?:thinking|redacted_thinking|signature)\b/i],
      ["Gemini", /\bthought_?signature\b/i],
      ["OpenAI, DeepSeek, Bedrock", /\b(?:reasoning\w*|encrypted_content|summary)\b/i],
    ],
  ],
  [
    "image",
    [
      ["Anthropic, Bedrock", /\b(?:image|document|source|media_type)\b/i],
      ["OpenAI", /\b(?:image_url|file_data|input_image|input_file|input_audio)\b/i],
      ["Gemini", /\b(?:inline_?data|file_?data|mime_type)\b/i],
    ],
  ],
  ["tool_id", [["several", /\b(?:tool_?use_?id|tool_?call_?id|call_id|toolUseId|id)$/i]]],
  [
    "tool_fields",
    [
      ["Anthropic", /\b(?:tool_use|tool_result)\b/i],
      ["Bedrock", /\b(?:toolUse|toolResult)\b/i],
      ["OpenAI", /\b(?:tool_calls|function|arguments|name)\b/i],
      ["Gemini", /\b(?:function_call|function_response|functionCall|functionResponse|args)\b/i],
    ],
  ],
  ["role_order", [["several", /\brole$/i]]],
];

/** Refusals that local servers report with status 500, as if they had failed: most are of a model's chat template. */
export const REFUSED_AS_FAILURE: readonly Saying[] = [
  ["llama.cpp, LM Studio", /jinja|raise_exception/],
  ["llama.cpp", /conversation roles must alternate|failed to parse (?:messages: |tool call arguments)/],
  ["llama.cpp", /\bat row \d{1,6}, column \d|while executing \w{1,40} at line \d{1,6}, column \d/],
  ["Qwen's server", /unsupported param: /],
];
