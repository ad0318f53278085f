import { anthropicError, geminiError, openAiError, type FailureText } from "./failure-text.ts";

/** Refusals of a history for the pictures in it: the route takes none, or not such. */
export const PICTURES: readonly FailureText[] = [
  ["openclaw#132050, Ollama", openAiError("this model does not support image input (ref: b1feda6a)"), "history media"],
  ["ollama#17301", anthropicError("this model does not support image input (ref: b8bd630e)"), "history media"],
  [
    "openclaw#99078, OpenRouter",
    `404 ${JSON.stringify({ error: { message: "No endpoints found that support image input", code: 404 } })}`,
    "history media",
  ],
  ["OpenRouter, words only", "404 No endpoints found that support image input", "history media"],
  ["LM Studio", '400 {"error":"Model does not support images. Please use a model that does."}', "history media"],
  ["openclaw#4607, Copilot", '400 model "claude-opus-4.5" not supported for vision', "history media"],
  ["Copilot", "400 User message image blocks are not supported for OpenAI chat conversion", "history media"],
  [
    "openclaw#9815, DeepSeek",
    openAiError(
      "Failed to deserialize the JSON body into the target type: messages[4]: unknown variant `image_url`, expected `text` at line 1 column 24254",
    ),
    "history media @4",
  ],
  [
    "openclaw#65165, llama.cpp",
    `500 ${JSON.stringify({ error: { code: 500, message: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", type: "server_error" } })}`,
    "history media",
  ],
  ["vLLM", openAiError("At most 0 image(s) may be provided in one prompt."), "history media"],
  ["vLLM", openAiError("/models/glm is not a multimodal model"), "history media"],
  ["vLLM", "400 Image input is not enabled for this model", "history media"],
  ["Gemini", geminiError("Image input modality is not enabled for models/gemma-3-1b-it"), "history media"],
  [
    "OpenAI",
    openAiError(
      "Invalid content type. image_url is only supported by certain models.",
      "messages.[0].content.[1].type",
      "invalid_value",
    ),
    "history media @0.1",
  ],
  ["LiteLLM", "400 messages.1.content.1: image_url is not supported by this model", "history media @1.1"],
  [
    "Anthropic",
    anthropicError("messages.1.content.1: 'claude-3-5-haiku-20241022' does not support image input."),
    "history media @1.1",
  ],
  [
    "Bedrock",
    "ValidationException: This model doesn't support the image content block that you provided in message 2.",
    "history media",
  ],
  ["Groq", "400 This model does not support vision", "history media"],
  ["xAI", "400 model does not accept image content", "history media"],
  ["LiteLLM", "400 Unsupported content type: image_url", "history media"],
  ["MLX", "400 The model is not a VLM and cannot be prompted with images", "history media"],
  ["Z.ai", "400 该模型不支持图片输入", "history media"],
  ["vLLM", "422 Input should be a valid string: messages[3].content", "history media @3"],
  ["LM Studio", "400 'messages.4.content' must be a string", "history media @4"],
  ["Groq", "400 messages[2].content must be a string", "history media @2"],
  [
    "DashScope",
    "400 The image length and width do not meet the model restrictions. [height:1 or width:1 must be larger than 10]",
    "history image",
  ],
  ["xAI", "400 Image must have at least 512 total pixels. Got 1x1 = 1 pixels.", "history image"],
  [
    "Copilot",
    "400 The attached image or document is too large to send natively through CAPI Responses. (9.1 MB request; 5.0 MB limit)",
    "history image",
  ],
];

/** Refusals by an endpoint, or by its chat template, of the system prompt's role, and of an order of roles. */
export const ROLES: readonly FailureText[] = [
  [
    "OpenAI",
    openAiError(
      "Unsupported value: 'messages[0].role' does not support 'developer' with this model.",
      "messages[0].role",
      "unsupported_value",
    ),
    "other",
  ],
  [
    "openclaw#5704, DeepSeek",
    "400 messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`",
    "other",
  ],
  [
    "openclaw#27037, DashScope",
    openAiError(
      "developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.['0].role'",
      null,
      "invalid_parameter_error",
    ),
    "other",
  ],
  ["openclaw#28732, DashScope", openAiError("invalid msg role: developer"), "other"],
  [
    "openclaw#11490, Cerebras",
    `400 ${JSON.stringify({ message: "body.messages.0: Input tag 'developer' found using 'role' does not match any of the expected tags: 'system', 'user', 'assistant', 'tool'", type: "invalid_request_error", param: "validation_error", code: "wrong_api_format" })}`,
    "other",
  ],
  ["openclaw#101459", openAiError("System messages are not allowed"), "other"],
  ["Gemma", "400 System role not supported", "other"],
  ["Mistral's template", "400 Only user, assistant and tool roles are supported, got system.", "other"],
  ["openclaw#23115, Zhipu", '400 {"error":{"code":"1214","message":"角色信息不正确"}}', "history role_order"],
  ["pi", openAiError("chat template rejected the request: Unexpected message role."), "history role_order"],
  [
    "opencode#5034, llama.cpp",
    `500 ${JSON.stringify({ error: { code: 500, message: "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results. at row 189, column 164", type: "server_error" } })}`,
    "history role_order",
  ],
];

/** Requests that are too long, in the words of providers whose words are not those of OpenAI or Anthropic. */
export const TOO_LONG_ELSEWHERE: readonly FailureText[] = [
  [
    "OpenAI",
    "400 Invalid 'input[3].output': string too long. Expected a string with maximum length 10485760, but got a string with length 12345678 instead.",
    "size",
  ],
  [
    "OpenAI, for a minute",
    "429 Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 45000.",
    "size",
  ],
  ["Gemini", geminiError("Request payload size exceeds the limit: 20971520 bytes."), "size"],
  ["Vertex", geminiError("The request contains more images than the limit of 3000."), "size"],
  [
    "Bedrock",
    "ValidationException: The model returned the following errors: too many total text bytes: 30000000 > 25000000",
    "size",
  ],
  [
    "Bedrock, Nova",
    "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
    "size",
  ],
  ["Perplexity", "400 The total length of all messages is too long.", "size"],
  ["llama.cpp", "500 the request exceeds the available context size. try increasing the context size", "size"],
  ["llama.cpp", "400 Context size has been exceeded.", "size"],
  ["vLLM", "400 The decoder prompt (length 40000) is longer than the maximum model length of 32768.", "size"],
  ["xAI", "400 This model's maximum prompt length is 131072 but the request contains 537812 tokens.", "size"],
  ["Z.ai", '400 {"error":{"code":"1261","message":"Prompt exceeds max length"}}', "size"],
  ["Copilot", "400 prompt token count of 140000 exceeds the limit of 128000", "size"],
  ["Together", "422 Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000", "size"],
  ["Cohere", "400 too many tokens: size limit exceeded by 1234 tokens. Try using shorter or fewer inputs.", "size"],
  ["Cloudflare", "400 Request body too large. Maximum allowed is 10485760 bytes.", "size"],
];
