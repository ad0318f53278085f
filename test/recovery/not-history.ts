import { anthropicError, geminiError, openAiError, type FailureText } from "./failure-text.ts";

/** What filters and refusals say. */
export const FILTERED: readonly FailureText[] = [
  ["openclaw#76924", anthropicError("Output blocked by content filtering policy"), "content_filter answer"],
  ["openclaw#5481, inside a stream", "Output blocked by content filtering policy", "content_filter answer"],
  ["openclaw#13645", "Output blocked by content filtering policy\n[object Object]", "content_filter answer"],
  [
    "inside a stream",
    JSON.stringify({
      type: "error",
      error: { details: null, type: "invalid_request_error", message: "Output blocked by content filtering policy" },
    }),
    "content_filter answer",
  ],
  ["pi-ai to early 2026", "An unknown error occurred", "content_filter refusal"],
  ["openclaw 2026.4 to 2026.6", "Unhandled stop reason: refusal", "content_filter refusal"],
  ["openclaw 2026.4 to 2026.6", "Unhandled stop reason: sensitive", "content_filter answer"],
  [
    "openclaw 2026.7",
    "Anthropic refusal (category: cyber): The request looks like an attempt to break into a computer.",
    "content_filter refusal",
  ],
  ["openclaw 2026.7", "Anthropic refusal.", "content_filter refusal"],
  ["openclaw 2026.4", "Provider finish_reason: content_filter", "content_filter answer"],
  ["openclaw 2026.9", "Provider incomplete_reason: content_filter", "content_filter answer"],
  [
    "openclaw 2026.9",
    "Google prompt blocked (PROHIBITED_CONTENT): The prompt was blocked.",
    "content_filter prompt",
    { code: "PROHIBITED_CONTENT", type: "google_prompt_blocked" },
  ],
  ["openclaw 2026.9", "Google prompt blocked (SAFETY)", "content_filter prompt"],
  ["openclaw 2026.9", "Google generation stopped (SAFETY)", "content_filter answer"],
  ["openclaw 2026.9", "Google generation stopped (RECITATION)", "content_filter answer"],
  ["harness/providers", geminiError("The prompt was blocked by the content filter."), "content_filter prompt"],
  [
    "TinyTroupe#85, Azure",
    "Error code: 400 - {'error': {'message': \"The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.\", 'type': None, 'param': 'prompt', 'code': 'content_filter', 'status': 400, 'innererror': {'code': 'ResponsibleAIPolicyViolation', 'content_filter_result': {'jailbreak': {'filtered': True, 'detected': True}}}}}",
    "content_filter prompt",
  ],
  [
    "harness/providers, Azure",
    openAiError(
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
      null,
      "content_filter",
    ),
    "content_filter prompt",
  ],
  ["Azure, code only", "400 The response was filtered", "content_filter unknown", { code: "content_filter" }],
  [
    "litellm#16231, Azure",
    openAiError(
      "litellm.BadRequestError: litellm.ContentPolicyViolationError: litellm.ContentPolicyViolationError: AzureException - The response was filtered due to the prompt triggering Azure OpenAI's content management policy.\nmodel=azure/gpt-4o-new-test. content_policy_fallback=None. fallbacks=None.",
      null,
      "400",
    ),
    "content_filter prompt",
  ],
  [
    "OpenAI",
    openAiError(
      "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.",
      null,
      "invalid_prompt",
    ),
    "content_filter prompt",
  ],
  [
    "kimi-cli#1002",
    "Error code: 400 - {'error': {'code': 400, 'message': 'The request was rejected because it was considered high risk' , 'param': 'prompt', 'type': 'content_filter'}}",
    "content_filter prompt",
  ],
  ["BettaFish#108, DeepSeek", openAiError("Content Exists Risk"), "content_filter prompt"],
  [
    "openclaw#32622, DashScope",
    "400 <400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content.",
    "content_filter prompt",
  ],
  [
    "owl#432, DashScope",
    openAiError(
      "Input data may contain inappropriate content.",
      null,
      "data_inspection_failed",
      "data_inspection_failed",
    ),
    "content_filter prompt",
  ],
  [
    "DashScope",
    openAiError(
      "Output data may contain inappropriate content.",
      null,
      "data_inspection_failed",
      "data_inspection_failed",
    ),
    "content_filter answer",
  ],
  ["DeepSeek-Reasonix#6818, MiniMax", "422 input new_sensitive (1026)", "content_filter prompt"],
  ["MiniMax", "422 output new_sensitive (1027)", "content_filter answer"],
  [
    "GLM 1301",
    `400 ${JSON.stringify({ contentFilter: [{ level: 1, role: "user" }], error: { code: "1301", message: "系统检测到输入或生成内容可能包含不安全或敏感内容，请您避免输入易产生敏感内容的提示语，感谢您的配合。" } })}`,
    "content_filter unknown",
  ],
  [
    "OpenRouter, documented",
    `403 ${JSON.stringify({ error: { code: 403, message: 'anthropic/claude-sonnet-4 requires moderation on OpenRouter. Your input was flagged for "violence". No credits were charged.', metadata: { reasons: ["violence"], flagged_input: "…", provider_name: "Anthropic" } } })}`,
    "content_filter prompt",
  ],
  [
    "xAI",
    `403 ${JSON.stringify({ code: "The caller does not have permission to execute the specified operation", error: "Content violates usage guidelines. Team: 0a, API key ID: 1b, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_BIO" })}`,
    "content_filter prompt",
  ],
  [
    "harness/providers, Bedrock",
    "ValidationException: The model returned the following errors: Output blocked by content filtering policy",
    "content_filter answer",
  ],
  [
    "OpenRouter, Google",
    `400 ${JSON.stringify({ error: { message: "Provider returned error", code: 400, metadata: { raw: JSON.stringify({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }), provider_name: "Google" } } })}`,
    "content_filter unknown",
  ],
  [
    "OpenRouter",
    '403 anthropic/claude-sonnet-4 requires moderation on OpenRouter. Your input was flagged for "violence". No credits were charged.',
    "content_filter prompt",
  ],
  ["OpenRouter, documented", "403 Request blocked: prompt injection patterns detected", "content_filter prompt"],
  ["DashScope, words only", "400 Input text data may contain inappropriate content.", "content_filter prompt"],
  [
    "Anthropic",
    "This request appears to violate our Usage Policy (https://www.anthropic.com/legal/aup).",
    "content_filter prompt",
  ],
  ["OpenAI", "400 This content was flagged for possible cybersecurity risk.", "content_filter prompt"],
  ["OpenAI", "400 Your request was rejected as a result of our safety system.", "content_filter unknown"],
  [
    "GLM 1301",
    "400 System detected potentially unsafe or sensitive content in input or generation.",
    "content_filter unknown",
  ],
  ["litellm", "litellm.ContentPolicyViolationError: the request was declined", "content_filter unknown"],
];

/** What may work later, unchanged. */
export const OVERLOADED: readonly FailureText[] = [
  ["Anthropic", anthropicError("Overloaded", "overloaded_error", 529), "overload"],
  [
    "inside a stream",
    JSON.stringify({ type: "error", error: { details: null, type: "overloaded_error", message: "Overloaded" } }),
    "overload",
  ],
  [
    "Anthropic",
    anthropicError(
      "This request would exceed your account's rate limit. Please try again later.",
      "rate_limit_error",
      429,
    ),
    "overload",
  ],
  ["Anthropic", anthropicError("Internal server error", "api_error", 500), "overload"],
  [
    "OpenAI",
    "429 Rate limit reached for gpt-5.2 in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000. Please try again in 8s.",
    "overload",
  ],
  [
    "OpenAI",
    openAiError(
      "The server had an error while processing your request. Sorry about that!",
      null,
      null,
      "server_error",
      500,
    ),
    "overload",
  ],
  [
    "OpenAI",
    openAiError(
      "The server is currently overloaded with other requests. Sorry about that! You can retry your request.",
      null,
      "server_is_overloaded",
      "server_error",
      503,
    ),
    "overload",
  ],
  [
    "computer#293, OpenRouter",
    `429 ${JSON.stringify({ error: { message: "Provider returned error", code: 429, metadata: { raw: "z-ai/glm-5.3-flash is temporarily rate-limited upstream. Please retry shortly, or add your own key to accumulate your rate limits", provider_name: "BaseTen" } } })}`,
    "overload",
  ],
  [
    "Gemini",
    JSON.stringify({
      error: {
        message: JSON.stringify({
          error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" },
        }),
        code: 503,
        status: "Service Unavailable",
      },
    }),
    "overload",
  ],
  [
    "Gemini",
    JSON.stringify({
      error: { code: 429, message: "Resource has been exhausted (e.g. check quota).", status: "RESOURCE_EXHAUSTED" },
    }),
    "overload",
  ],
  [
    "Gemini",
    JSON.stringify({
      error: {
        code: 500,
        message:
          "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
        status: "INTERNAL",
      },
    }),
    "overload",
  ],
  [
    "well-architected-iac-analyzer#25, Bedrock",
    "ThrottlingException: Too many tokens, please wait before trying again.",
    "overload",
  ],
  ["Bedrock", "Too many requests, please wait before trying again.", "overload"],
  ["Bedrock", "Service unavailable: Bedrock is unable to process your request.", "overload"],
  [
    "Cloudflare",
    "502 <html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>",
    "overload",
  ],
  [
    "continue#13259, a gateway's own 502",
    `502 All variants failed with errors: glm-5.2: Invalid status code: 400 Bad Request: ${JSON.stringify({ error: { code: "1214", message: "The messages parameter is illegal. Please check the documentation." } })}`,
    "overload",
  ],
  ["undici", "terminated", "overload"],
  ["undici", "fetch failed", "overload"],
  ["openai-node", "Connection error.", "overload"],
  ["openai-node", "Request timed out.", "overload"],
  ["node", "read ECONNRESET", "overload"],
  ["openclaw 2026.9", "Provider finish_reason: network_error", "overload"],
  ["openclaw#109313", "Provider finish_reason: error", "overload"],
  [
    "pi-ai",
    "Server requested 3600s retry delay (max: 60s). You have exhausted your capacity on this model. Your quota will reset after 1h.",
    "overload",
    { status: 429 },
  ],
  ["llama.cpp", openAiError("Loading model", null, null, "unavailable_error", 503), "overload"],
  [
    "inside a stream",
    JSON.stringify({
      type: "error",
      error: { type: "rate_limit_error", message: "Number of request tokens has exceeded your per-minute limit" },
    }),
    "overload",
  ],
  [
    "inside a stream",
    JSON.stringify({ type: "error", error: { type: "api_error", message: "Something broke" } }),
    "overload",
  ],
  ["Bedrock", "ThrottlingException: Rate exceeded", "overload"],
  ["pi-ai, Bedrock stream", "Too many tokens, please wait before trying again.", "overload"],
  ["pi-ai, Bedrock stream", "Model stream error: the model broke off", "overload"],
  ["Bedrock", "The system encountered an unexpected error during processing. Try your request again.", "overload"],
  [
    "Gemini",
    JSON.stringify({ error: { message: "Resource has been exhausted.", status: "RESOURCE_EXHAUSTED" } }),
    "overload",
  ],
  ["Gemini", "This model is currently experiencing high demand. Spikes in demand are usually temporary.", "overload"],
  ["Gemini", "An internal error has occurred.", "overload"],
  ["a gateway", "Upstream is busy, please try again later.", "overload"],
  ["a gateway", "Limit reached. Please try again in 8s.", "overload"],
  ["Codex", "Selected model is at capacity. Please try a different model.", "overload"],
  ["OpenAI", "The server had an error while processing your request.", "overload"],
  [
    "OpenAI, inside a stream",
    JSON.stringify({ error: { message: "Sorry about that!", type: "server_error" } }),
    "overload",
  ],
  ["Anthropic, inside a stream", "Internal server error", "overload"],
  ["Hugging Face", "Model meta-llama/Llama-3 is currently loading", "overload"],
  ["nginx", "504 Gateway Time-out", "overload"],
  ["node", "getaddrinfo ENOTFOUND api.anthropic.com", "overload"],
  ["node", "connect ETIMEDOUT 160.79.104.10:443", "overload"],
  ["node", "getaddrinfo EAI_AGAIN api.openai.com", "overload"],
  ["node", "socket hang up", "overload"],
  ["node-fetch", "Premature close", "overload"],
  ["undici", "other side closed", "overload"],
  ["Codex", "stream disconnected before completion", "overload"],
];

/** Requests that are too long as a whole. */
export const TOO_LONG: readonly FailureText[] = [
  ["harness/recorded, Perplexity", "400 The total length of all messages is too long.", "size"],
  [
    "harness/recorded, Nova",
    "ValidationException: The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
    "size",
  ],
  ["Anthropic", anthropicError("prompt is too long: 209331 tokens > 200000 maximum"), "size"],
  [
    "Anthropic",
    anthropicError(
      "input length and `max_tokens` exceed context limit: 190000 + 20000 > 204648, decrease input length or `max_tokens` and try again",
    ),
    "size",
  ],
  ["Anthropic", anthropicError("Request exceeds the maximum size", "request_too_large", 413), "size"],
  [
    "OpenAI",
    openAiError(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens. Please reduce the length of the messages.",
      "messages",
      "context_length_exceeded",
    ),
    "size",
  ],
  [
    "OpenAI",
    openAiError(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "input",
      "context_length_exceeded",
    ),
    "size",
  ],
  [
    "OpenAI",
    openAiError(
      "Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 2101 instead.",
      "messages",
      "array_above_max_length",
    ),
    "size",
  ],
  [
    "Gemini",
    geminiError("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    "size",
  ],
  ["bedrock-chat#95", "ValidationException: Input is too long for requested model.", "size"],
  ["MiniMax-M2#119", "400 invalid params, context window exceeds limit (2013)", "size"],
  ["Moonshot", openAiError("Invalid request: Your request exceeded model token limit: 262144"), "size"],
  ["DashScope", "400 <400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]", "size"],
  ["Mistral", "400 Prompt contains 140000 tokens, too large for model with 131072 maximum context length", "size"],
  [
    "llama.cpp",
    `400 ${JSON.stringify({ error: { code: 400, message: "the request exceeds the available context size. try increasing the context size or enable context shift", type: "exceed_context_size_error", n_prompt_tokens: 9000, n_ctx: 8192 } })}`,
    "size",
  ],
  [
    "Groq",
    openAiError(
      "Request too large for model `llama-3.3-70b-versatile` in organization `org_1`",
      null,
      null,
      "invalid_request_error",
      413,
    ),
    "size",
  ],
  ["nginx", "413 <html><head><title>413 Request Entity Too Large</title></head></html>", "size"],
  ["LiteLLM", "Request size is too large. Request size is 33.25 MB. Max size is 32.0 MB", "size"],
  ["aiohttp", "Maximum request body size 1048576 exceeded, actual body size 1309298", "size"],
  ["Vercel", "FUNCTION_PAYLOAD_TOO_LARGE: Request Entity Too Large", "size"],
  ["Anthropic, words only", "prompt is too long", "size"],
  ["Groq", "400 Please reduce the length of the messages or completion.", "size"],
  ["Express", "PayloadTooLargeError: Payload Too Large", "size"],
  [
    "inside a stream",
    JSON.stringify({ type: "error", error: { type: "request_too_large", message: "Too much" } }),
    "size",
  ],
];

/** Keys, permissions, money, models. */
export const NO_ACCESS: readonly FailureText[] = [
  ["Anthropic", anthropicError("invalid x-api-key", "authentication_error", 401), "access"],
  [
    "claude-code#66314",
    anthropicError(
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    ),
    "access",
  ],
  [
    "continue#10011, cut off",
    '{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans',
    "access",
  ],
  [
    "Anthropic",
    anthropicError(
      "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
    ),
    "access",
  ],
  ["Anthropic", anthropicError("This organization has been disabled."), "access"],
  ["Anthropic", anthropicError("model: claude-opus-9", "not_found_error", 404), "access"],
  [
    "Anthropic",
    anthropicError("Your account does not have access to Claude Code. Please run /login.", "permission_error", 403),
    "access",
  ],
  [
    "Anthropic",
    anthropicError(
      "OAuth token has expired. Please obtain a new token or refresh your existing token.",
      "authentication_error",
      401,
    ),
    "access",
  ],
  [
    "OpenAI",
    "401 Incorrect API key provided: sk-te**st. You can find your API key at https://platform.openai.com/account/api-keys.",
    "access",
  ],
  ["OpenAI", "429 You exceeded your current quota, please check your plan and billing details.", "access"],
  [
    "OpenAI",
    openAiError(
      "The model `gpt-9` does not exist or you do not have access to it.",
      null,
      "model_not_found",
      "invalid_request_error",
      404,
    ),
    "access",
  ],
  ["OpenAI", "400 Your organization must be verified to use the model `o3`.", "access"],
  [
    "Codex",
    `400 ${JSON.stringify({ detail: "The 'gpt-4o' model is not supported when using Codex with a ChatGPT account." })}`,
    "access",
  ],
  ["Copilot", openAiError("The requested model is not supported.", null, "model_not_supported"), "access"],
  ["continue#9942, DeepSeek", "402 Insufficient Balance", "access"],
  [
    "aider#4851, DeepSeek",
    `litellm.BadRequestError: DeepseekException - ${JSON.stringify({ error: { message: "Insufficient Balance", type: "unknown_error", param: null, code: "invalid_request_error" } })}`,
    "access",
  ],
  [
    "OpenRouter",
    openAiError(
      "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 5000.",
      null,
      null,
      "invalid_request_error",
      402,
    ),
    "access",
  ],
  ["OpenRouter", "404 No endpoints found matching your data policy.", "access"],
  ["OpenRouter", "400 foo/bar is not a valid model ID", "access"],
  ["continue#12711", "403 Provider returned error", "access"],
  ["Gemini", geminiError("API key not valid. Please pass a valid API key."), "access"],
  ["Gemini", geminiError("User location is not supported for the API use.", "FAILED_PRECONDITION"), "access"],
  [
    "Gemini",
    geminiError(
      "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.",
      "NOT_FOUND",
      404,
    ),
    "access",
  ],
  [
    "harness-sdk#38, Bedrock",
    "ValidationException: Invocation of model ID anthropic.claude-3-7-sonnet-20250219-v1:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.",
    "access",
  ],
  ["harness-sdk#38, Bedrock", "ValidationException: The provided model identifier is invalid.", "access"],
  [
    "harness-sdk#38, Bedrock",
    "AccessDeniedException: You don't have access to the model with the specified model ID.",
    "access",
  ],
  ["Bedrock", "The security token included in the request is invalid.", "access"],
  ["dify#5445", "403 {'error': {'type': 'forbidden', 'message': 'Request not allowed'}}", "access"],
  ["pi-ai", "No API key for provider: anthropic", "access"],
  ["DashScope", "400 Access denied, please make sure your account is in good standing. (Arrearage)", "access"],
  [
    "Ollama",
    `404 ${JSON.stringify({ error: { message: "model 'llama9' not found, try pulling it first", type: "api_error" } })}`,
    "access",
  ],
  ["OpenAI, words only", "You exceeded your current quota.", "access"],
  [
    "Anthropic",
    JSON.stringify({ type: "error", error: { type: "billing_error", message: "Please check your plan" } }),
    "access",
  ],
  ["Codex", "The usage limit has been reached", "access"],
  ["Anthropic", "400 You're out of extra usage. Add more at claude.ai/settings/usage and keep going.", "access"],
  ["Anthropic, words only", "invalid x-api-key", "access"],
  [
    "inside a stream",
    JSON.stringify({ type: "error", error: { type: "authentication_error", message: "Please run /login" } }),
    "access",
  ],
  [
    "inside a stream",
    JSON.stringify({ type: "error", error: { type: "permission_error", message: "Please ask your administrator" } }),
    "access",
  ],
  ["a gateway", "Unauthorized", "access"],
  ["a gateway", "Forbidden", "access"],
  ["Anthropic, words only", "OAuth token has expired.", "access"],
  ["Bedrock, words only", "You don't have access to the model with the specified model ID.", "access"],
  [
    "Gemini",
    JSON.stringify({
      error: {
        message: "Generative Language API has not been used in project 1 before or it is disabled.",
        status: "PERMISSION_DENIED",
      },
    }),
    "access",
  ],
  ["DashScope, words only", "Access denied, please make sure your account is in good standing.", "access"],
  ["OpenAI, words only", "The model `gpt-9` does not exist", "access"],
];

/** Everything else: other parts of the request, what the model cannot do, aborts. */
export const OTHERS: readonly FailureText[] = [
  [
    "llm.js#30",
    anthropicError("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"),
    "other",
  ],
  [
    "antigravity2api#149",
    geminiError(
      anthropicError(
        "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
      ).slice(4),
    ),
    "other",
  ],
  [
    "software-agent-sdk#596",
    anthropicError(
      "max_tokens: 204096 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5-20250929",
    ),
    "other",
  ],
  [
    "claude-relay-service#667",
    anthropicError("tools.3.custom.input_examples: Extra inputs are not permitted"),
    "other",
  ],
  [
    "Anthropic",
    anthropicError("tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12"),
    "other",
  ],
  [
    "Anthropic",
    anthropicError(
      "tools.14.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$', found in input.0",
    ),
    "other",
  ],
  ["Anthropic", anthropicError("tools: Tool names must be unique."), "other"],
  ["Anthropic", anthropicError("tool_choice: Input should be a valid dictionary"), "other"],
  [
    "copilot-api#145",
    anthropicError("system.1.cache_control.ephemeral.scope: Extra inputs are not permitted"),
    "other",
  ],
  ["Anthropic", anthropicError("system: text content blocks must be non-empty"), "other"],
  ["Anthropic", anthropicError("temperature: range: 0..1"), "other"],
  ["twenty#26217", anthropicError("A maximum of 4 blocks with cache_control may be provided. Found 5."), "other"],
  [
    "Anthropic",
    anthropicError("Unexpected value(s) `context-1m-2025-08-07` for the `anthropic-beta` header."),
    "other",
  ],
  [
    "OpenAI",
    openAiError(
      "Unsupported parameter: 'temperature' is not supported with this model.",
      "temperature",
      "unsupported_parameter",
    ),
    "other",
  ],
  [
    "OpenAI",
    openAiError(
      "Unsupported value: 'reasoning.effort' does not support 'minimal' with this model.",
      "reasoning.effort",
      "unsupported_value",
    ),
    "other",
  ],
  [
    "sentry-mcp#106",
    openAiError(
      "Invalid 'tools[13].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1103 instead.",
      "tools[13].function.description",
      "string_above_max_length",
    ),
    "other",
  ],
  [
    "OpenAI",
    openAiError(
      "Invalid schema for function 'exec': In context=(), 'required' is required to be supplied and to be an array including every key in properties.",
      "tools[0].function.parameters",
      "invalid_function_parameters",
    ),
    "other",
  ],
  ["OpenAI", "400 Previous response with id 'resp_68a1' not found.", "other", { code: "previous_response_not_found" }],
  [
    "go-openrouter#21",
    `400 ${JSON.stringify({ error: { message: "Provider returned error", code: 400, metadata: { raw: JSON.stringify({ error: { message: "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.", type: "invalid_request_error", param: "input", code: null } }), provider_name: "OpenAI" } } })}`,
    "other",
  ],
  [
    "OpenRouter",
    "404 No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing",
    "other",
  ],
  ["Ollama", "400 registry.ollama.ai/library/gemma3:latest does not support tools", "other"],
  ["Ollama", "500 error parsing tool call: raw='{\"path\"', err=unexpected end of JSON input", "overload"],
  [
    "OpenAI",
    openAiError(
      "Invalid value: 'x'. Supported values are: 'message' and 'json'.",
      "response_format.type",
      "invalid_value",
    ),
    "other",
  ],
  ["Bedrock", "ValidationException: This model doesn't support tool use in streaming mode.", "other"],
  ["crush#386, xAI", '400 Bad Request "Argument not supported on this model: reasoningEffort"', "other"],
  [
    "groq-typescript#103",
    `400 ${JSON.stringify({ error: { message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.", type: "invalid_request_error", code: "tool_use_failed", failed_generation: "messages.3.content.0: `tool_use` ids were found without `tool_result` blocks; prompt is too long" } })}`,
    "other",
  ],
  [
    "ha-groq-cloud-api#20",
    openAiError(
      "tool call validation failed: parameters for tool HassTurnOff did not match schema: errors: [`/domain`: expected array, but got string]",
      "",
      "tool_use_failed",
    ),
    "other",
  ],
  [
    "pi#5352, Fireworks",
    `400 ${JSON.stringify({ error: { type: "invalid_request_error", message: "JSON Schema not supported: could not understand the instance `{'required': ['criteria']}`." }, type: "error" })}`,
    "other",
  ],
  [
    "shelley#242, Fireworks",
    "400 2 request validation errors:\n- Input should be 'function', 'web_search_preview' or 'code_interpreter', field: 'tools[8].type', value: 'web_search_20250305'\n- Extra inputs are not permitted, field: 'tools[8].name', value: 'web_search'",
    "other",
  ],
  ["Flowise#2866, Fireworks", "400 Extra inputs are not permitted, field: 'stream_options'", "other"],
  [
    "agno#2649, Gemini",
    geminiError(
      "Invalid value at 'tools[0].function_declarations[1].parameters.properties[0].value.type' (type.googleapis.com/google.cloud.aiplatform.v1beta1.Type), \"\"",
    ),
    "other",
  ],
  [
    "Gemini",
    geminiError(
      "* GenerateContentRequest.tools[0].function_declarations[3].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore.",
    ),
    "other",
  ],
  [
    "Gemini",
    geminiError(
      "Invalid JSON payload received. Unknown name \"additionalProperties\" at 'tools[0].function_declarations[2].parameters': Cannot find field.",
    ),
    "other",
  ],
  ["qwen-code#11834, MiniMax", "400 invalid params, function parameters is empty (2013)", "other"],
  ["9router#2509, MiniMax", "400 invalid params, invalid tool type: (2013)", "other"],
  ["CodexPlusPlus#267, MiniMax", "400 invalid params, invalid chat setting (2013)", "other"],
  ["cline#9939, GLM", "400 Invalid API parameter, please check the documentation.", "other", { code: "1210" }],
  [
    "vllm#4667",
    "Error code: 400 - {'object': 'error', 'message': 'max_tokens must be at least 1, got -186.', 'type': 'BadRequestError', 'param': None, 'code': 400}",
    "other",
  ],
  [
    "cerebras#4",
    `400 ${JSON.stringify({ message: "type: Input should be 'text'", type: "invalid_request_error", param: "validation_error", code: "wrong_api_format" })}`,
    "unknown",
  ],
  ["GenericAgent#30, Moonshot", "400 invalid temperature: only 1 is allowed for this model", "other"],
  ["pi-ai", "Request was aborted", "other"],
  ["openclaw 2026.9", "Provider returned an incomplete or malformed tool call", "other"],
  ["openclaw, an adapter's crash", "Cannot read properties of undefined (reading 'trim')", "other"],
  [
    "lmstudio-bug-tracker#535",
    'Error rendering prompt with jinja template: "Error: Parser Error: Expected closing statement token. OpenSquareBracket !== CloseStatement."',
    "other",
  ],
  ["OpenAI", openAiError("Encrypted content is not supported with this model.", "include"), "other"],
  ["Codex", openAiError("Store must be set to false"), "other"],
  ["Codex", openAiError("Instructions are required"), "other"],
  ["DeepSeek", openAiError("Model Not Exist"), "other"],
  [
    "Groq",
    openAiError(
      "The model `mixtral-8x7b-32768` has been decommissioned and is no longer supported.",
      null,
      "model_decommissioned",
    ),
    "other",
  ],
  ["Gemini", geminiError("Thinking budget is not supported for this model."), "other"],
  ["a load balancer", "400 no healthy upstream", "other"],
  [
    "a page of a relay",
    "400 <html><body>Scheduled maintenance. Requests with tool_result blocks are not taken until 10:00.</body></html>",
    "other",
  ],
  ["nothing at all", "", "other"],
];
