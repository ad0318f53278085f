import type { FailureText } from "../failure-text.ts";

/** Requests that are too long as a whole, in each provider's own words. */
export const REPORTED_SIZE: readonly FailureText[] = (
  [
    [
      "OpenAI, of an organization",
      "400 Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens. Please reduce the length of the messages.",
    ],
    [
      "OpenAI",
      "400 Invalid 'input': array too long. Expected an array with maximum length 16000, but got an array with length 16007 instead.",
    ],
    [
      "OpenAI",
      "400 Invalid 'messages[3].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12345678 instead.",
    ],
    [
      "OpenAI",
      "429 Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 45000. The input or output tokens must be reduced in order to run successfully.",
    ],
    [
      "Bedrock, Anthropic",
      "ValidationException: The model returned the following errors: prompt is too long: 202350 tokens > 200000 maximum",
    ],
    [
      "harness/recorded, OpenRouter",
      "400 This endpoint's maximum context length is 200000 tokens. However, you requested about 2500021 tokens (2500021 of text input). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.",
    ],
    [
      "OpenRouter",
      '400 This endpoint\'s maximum context length is 131072 tokens. However, you requested about 150000 tokens (140000 of text input, 10000 of tool input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
    ],
    [
      "llama.cpp",
      `400 ${JSON.stringify({ error: { code: 400, message: "request (70000 tokens) exceeds the available context size (65536 tokens), try increasing it", type: "exceed_context_size_error", n_prompt_tokens: 70000, n_ctx: 65536 } })}`,
    ],
    [
      "LM Studio",
      "400 The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input",
    ],
    [
      "LM Studio",
      "400 Trying to keep the first 45000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    ],
    [
      "vLLM",
      "400 This model's maximum context length is 32768 tokens. However, you requested 40000 tokens (38000 in the messages, 2000 in the completion). Please reduce the length of the messages or completion.",
    ],
    [
      "harness/recorded, DeepSeek",
      "400 This model's maximum context length is 1048565 tokens. However, you requested 1250025 tokens (1250025 in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
    ],
    [
      "harness/recorded, Ollama",
      "400 prompt too long; exceeded max context length by 1119046 tokens (ref: 96164522-08b2-4cbf-886e-e5a38961a688)",
    ],
    [
      "Mistral",
      `400 ${JSON.stringify({ object: "error", message: "Prompt contains 150000 tokens and 0 draft tokens, too large for model with 131072 maximum context length", type: "invalid_request_invalid_args", code: "3051" })}`,
    ],
    [
      "Groq",
      "413 Request too large for model `x` in organization `org` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 9000",
    ],
    [
      "QwenLM/qwen-code#2384, DashScope",
      "Internal error: 400 <400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]",
    ],
    [
      "Cerebras",
      "400 Please reduce the length of the messages or completion. Current length is 40000 while limit is 32768",
    ],
    [
      "Together",
      "422 Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`",
    ],
    ["Express", "PayloadTooLargeError: request entity too large"],
    [
      "LiteLLM",
      "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: prompt is too long",
    ],
    [
      "webtimemachine/wtm2#579, OpenAI",
      "Error: 400 This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
    ],
  ] as const
).map(([from, text]) => [from, text, "size"]);
