import { anthropicError, geminiError, type FailureText } from "./failure-text.ts";

const unexpected = (place: string, id: string): string =>
  `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
const missing = (place: string, ids: string): string =>
  `${place}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;

/** Refused histories in Anthropic's words, from Anthropic and from those who pass its words on. */
export const HISTORY_ANTHROPIC: readonly FailureText[] = [
  [
    "openclaw#4650",
    anthropicError(unexpected("messages.18.content.1", "toolu_01Y41DmovMuY4ZRW5FmxDStd")),
    "history tool_pairing @18.1 toolu_01Y41DmovMuY4ZRW5FmxDStd",
  ],
  [
    "openclaw#13896",
    anthropicError(unexpected("messages.14.content.1", "toolu_01JRe7vPiWiFCUPwUaYWKyaF")),
    "history tool_pairing @14.1 toolu_01JRe7vPiWiFCUPwUaYWKyaF",
  ],
  [
    "openclaw#38370",
    anthropicError(unexpected("messages.434.content.1", "toolu_01Vq6m4qpujG9jQqHVSseEBV")),
    "history tool_pairing @434.1 toolu_01Vq6m4qpujG9jQqHVSseEBV",
  ],
  [
    "openclaw#25411",
    anthropicError(unexpected("messages.0.content.0", "toolu_0117z8jmfvp7auBjB168Q2JF")),
    "history tool_pairing @0.0 toolu_0117z8jmfvp7auBjB168Q2JF",
  ],
  [
    "openclaw#4739",
    "unexpected `tool_use_id` found in `tool_result` blocks: toolu_01ApYXdC1pESwmh5Tek2bMTq",
    "history tool_pairing toolu_01ApYXdC1pESwmh5Tek2bMTq",
  ],
  [
    "openclaw#5128",
    anthropicError(unexpected("messages.8.content.1", "toolu_012kjNix49mKNurfJXwpj6wP")),
    "history tool_pairing @8.1 toolu_012kjNix49mKNurfJXwpj6wP",
  ],
  [
    "openclaw#9672",
    anthropicError(unexpected("messages.12.content.1", "toolu_01BertgFgK595EtrSDg5WWmX")),
    "history tool_pairing @12.1 toolu_01BertgFgK595EtrSDg5WWmX",
  ],
  [
    "openclaw#9724",
    anthropicError(unexpected("messages.68.content.1", "toolu_01GSFkEuksgA72DXns3ovmgw")),
    "history tool_pairing @68.1 toolu_01GSFkEuksgA72DXns3ovmgw",
  ],
  [
    "openclaw#8525",
    anthropicError(unexpected("messages.12.content.1", "toolu_01WvDfg7FvA1mB4V1hK9rESF")),
    "history tool_pairing @12.1 toolu_01WvDfg7FvA1mB4V1hK9rESF",
  ],
  [
    "openclaw#8264",
    anthropicError(unexpected("messages.10.content.3", "toolu_01J5mJ7bYARqM49hQjP35cdb")),
    "history tool_pairing @10.3 toolu_01J5mJ7bYARqM49hQjP35cdb",
  ],
  [
    "openclaw#10106",
    `LLM request rejected: ${unexpected("messages.128.content.1", "toolu_01GdWUYtGpx9PNEi8hmRKJJt")}`,
    "history tool_pairing @128.1 toolu_01GdWUYtGpx9PNEi8hmRKJJt",
  ],
  [
    "openclaw#14322",
    anthropicError(unexpected("messages.244.content.1", "toolu_01PfLjsziXFMs7pAQCtBLn1f")),
    "history tool_pairing @244.1 toolu_01PfLjsziXFMs7pAQCtBLn1f",
  ],
  ["openclaw#31625", "400: unexpected tool_use_id found in tool_result blocks", "history tool_pairing"],
  [
    "pi#960",
    anthropicError(unexpected("messages.268.content.1", "toolu_01YDDkR7xihJHDSiQdF8VyzV")),
    "history tool_pairing @268.1 toolu_01YDDkR7xihJHDSiQdF8VyzV",
  ],
  [
    "claude-code#64383",
    "400 messages.7.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks: srvtoolu_01JjfQsdhSJkT7qLCL7Pj9jc. Each `advisor_tool_result` block must have a corresponding `server_tool_use` block before it.",
    "history tool_pairing @7.0 srvtoolu_01JjfQsdhSJkT7qLCL7Pj9jc",
  ],
  [
    "langchainjs#11407",
    anthropicError(
      "messages.1: tool_search_tool_bm25 tool use with id srvtoolu_01DcAD2oDB6f was found without a corresponding tool_search_tool_bm25_tool_result block",
    ),
    "history tool_pairing @1 srvtoolu_01DcAD2oDB6f",
  ],
  [
    "anthropic-sdk-typescript#841",
    anthropicError(
      "messages.3: `text_editor_code_execution` tool use with id `srvtoolu_01XYZ` was found without a corresponding `text_editor_code_execution_tool_result` block",
    ),
    "history tool_pairing @3 srvtoolu_01XYZ",
  ],
  [
    "cc-proxy-plugin#67",
    anthropicError("messages.799.content.1.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"),
    "history tool_id @799.1",
  ],
  ["openclaw#13704", anthropicError(missing("messages.59", "call_52523385")), "history tool_pairing @59 call_52523385"],
  [
    "openclaw#29103",
    anthropicError(missing("messages.169", "read17721777755099")),
    "history tool_pairing @169 read17721777755099",
  ],
  [
    "claude-code#1831",
    anthropicError(
      "messages.91: `tool_use` ids were found without `tool_result` blocks immediately after: \n    toolu_012J8h8haek153rhp37X1S6d. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ),
    "history tool_pairing @91 toolu_012J8h8haek153rhp37X1S6d",
  ],
  [
    "copilot-cli#330",
    JSON.stringify({
      message: missing("messages.208", "toolu_vrtx_0141eaktmYg2JwxACYA4wnAg, toolu_vrtx_01BZq2c7FhvzSkje1zG5JSR8"),
      code: "invalid_request_body",
    }),
    "history tool_pairing @208 toolu_vrtx_0141eaktmYg2JwxACYA4wnAg toolu_vrtx_01BZq2c7FhvzSkje1zG5JSR8",
  ],
  [
    "Antigravity-Manager#654",
    JSON.stringify({
      error: {
        code: 400,
        message: JSON.stringify({
          type: "error",
          error: { type: "invalid_request_error", message: missing("messages.243", "bash-uOQIdN0O") },
          request_id: "req_vrtx_011CX8LKNqFusFUVvygN5vEH",
        }),
        status: "INVALID_ARGUMENT",
      },
    }),
    "history tool_pairing @243 bash-uOQIdN0O",
  ],
  [
    "openclaw#93321, Bedrock",
    "ValidationException: messages.57: `tool_use` ids were found without `tool_result` blocks im…",
    "history tool_pairing @57",
  ],
  [
    "docs/provider-rules",
    anthropicError(
      "messages.4.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_01A",
    ),
    "history tool_pairing @4.1 toolu_01A",
  ],
  [
    "docs/provider-rules",
    anthropicError("messages.3.content.2: `tool_use` ids must be unique"),
    "history tool_id @3.2",
  ],
  [
    "openclaw#12277",
    anthropicError("messages.29.content.2.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
    "history tool_id @29.2",
  ],
  [
    "maple-proxy#18",
    anthropicError("messages.135.content.2.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
    "history tool_id @135.2",
  ],
  [
    "openclaw#5048",
    `Cloud Code Assist API error (400): ${anthropicError("messages.109.content.1.tool_use.input: Field required").slice(4)}`,
    "history tool_fields @109.1",
  ],
  [
    "claude-code#4378",
    anthropicError("messages.65.content.1.tool_use.text: Extra inputs are not permitted"),
    "history tool_fields @65.1",
  ],
  [
    "harness/providers",
    anthropicError("messages.5.content.1.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"),
    "history tool_fields @5.1",
  ],
  [
    "openclaw#210",
    "400 messages.12: all messages must have non-empty content except for the optional final assistant message",
    "history empty_content @12",
  ],
  ["openclaw#73472", anthropicError("messages: text content blocks must be non-empty"), "history empty_content"],
  ["openclaw#76829", anthropicError("messages: at least one message is required"), "history empty_content"],
  ["openclaw#11963", "HTTP 400: api_error: Improperly formed request. (reason: None)", "history unspecified"],
  [
    "openclaw#54410",
    anthropicError(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ),
    "history role_order",
  ],
  ["harness/providers", anthropicError('messages: first message must use the "user" role'), "history role_order"],
  [
    "measured live",
    anthropicError(
      'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
    ),
    "history role_order",
  ],
  [
    "harness/providers",
    anthropicError('messages: Unexpected role "tool". Allowed roles are "user" or "assistant".'),
    "history role_order",
  ],
  [
    "docs/provider-rules",
    anthropicError("messages: final assistant content cannot end with trailing whitespace"),
    "history role_order",
  ],
  [
    "openclaw#8664",
    `Cloud Code Assist API error (400): ${geminiError("messages.3.content.0.thinking.signature: Field required")}`,
    "history thinking @3.0",
  ],
  [
    "openclaw#84430",
    anthropicError("messages.7.content.0: Invalid `signature` in `thinking` block"),
    "history thinking @7.0",
  ],
  [
    "Antigravity-Manager#270",
    '400 {"error":{"code":400,"message":"{"type":"error","error":{"type":"invalid_request_error","message":"messages.7.content.0.thinking.signature: Field required"},"request_id":"req_vrtx_011CWibZ3GpZPpBTh1cH1eQD',
    "history thinking @7.0",
  ],
  [
    "Antigravity-Manager#146",
    `400 ${JSON.stringify({ error: { code: 400, message: anthropicError("messages.23.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`.").slice(4), status: "INVALID_ARGUMENT" } })}`,
    "history thinking @23.0",
  ],
  [
    "serena#897",
    '400 {"error":{"type":"<nil>","message":"{\\"type\\":\\"error\\",\\"error\\":{\\"type\\":\\"invalid_request_error\\",\\"message\\":\\"***.***.***.***.type: Expected `thinking` or `redacted_thinking`, but found `text`."},"type":"error"}',
    "history thinking",
  ],
  [
    "claude-code#2746",
    anthropicError(
      "messages.31.content.1: When providing `thinking` or `redacted_thinking` blocks, the blocks must match the parameters during the original request.",
    ),
    "history thinking @31.1",
  ],
  [
    "docs/provider-rules",
    anthropicError(
      "messages.5.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    ),
    "history thinking @5.0",
  ],
  [
    "docs/provider-rules",
    anthropicError("messages.9: The final block in an assistant message cannot be `thinking`."),
    "history thinking @9",
  ],
  [
    "docs/provider-rules",
    anthropicError("messages.1.content.0.thinking: each thinking block must contain thinking"),
    "history thinking @1.0",
  ],
  [
    "openclaw#11180",
    anthropicError(
      "messages.189.content.1.image.source.base64: image exceeds 5 MB maximum: 5641712 bytes > 5242880 bytes",
    ),
    "history image @189.1",
  ],
  [
    "claude-code#49537",
    anthropicError(
      "messages.108.content.3.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    ),
    "history image @108.3",
  ],
  [
    "claude-code#14412",
    anthropicError("messages.59.content.12.image.source.base64.data: Could not process image"),
    "history image @59.12",
  ],
  [
    "harness/providers",
    anthropicError(
      "messages.2.content.1: Input tag 'canvas' found using 'type' does not match any of the expected tags: 'document', 'image', 'text', 'thinking', 'tool_result', 'tool_use'",
    ),
    "history block_form @2.1",
  ],
  [
    "harness/providers",
    anthropicError(
      "messages.3.content.1.image.source: Input tag 'file' found using 'type' does not match any of the expected tags: 'base64', 'url'",
    ),
    "history image @3.1",
  ],
  [
    "harness/providers",
    anthropicError("messages.6.customType: Extra inputs are not permitted"),
    "history block_form @6",
  ],
  [
    "harness/providers",
    anthropicError("The request body is not valid JSON: no low surrogate in string: line 1 column 52013 (char 52012)"),
    "history block_form",
  ],
  [
    "quarkus-langchain4j#1983",
    "messages.7.content: Conversation blocks and tool use blocks cannot be provided in the same turn. (Service: BedrockRuntime, Status Code: 400, Request ID: 45c9c3bb-aa19-49ed-8ef6-b3f01f9b3a53) (SDK Attempt Count: 1)",
    "history tool_pairing @7",
  ],
  [
    "cut off by a log",
    "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_01A. Each `too",
    "history tool_pairing toolu_01A",
  ],
  [
    "cut off by a log",
    "toolu_01A. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    "history tool_pairing toolu_01A",
  ],
  ["cut off by a log", "This model does not support assistant message prefill.", "history role_order"],
  [
    "docs/provider-rules",
    anthropicError("messages.5.content.0.tool_result: content cannot be empty if `is_error` is true"),
    "history empty_content @5.0",
  ],
  [
    "oh-my-pi#10633, without its place",
    "400 At least one of the image dimensions exceed max allowed size: 8000 pixels",
    "history image",
  ],
  [
    "openclaw#19622, without its place",
    "400 image exceeds 5 MB maximum: 5641712 bytes > 5242880 bytes",
    "history image",
  ],
  ["Anthropic", anthropicError("Could not process image"), "history image"],
  ["LM Studio", 'Error rendering prompt with jinja template: "No user query found in messages."', "history role_order"],
];
