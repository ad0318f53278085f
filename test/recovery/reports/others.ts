import { anthropicError, geminiError, openAiError, type FailureText } from "../failure-text.ts";

/** Parameters and tools. */
export const REPORTED_OTHERS: readonly FailureText[] = [
  [
    "spiceai/spiceai#7126, OpenAI",
    openAiError(
      "Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.",
    ),
    "other",
  ],
  [
    "tailcallhq/forgecode#1185, OpenAI",
    openAiError(
      "max_tokens is too large: 20480. This model supports at most 16384 completion tokens, whereas you provided 20480.",
      "max_tokens",
      "invalid_value",
    ),
    "other",
  ],
  [
    "diffbot/code-gpt-docs#284, OpenAI",
    "400 max_tokens is too large: 6000. This model supports at most 4096 completion tokens, whereas you provided 6000.",
    "other",
  ],
  [
    "marimo-team/marimo#5493, DeepSeek",
    "Error code: 400 - {'error': {'message': \"Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.\", 'type': 'invalid_request_error', 'param': None, 'code': 'invalid_request_error'}}",
    "other",
  ],
  ["fanenr/chatbot#21, Groq", openAiError("property 'store' is unsupported, did you mean 'stop'?"), "other"],
  [
    "CherryHQ/cherry-studio#1099, Groq",
    "400 property 'reasoning_effort' is unsupported, did you mean 'reasoning_format'?",
    "other",
  ],
  ["musistudio/llms#64, Groq", openAiError("property 'reasoning' is unsupported"), "other"],
  ["musistudio/llms#25, Cerebras", "400 body.model: Field required", "other"],
  [
    "harness/recorded, Groq",
    "400 Tool call validation failed: tool call validation failed: parameters for tool get_something_by_name did not match schema: errors: [missing properties: 'name', additionalProperties 'foo' not allowed]",
    "other",
  ],
  [
    "earendil-works/pi#3854, Fireworks",
    anthropicError(
      "51 request validation errors:\nExtra inputs are not permitted, field: 'tools[0].eager_input_streaming', value: True;\nExtra inputs are not permitted, field: 'tools[49].cache_control'",
    ),
    "other",
  ],
  [
    "web-infra-dev/midscene#1322, Fireworks",
    "400 Extra inputs are not permitted, field: 'vl_high_resolution_images', value: True.",
    "other",
  ],
  [
    "danny-avila/LibreChat#1336, Fireworks",
    "400 [{'loc': ('body', 'user'), 'msg': 'extra fields not permitted', 'type': 'value_error.extra'}]",
    "other",
  ],
  [
    "partITech/php-mistral#76, Mistral",
    `422 ${JSON.stringify({ object: "Error", detail: [{ type: "extra_forbidden", loc: ["body", "tools"], msg: "Extra inputs are not permitted", input: [] }], type: "invalid_request_error", code: 3001 })}`,
    "other",
  ],
  [
    "MoonshotAI/kimi-cli#1903, Moonshot",
    "Error code: 400 - {'error': {'message': \"Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.variantOptions': conflicting keywords found after $ref expansion: description>\", 'type': 'invalid_request_error'}}",
    "other",
  ],
  [
    "agno-agi/agno#5317, DashScope",
    "400 <400> InternalError.Algo.InvalidParameter: 'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    "other",
  ],
  [
    "ikechan8370/chatgpt-plugin#696, DashScope",
    `400 ${JSON.stringify({ code: "InvalidParameter", message: "Tool names are not allowed to be [search]" })}`,
    "other",
  ],
  [
    "rikkahub/rikkahub#1602, xAI",
    `400 ${JSON.stringify({ code: "400", error: "Argument not supported: size" })}`,
    "other",
  ],
  [
    "mnfst/llm-gateway#1849, GitHub Copilot",
    `400 ${JSON.stringify({ error: { message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", code: "invalid_request_body" } })}`,
    "other",
  ],
  [
    "FoundationAgents/OpenManus#331, vLLM",
    "Error code: 400 - {'object': 'error', 'message': '\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', 'type': 'BadRequestError', 'param': None, 'code': 400}",
    "other",
  ],
  [
    "kaitranntt/ccs#219, Gemini",
    geminiError(
      "The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[72].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore.",
    ),
    "other",
  ],
  [
    "google-gemini/gemini-cli#25440, Gemini",
    geminiError(
      "The GenerateContentRequest proto is invalid:\n * tools[0].function_declarations: [FIELD_INVALID] At most 512 function declarations can be specified.",
    ),
    "other",
  ],
  [
    "prism-php/prism#813, OpenAI",
    openAiError(
      "Invalid schema for response_format 'foo': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'bar'.",
    ),
    "other",
  ],
  [
    "decolua/9router#773, DeepSeek",
    `[deepseek/deepseek-v4-pro] [400]: ${JSON.stringify({ error: { message: "Failed to deserialize the JSON body into the target type: messages[1].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`, `latest_reminder` at line 1 column 51036", type: "invalid_request_error", param: null, code: "invalid_request_error" } })}`,
    "other",
  ],
  ["QwenLM/Qwen#1298, a local server", "500 Unsupported param: tools", "other"],
  [
    "harness/recorded, Anthropic",
    "400 This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
    "other",
  ],
  ["harness/recorded, OpenAI", "400 Web search options not supported with this model.", "other"],
  [
    "harness/recorded, OpenAI",
    "400 Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
    "other",
  ],
  [
    "pipecat-ai/pipecat#4043, OpenAI",
    openAiError(
      "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.",
      "reasoning_effort",
    ),
    "other",
  ],
  [
    "openai/openai-agents-python#2089, OpenAI",
    openAiError(
      "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: 'none', 'low', 'medium', and 'high'.",
      "reasoning.effort",
      "unsupported_value",
    ),
    "other",
  ],
  [
    "BerriAI/litellm#25332, LiteLLM",
    "400 litellm.UnsupportedParamsError: openai does not support parameters: ['tool_choice'], for model=gpt-5.4-mini",
    "other",
  ],
  [
    "home-assistant/core#147760, Anthropic",
    anthropicError("tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
    "other",
  ],
  [
    "anthropics/claude-code#96152, Anthropic",
    anthropicError("tools.18.custom.name: String should have at most 128 characters"),
    "other",
  ],
  [
    "strands-agents/harness-sdk#1241, Bedrock",
    "An error occurred (ValidationException) when calling the Converse operation: This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again",
    "other",
  ],
  [
    "kirodotdev/Kiro#11026, Bedrock",
    "ValidationException: The value at toolConfig.tools.26.toolSpec.inputSchema.json.type must be one of the following: object.",
    "other",
  ],
  [
    "genkit-ai/aws-bedrock-js-plugin#43, Bedrock",
    "ValidationException: 1 validation error detected: Value at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1",
    "other",
  ],
  [
    "vercel/ai#2772, Bedrock",
    "ValidationException: The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.",
    "other",
  ],
  [
    "charmbracelet/crush#946, Bedrock",
    `400 ${JSON.stringify({ message: "The maximum tokens you requested exceeds the model limit of 32768" })}`,
    "other",
  ],
];
