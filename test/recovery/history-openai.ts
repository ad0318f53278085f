import { openAiError, type FailureText } from "./failure-text.ts";

/** Refused histories in the words of OpenAI's two APIs and of the servers that speak the first of them. */
export const HISTORY_OPENAI: readonly FailureText[] = [
  [
    "OpenAI",
    openAiError(
      "The image data you provided does not represent a valid image. Please check your input and try again with one of the following image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
    ),
    "history image",
  ],
  [
    "docs/provider-rules",
    "400 Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    "history tool_pairing",
  ],
  [
    "harness/providers",
    openAiError(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      "messages.[3].role",
    ),
    "history tool_pairing @3",
  ],
  [
    "docs/provider-rules",
    "400 An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_abc123, call_def456",
    "history tool_pairing call_abc123 call_def456",
  ],
  [
    "kimi-cli#1977",
    `Error code: 400 - {'error': {'message': "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: Shell:58", 'type': 'invalid_request_error'}}`,
    "history tool_pairing Shell:58",
  ],
  [
    "kimi-cli#2405",
    "[provider.api_error] 400 an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: Agent:0",
    "history tool_pairing Agent:0",
  ],
  [
    "dust-tt/srchd#75",
    JSON.stringify({
      code: 3,
      error:
        "messages[208]: an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: publications-get_publication:62",
      message: "非法输入",
      scode: "0x3",
      status: false,
    }),
    "history tool_pairing @208 publications-get_publication:62",
  ],
  [
    "CodexPlusPlus#329, DeepSeek",
    openAiError(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (insufficient tool messages following tool_calls message)",
    ),
    "history tool_pairing",
  ],
  [
    "qwen-code#2360, DashScope",
    '400 <400> InternalError.Algo.InvalidParameter: messages with role "tool" must be a response to a preceeding message with "tool_calls".',
    "history tool_pairing",
  ],
  [
    "hermes-agent#24328, Kimi",
    "Error from provider: Provider returned error\nInvalid request: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
    "history tool_pairing",
  ],
  ["openclaw#9281, Moonshot", "HTTP 400: Invalid request: tool_call_id is not found", "history tool_pairing"],
  [
    "harness/providers",
    openAiError(
      "Invalid parameter: 'tool_call_id' of 'exec0' not found in 'tool_calls' of previous message.",
      "messages.[4].tool_call_id",
    ),
    "history tool_pairing @4 exec0",
  ],
  ["openclaw#40897", "HTTP 400 duplicate `tool_call_id`", "history tool_id"],
  [
    "harness/providers",
    openAiError("Duplicate value for 'tool_call_id' of 'edit:22' in message[5]."),
    "history tool_id @5 edit:22",
  ],
  [
    "openclaw#875",
    openAiError(
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 83 instead.",
      "messages[2].tool_calls[0].id",
      "string_above_max_length",
    ),
    "history tool_id @2.0",
  ],
  [
    "litellm#17343",
    "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: Github_copilotException - Invalid 'messages[11].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 46 instead.",
    "history tool_id @11.0",
  ],
  [
    "openclaw#27178",
    "400 Invalid 'input[12].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    "history tool_id @12",
  ],
  [
    "openclaw#24649",
    "400 No tool call found for function call output with call_id call_JJpxbVnmfWCWpb1nL3UMi4xG.",
    "history tool_pairing call_JJpxbVnmfWCWpb1nL3UMi4xG",
  ],
  [
    "openclaw#56021",
    "400 No tool call found for function call output with call_id callfunctionpwxnv8slgf033toolresult1",
    "history tool_pairing callfunctionpwxnv8slgf033toolresult1",
  ],
  [
    "docs/provider-rules",
    openAiError("No tool output found for function call call_9xGQ2nAKpOjWe3F0.", "input"),
    "history tool_pairing call_9xGQ2nAKpOjWe3F0",
  ],
  [
    "openai-agents-python#1855",
    openAiError("No tool output found for local shell call call_MEmrSaOboO5WG3MXGazSubb7.", "input"),
    "history tool_pairing call_MEmrSaOboO5WG3MXGazSubb7",
  ],
  [
    "OmniRoute#8946",
    "[400]: No tool output found for custom tool call call_nNNw7JP5hY7UXaATvHBRDYqc.",
    "history tool_pairing call_nNNw7JP5hY7UXaATvHBRDYqc",
  ],
  [
    "openclaw, request-error-facets",
    "custom tool call output is missing for call id: ctc_01",
    "history tool_pairing ctc_01",
  ],
  [
    "harness/providers",
    openAiError(
      "Duplicate item found with id rs_0a1b. Remove duplicate items from your input and try again.",
      "input[4].id",
    ),
    "history tool_id @4 rs_0a1b",
  ],
  [
    "harness/providers",
    openAiError(
      "Invalid 'input[3].id': 'call_1'. Expected an ID that begins with 'fc'.",
      "input[3].id",
      "invalid_value",
    ),
    "history tool_id @3 call_1",
  ],
  [
    "openclaw#19582",
    "400 Item 'rs_68a1f0c2' of type 'reasoning' was provided without its required following item.",
    "history thinking rs_68a1f0c2",
  ],
  [
    "openclaw#58967",
    "400 Item 'fc_7d90e1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_7d90e0'.",
    "history thinking fc_7d90e1 rs_7d90e0",
  ],
  [
    "openclaw#80452",
    "400 Item 'msg_68f3' of type 'message' was provided without its required 'reasoning' item: 'rs_68f2'.",
    "history thinking msg_68f3 rs_68f2",
  ],
  [
    "openai-agents-js#546",
    "404 Item with id 'rs_096368a558aa35b00168dbc36533f8819dae97fbd58256341c' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    "history thinking rs_096368a558aa35b00168dbc36533f8819dae97fbd58256341c",
  ],
  [
    "opencode#5104",
    openAiError(
      "The encrypted content for item rs_0f26baa4a8bfec6b0169326d7c20a8819499e6d836076cc00b could not be verified.",
      null,
      "invalid_encrypted_content",
    ),
    "history thinking rs_0f26baa4a8bfec6b0169326d7c20a8819499e6d836076cc00b",
  ],
  [
    "codex#8145",
    openAiError("The encrypted content gAAA...DQ== could not be verified.", null, "invalid_encrypted_content"),
    "history thinking",
  ],
  [
    "openclaw#71050, DeepSeek",
    "400 The reasoning_content in the thinking mode must be passed back to the API.",
    "history thinking",
  ],
  [
    "openclaw#82161, Kimi",
    "400 thinking is enabled but reasoning_content is missing in assistant tool call message at index 6",
    "history thinking @6",
  ],
  [
    "free-claude-code#1136, Cerebras",
    `400 ${JSON.stringify({ message: "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported\nmessages.4.assistant.reasoning_content: property 'messages.4.assistant.reasoning_content' is unsupported", type: "invalid_request_error", param: "validation_error", code: "wrong_api_format" })}`,
    "history thinking @2",
  ],
  [
    "lmstudio-bug-tracker#842",
    'Error rendering prompt with jinja template: "Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis message in one or the other, but not both.".',
    "history thinking",
  ],
  [
    "harness/providers",
    openAiError(
      "Invalid value: 'canvas'. Supported values are: 'text', 'image_url', 'input_audio', and 'refusal'.",
      "messages[3].content[1].type",
      "invalid_value",
    ),
    "history block_form @3.1",
  ],
  [
    "harness/providers",
    openAiError(
      "Invalid type for 'messages[2].tool_calls[1].function.arguments': expected a string, but got an object instead.",
      "messages[2].tool_calls[1].function.arguments",
      "invalid_type",
    ),
    "history tool_fields @2.1",
  ],
  [
    "harness/providers",
    openAiError("Missing required parameter: 'messages[7].role'.", "messages[7].role", "missing_required_parameter"),
    "history role_order @7",
  ],
  [
    "harness/providers",
    openAiError("Missing required parameter: 'input[7].type'.", "input[7].type", "missing_required_parameter"),
    "history block_form @7",
  ],
  [
    "harness/providers",
    openAiError(
      "Invalid 'messages[1].content[2].image_url.url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got an invalid base64-encoded value.",
    ),
    "history image @1.2",
  ],
  [
    "OmniRoute#3044, OpenRouter",
    openAiError("Provider returned error").replace(
      "}}",
      `,"metadata":{"raw":${JSON.stringify(JSON.stringify({ error: { type: "invalid_request_error", code: "invalid_request_error", message: "Model 'moonshotai/kimi-k2.6' supports at most 1 image per prompt." } }))},"provider_name":"Crucible","is_byok":false}}}`,
    ),
    "history too_many_images",
  ],
  [
    "harness/providers",
    openAiError(
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
    ),
    "history block_form",
  ],
  [
    "harness/providers",
    openAiError("Assistant message must have either content or tool_calls, but not none."),
    "history empty_content",
  ],
  ["openclaw#998, GLM", "400 Incorrect role information", "history role_order"],
  ["openclaw#998", "400 roles must alternate", "history role_order"],
  [
    "autogen#1037, vLLM",
    "Error code: 400 - {'object': 'error', 'message': 'Conversation roles must alternate user/assistant/user/assistant/...', 'type': 'invalid_request_error', 'param': None, 'code': None}",
    "history role_order",
  ],
  [
    "opensecret#120, vLLM",
    `400 ${JSON.stringify({ error: { message: "Conversation roles must alternate user/assistant/user/assistant/... Conversation roles must alternate user/assistant/user/assistant/...", type: "BadRequestError", param: null, code: 400 } })}`,
    "history role_order",
  ],
  [
    "picoclaw#207, llama.cpp",
    `500 ${JSON.stringify({ error: { code: 500, message: "\n------------\nWhile executing CallExpression at line 47, column 32 in source:\n...== 0) %}↵            {{- raise_exception('After the optional system message, con...\n^\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.", type: "server_error" } })}`,
    "history role_order",
  ],
  ["Eta#59, llama.cpp", "400 Jinja Exception: System message must be at the beginning.", "history role_order"],
  ["openclaw#33177, Mistral", "400 Unexpected role 'user' after role 'tool'", "history role_order"],
  [
    "avante.nvim#2562, Mistral",
    `400 ${JSON.stringify({ object: "error", message: "Unexpected role 'user' after role 'tool'", type: "invalid_request_message_order", param: null, code: "3230" })}`,
    "history role_order",
  ],
  [
    "avante.nvim#2562, printed as a string",
    String.raw`API request failed with status 400. Body: "{\"object\":\"error\",\"message\":\"Unexpected role 'user' after role 'tool'\",\"type\":\"invalid_request_message_order\",\"param\":null,\"code\":\"3230\"}"`,
    "history role_order",
  ],
  [
    "crush#279, OpenRouter",
    `400 ${JSON.stringify({ message: "Provider returned error", code: 400, metadata: { raw: JSON.stringify({ object: "error", message: "Unexpected role 'tool' after role 'user'", type: "invalid_request_message_order", param: null, code: "3230" }), provider_name: "Mistral" } })}`,
    "history role_order",
  ],
  [
    "AiNiee#641, Mistral",
    "400 Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
    "history role_order",
  ],
  [
    "openclaw#52548, Mistral",
    `400 ${JSON.stringify({ object: "error", message: "Tool call id was read177411253938138 but must be a-z, A-Z, 0-9, with a length of 9.", type: "invalid_function_call", param: null, code: "3280" })}`,
    "history tool_id read177411253938138",
  ],
  ["openclaw#57672, Mistral", "400 Not the same number of function calls and responses", "history tool_pairing"],
  [
    "kimi-code#1985",
    "400 The message at position 307 with role 'assistant' must not be empty",
    "history empty_content @307",
  ],
  [
    "AstrBot#7200, Moonshot",
    openAiError("Invalid request: the message at position 8 with role 'assistant' must not be empty"),
    "history empty_content @8",
  ],
  [
    "hermes-agent#88447",
    "HTTP 400: Error from provider (Console Go): Upstream request failed: [invalid_request_error] Invalid request: the message at position 10 with role 'assistant' must not be empty",
    "history empty_content @10",
  ],
  [
    "crush#964, xAI",
    'POST "https://api.x.ai/v1/chat/completions": 400 Bad Request "Invalid request content: Each message must have at least one content element."',
    "history empty_content",
  ],
  [
    "LangBot#1205, xAI",
    `400 ${JSON.stringify({ code: "Client specified an invalid argument", error: "An empty message was provided. Every message needs at least one non-empty content element." })}`,
    "history empty_content",
  ],
  [
    "LLMSearchPlus#2, xAI",
    `400 ${JSON.stringify({ code: "Client specified an invalid argument", error: "The model expects a single `text` element per message." })}`,
    "history block_form",
  ],
  [
    "ellmer#162, Groq",
    "400 'messages.4' : for 'role:assistant' the following must be satisfied[('messages.4.content' : value must be a string)]",
    "history block_form @4",
  ],
  [
    "CodexPlusPlus#329, GLM",
    openAiError(
      "litellm.BadRequestError: OpenAIException - Inference failed: request param validation error, Value error, message[3].content[2] has invalid field(s): text, ***.Request failed with status: 400 BAD_REQUEST.",
    ),
    "history block_form @3.2",
  ],
  [
    "zhipuai-sdk#14, GLM",
    `400 ${JSON.stringify({ error: { code: "1214", message: "messages 参数非法。请检查文档。" } })}`,
    "history unspecified",
  ],
  [
    "opencode#2557, GLM",
    `400 ${JSON.stringify({ error: { code: "1214", message: "The messages parameter is illegal. Please check the documentation." } })}`,
    "history unspecified",
  ],
  [
    "openclaw#5430, MiniMax",
    "invalid params, tool result's tool id(call_function_w2bitop211ji_1) not found (2013)",
    "history tool_pairing call_function_w2bitop211ji_1",
  ],
  [
    "openclaw#56021, MiniMax",
    "400 invalid params, tool result's tool id(callfunctionpwxnv8slgf033toolresult1) not found (2013)",
    "history tool_pairing callfunctionpwxnv8slgf033toolresult1",
  ],
  [
    "MiniMax-M2#76, OpenRouter",
    `400 ${JSON.stringify({ error: { message: "Minimax midstream error: invalid params, tool result's tool id(call_7xx) not found", code: 400, metadata: { provider_name: "Minimax" } }, user_id: "user_1" })}`,
    "history tool_pairing call_7xx",
  ],
  ["openclaw#56021, MiniMax", "400 invalid params, tool call id is invalid (2013)", "history tool_id"],
  [
    "pi#5468, MiniMax",
    `400 ${JSON.stringify({ type: "error", error: { type: "bad_request_error", message: "invalid params, invalid function arguments json string, tool_call_id: call_function_abraty2ssz2_1 (2013)", http_code: "400" }, request_id: "0660b098aa1e9dd5" })}`,
    "history tool_fields call_function_abraty2ssz2_1",
  ],
  [
    "CodexPlusPlus#267, MiniMax",
    `400 ${JSON.stringify({ type: "error", error: { type: "bad_request_error", message: "invalid params, chat content has invalid message role: system (2013)", http_code: "400" } })}`,
    "history role_order",
  ],
  [
    "ollama#12395",
    "Invalid tool usage: mismatch between tool calls and tool results (status code: 400)",
    "history tool_pairing",
  ],
  [
    "openclaw#102200, Ollama",
    "400 json: cannot unmarshal object into Go struct field .messages.tool_calls.function.arguments of type string",
    "history tool_fields",
  ],
  ["codex-router#161, Ollama", "400 invalid tool call arguments", "history tool_fields"],
  [
    "grok2api#222, FastAPI",
    `422 ${JSON.stringify({ detail: [{ type: "string_type", loc: ["body", "messages", 2, "content"], msg: "Input should be a valid string", input: { text: "rate limit exceeded, prompt is too long" } }] })}`,
    "history block_form @2",
  ],
  [
    "vLLM, printed by Python",
    "400 [{'type': 'string_type', 'loc': ('body', 'messages', 2, 'content', 1), 'msg': 'Input should be a valid string'}]",
    "history block_form @2.1",
  ],
  [
    "openclaw#110956, own check",
    "invalid_replay_transcript: OpenAI Responses replay contains dangling_tool_call toolCallId=call_5Yx at message index 7",
    "history tool_pairing call_5Yx",
  ],
  [
    "zed#57776, Copilot",
    `400 Bad Request ${JSON.stringify({ error: { message: "", code: "invalid_request_body" } })}`,
    "history unspecified",
  ],
  ["copilot-cli#330", "400 400 Bad Request\n", "history unspecified"],
  ["openai-node", "400 status code (no body)", "history unspecified"],
  ["openai-node", "422 status code (no body)", "history unspecified"],
  ["pi#6, OpenRouter", "400 Provider returned error", "history unspecified"],
  [
    "cut off by a log",
    "an assistant message with 'tool_calls' must be followed by tool messages",
    "history tool_pairing",
  ],
  [
    "cut off by a log",
    "The following tool_call_ids did not have response messages: Read:158",
    "history tool_pairing Read:158",
  ],
  ["DeepSeek, words only", "400 (insufficient tool messages following tool_calls message)", "history tool_pairing"],
  ["MiniMax", "400 invalid params, tool call result does not follow tool call (2013)", "history tool_pairing"],
  ["openclaw, request-error-facets", "400 Input item ID does not belong to this connection", "history tool_id"],
  ["OpenAI", "400 You uploaded an unsupported image. Please make sure your image is valid.", "history image"],
  [
    "Perplexity",
    "400 After the (optional) system message(s), user and assistant roles should be alternating.",
    "history role_order",
  ],
  ["Perplexity", "400 Last message must have role `user`.", "history role_order"],
  [
    "DeepSeek",
    "400 Failed to deserialize the JSON body into the target type: messages[2]: unknown variant `image_url`, expected `text` at line 1 column 1234",
    "history media @2",
  ],
];
