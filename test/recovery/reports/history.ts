import { anthropicError, geminiError, openAiError, type FailureText } from "../failure-text.ts";

/** Refusals of a history as people have reported them, each with the report and whose words they are. */
export const REPORTED_HISTORY: readonly FailureText[] = [
  [
    "nick1udwig/kibitz#87, Anthropic",
    anthropicError("messages: text content blocks must contain non-whitespace text"),
    "history empty_content",
  ],
  [
    "NousResearch/hermes-agent#63983, Bedrock",
    "ValidationException: The model returned the following errors: messages: text content blocks must contain non-whitespace text",
    "history empty_content",
  ],
  [
    "anthropics/claude-code#38630, Anthropic",
    anthropicError("messages.332: user messages must have non-empty content"),
    "history empty_content @332",
  ],
  [
    "danny-avila/LibreChat#4811, OpenAI",
    "400 Invalid value for 'content': expected a string, got null.",
    "history empty_content",
  ],
  [
    "solbrowse/extension#16, Mistral",
    `400 ${JSON.stringify({ object: "error", message: "Assistant message must have either content or tool_calls, but not none.", type: "invalid_request_error", param: null, code: null })}`,
    "history empty_content",
  ],
  [
    "kwaroran/Risuai#504, Cohere",
    `400 ${JSON.stringify({ message: "invalid request: message must be at least 1 token long or tool results must be specified." })}`,
    "history empty_content",
  ],
  [
    "kwaroran/Risuai#458, Cohere",
    `400 ${JSON.stringify({ message: "invalid request: all elements in history must have a message." })}`,
    "history empty_content",
  ],
  [
    "QwenLM/qwen-code#5265, DashScope",
    "400 <400> InternalError.Algo.InvalidParameter: The content field is a required field.",
    "history empty_content",
  ],
  [
    "ikechan8370/chatgpt-plugin#696, DashScope",
    `400 ${JSON.stringify({ code: "InvalidParameter", message: "Role must be user or assistant and Content length must be greater than 0" })}`,
    "history empty_content",
  ],
  [
    "agentscope-ai/agentscope-java#613, DashScope",
    "400 <400> InternalError.Algo.InvalidParameter: The input messages do not contain elements with the role of user",
    "history role_order",
  ],
  ["agno-agi/agno#2241, Gemini", geminiError("Please use a valid role: user,\n         model."), "history role_order"],
  [
    "FoundationAgents/OpenManus#227, DeepSeek",
    "Error code: 400 - {'error': {'message': \"Messages with role 'tool' must be a response to a preceding message with 'tool_calls'\", 'type': 'invalid_request_error', 'param': None, 'code': 'invalid_request_error'}}",
    "history tool_pairing",
  ],
  [
    "QwenLM/qwen-code#656, DashScope",
    '400 <400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool messages responding to each "tool_call_id". The following  tool_call_ids did not have response messages: message[540].role',
    "history tool_pairing @540",
  ],
  [
    "langflow-ai/langflow#5335, Mistral",
    `Error response 400 while fetching https://api.mistral.ai/v1/chat/completions: ${JSON.stringify({ object: "error", message: "Tool call id has to be defined.", type: "invalid_request_error", param: null, code: null })}`,
    "history tool_id",
  ],
  [
    "HKUDS/nanobot#2469, DashScope",
    'litellm.BadRequestError: DashscopeException - <400> InternalError.Algo.InvalidParameter: The "function.arguments" parameter of the code model must be in JSON format.',
    "history tool_fields",
  ],
  [
    "r1n7aro/Locus#73, DeepSeek",
    "400 Failed to parse the request body as JSON: messages[111].tool_calls[0].?: key must be a string at line 1 column 327463",
    "history tool_fields @111.0",
  ],
  [
    "esengine/DeepSeek-Reasonix#1906, DeepSeek",
    "400 Failed to parse the request body as JSON: messages[158].content: unexpected end of hex escape at line 1 column 350781",
    "history block_form @158",
  ],
  [
    "anthropics/claude-code#63432, Anthropic",
    anthropicError(
      "messages.1.content.12: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    ),
    "history thinking @1.12",
  ],
  [
    "egoist/chatwise-releases#1442, Cerebras",
    `400 ${JSON.stringify({ message: "messages.1.assistant.reasoning_content: property 'messages.1.assistant.reasoning_content' is unsupported", type: "invalid_request_error", param: "validation_error", code: "wrong_api_format" })}`,
    "history thinking @1",
  ],
  [
    "SimonSchubert/Kai#265, Groq",
    openAiError(
      "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
    ),
    "history thinking @2",
  ],
  [
    "run-llama/llama_index#14701, Groq",
    "Error code: 400 - {'error': {'message': \"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'status' is unsupported, did you mean 'name'?)]\", 'type': 'invalid_request_error'}}",
    "history block_form @2",
  ],
  [
    "odysseus-dev/odysseus#200, Groq",
    "Groq returned HTTP 400: 'messages.1' : for 'role:user' the following must be satisfied[('messages.1' : property 'metadata' is unsupported)]",
    "history block_form @1",
  ],
  [
    "gptme/gptme#375, Groq",
    openAiError(
      "'messages.0' : for 'role:system' the following must be satisfied[('messages.0.content' : value must be a string)]",
    ),
    "history block_form @0",
  ],
  [
    "musistudio/llms#25, Cerebras",
    "400 body.messages.0.system.content: Input should be a valid string",
    "history block_form @0",
  ],
  [
    "CommandCodeAI/command-code#795, a gateway",
    `400 ${JSON.stringify({ error: { type: "invalid_request_error", message: "Invalid input", param: "messages.12.content" } })}`,
    "history block_form @12",
  ],
  [
    "camel-ai/owl#532, LiteLLM",
    "Error code: 400 - {'error': {'message': \"litellm.UnsupportedParamsError: Anthropic doesn't support tool calling without `tools=` param specified. Pass `tools=` param OR set `litellm.modify_params = True` // `litellm_settings::modify_params: True` to add dummy tool to the request.. Received Model Group=custom/claude-3-7-sonnet-20250219\", 'type': 'None', 'param': None, 'code': '400'}}",
    "history unspecified",
  ],
  ["harness/recorded, DeepSeek", "400 No tool output found for tool call call-a.", "history tool_pairing call-a"],
  [
    "harness/recorded, Bedrock",
    "ValidationException: The model returned the following errors: Malformed input request: #/messages/2/content/0: extraneous key [toolResult] is not permitted, please reformat your input and try again.",
    "history block_form @2.0",
  ],
  [
    "harness/recorded, OpenAI",
    "400 Invalid 'messages[3]'. Content blocks are expected to be either text or image_url type.",
    "history block_form @3",
  ],
  [
    "harness/recorded, OpenAI",
    "400 Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    "other",
  ],
];

/** What a server on one's own machine says, mostly with status 500, when the template of a model refuses a history. */
export const REPORTED_TEMPLATES: readonly FailureText[] = [
  [
    "ggml-org/llama.cpp#17040, llama.cpp",
    `500 ${JSON.stringify({ error: { code: 500, message: 'Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis message in one or the other, but not both. at row 290, column 178:\n            {%- if message.content and message.thinking %}\n                {{- raise_exception("Cannot pass both content and thinking in an assistant message with tool calls!") }}', type: "server_error" } })}`,
    "history thinking",
  ],
  [
    "ggml-org/llama.cpp#19905, llama.cpp",
    `500 ${JSON.stringify({ error: { code: 500, message: "\n------------\nWhile executing FilterExpression at line 120, column 73 in source:\n..._name, args_value in tool_call.arguments|items %}↵                        {{- '<...\n                                           ^\nError: Unknown (built-in) filter 'items' for type String", type: "server_error" } })}`,
    "history tool_fields",
  ],
  [
    "vxcontrol/pentagi#313, llama.cpp",
    "500: litellm.InternalServerError: InternalServerError: Custom_openaiException - Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error at line 1, column 131: syntax error while parsing value - unexpected end of input; expected '[', '{', or a literal. Received Model Group=qwen3.6-35b",
    "history tool_fields",
  ],
  [
    "janhq/jan#6123, llama.cpp",
    `500 ${JSON.stringify({ error: { code: 500, message: "Value is not callable: null at row 49, column 79:\n                {%- set content = (m_content.split('</think>')|last).lstrip('\\n') %}\n                {%- set reasoning_content = (m_content.split('</think>')|first).rstrip('\\n') %}", type: "server_error" } })}`,
    "history thinking",
  ],
  [
    "QwenLM/qwen-code#48, llama.cpp",
    "500 Unknown method: keys at row 57, column 46:\n                {%- set handled_keys = ['type', 'description', 'enum', 'required'] %}\n                {%- for json_key in param_fields.keys() | reject(\"in\", handled_keys) %}",
    "unknown",
  ],
  [
    "zed-industries/zed#45379, LM Studio",
    'Error rendering prompt with jinja template: "Unknown test: sequence".\n\nThis is usually an issue with the model\'s prompt template. If you are using a popular model, you can try to search the model under lmstudio-community, which will have fixed prompt templates.',
    "other",
  ],
  [
    "lmstudio-ai/lmstudio-bug-tracker#393, LM Studio",
    "400 Error rendering prompt with jinja template: TypeError: Cannot read properties of undefined (reading 'type')",
    "unknown",
  ],
];

/** Refusals in words that do not tell what they are about. */
export const REPORTED_UNKNOWN: readonly FailureText[] = [
  [
    "continuedev/continue#3881, Cohere",
    `400 ${JSON.stringify({ message: "invalid request: provided raw prompt is invalid, you message must contain valid chat turns." })}`,
    "unknown",
  ],
  [
    "cohere-ai/cohere-python#525, Cohere",
    "400 invalid request: cannot specify both message and tool_results in multistep mode",
    "unknown",
  ],
  [
    "langchain-ai/langchain-aws#566, Bedrock",
    "ValidationException: The model returned the following errors: Invalid parameter combination. Please check and try again.",
    "unknown",
  ],
  [
    "mozilla-ai/any-llm#714, Together",
    'Error code: 400 - {"message": "Input validation error", "type_": "invalid_request_error"}',
    "unknown",
  ],
];
