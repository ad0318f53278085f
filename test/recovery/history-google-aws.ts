import { geminiError, type FailureText } from "./failure-text.ts";

const aws = (message: string): string => `ValidationException: ${message}`;

/** Refused histories in the words of Gemini and Bedrock Converse. */
export const HISTORY_GOOGLE_AWS: readonly FailureText[] = [
  ["Gemini", geminiError("Provided image is not valid."), "history image"],
  ["Gemini", geminiError("Unsupported MIME type: image/svg+xml"), "history image"],
  [
    "Bedrock, Anthropic",
    "ValidationException: The model returned the following errors: too many images and documents: 23 + 0 > 20",
    "history too_many_images",
  ],
  [
    "gemini-cli#4504",
    JSON.stringify([
      {
        error: {
          code: 400,
          message:
            "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
          errors: [
            {
              message:
                "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
              domain: "global",
              reason: "badRequest",
            },
          ],
          status: "INVALID_ARGUMENT",
        },
      },
    ]),
    "history tool_pairing",
  ],
  [
    "docs/provider-rules",
    geminiError(
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    ),
    "history tool_pairing",
  ],
  [
    "gemini-cli, got status",
    `got status: 400 Bad Request. ${JSON.stringify([{ error: { code: 400, message: "Please ensure that function response turn comes immediately after a function call turn.", status: "INVALID_ARGUMENT" } }])}`,
    "history tool_pairing",
  ],
  [
    "harness/providers",
    geminiError("Please ensure that multiturn requests alternate between user and model."),
    "history role_order",
  ],
  [
    "harness/providers",
    geminiError("Please ensure that multiturn requests end with a user role or a function response."),
    "history role_order",
  ],
  ["harness/providers", geminiError("Please use a valid role: user, model."), "history role_order"],
  ["CLIProxyAPI#5199", geminiError("functionResponse.id does not match functionCall.id"), "history tool_pairing"],
  [
    "openclaw#63397",
    geminiError(
      "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:exec` , position 75.",
    ),
    "history thinking @74",
  ],
  [
    "chatwise#250",
    geminiError("* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n"),
    "history empty_content @1",
  ],
  [
    "FLIT#69, masked by a gateway",
    `400 ${JSON.stringify({ error: { message: "* ***.contents[2].parts[1].data: required oneof field 'data' must have one initialized field\n", type: "upstream_error", param: "", code: 400 } })}`,
    "history empty_content @2.1",
  ],
  [
    "u14app#102",
    "400: [GoogleGenerativeAI Error]: Each Content should have at least one part",
    "history empty_content",
  ],
  [
    "new-api-horizon#24, Vertex",
    `400 ${JSON.stringify({ error: { message: "Unable to submit request because at least one contents field is required.", type: "", param: "", code: 400 } })}`,
    "history empty_content",
  ],
  [
    "kelivo#543",
    geminiError("Invalid JSON payload received. Unknown name \"id\" at 'contents[1].parts[0]': Cannot find field."),
    "history block_form @1.0",
  ],
  [
    "harness/providers",
    geminiError(
      "Invalid value at 'contents[3].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), \"ls\"",
    ),
    "history tool_fields @3.0",
  ],
  [
    "harness/providers",
    geminiError("* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty."),
    "history tool_fields @2.0",
  ],
  [
    "harness/providers",
    geminiError(
      "Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for \"x\"",
    ),
    "history thinking @1.0",
  ],
  [
    "harness/providers",
    geminiError(
      "Invalid value at 'contents[1].parts[0].inline_data.data' (TYPE_BYTES), Base64 decoding failed for \"x\"",
    ),
    "history image @1.0",
  ],
  ["gemini-cli#15568", geminiError("Request contains an invalid argument."), "history unspecified"],
  [
    "Gemini, documented",
    geminiError(
      "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
    ),
    "history image",
  ],
  [
    "OpenHands#4912, Bedrock",
    'litellm.BadRequestError: BedrockException - {"message":"The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn."}',
    "history tool_pairing @2",
  ],
  [
    "harness/providers",
    aws(
      "Expected toolResult blocks at messages.4.content for the following Ids: tooluse_a1, tooluse_b2, but found: tooluse_c3",
    ),
    "history tool_pairing @4 tooluse_a1 tooluse_b2 tooluse_c3",
  ],
  [
    "harness/providers",
    aws("The toolUse blocks at messages.3.content contain duplicate Ids: tooluse_a1"),
    "history tool_id @3 tooluse_a1",
  ],
  [
    "openclaw#71572",
    aws(
      "The content field in the Message object at messages.9 is empty. Add a ContentBlock object to the content field and try again.",
    ),
    "history empty_content @9",
  ],
  [
    "openclaw#72899",
    aws(
      "The text field in the ContentBlock object at messages.6.content.0 is blank. Add text to the text field, and try again.",
    ),
    "history empty_content @6.0",
  ],
  [
    "litellm#6053",
    aws("messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn."),
    "history tool_pairing @2",
  ],
  [
    "sample-multi-agent#15",
    aws("The content field at messages.4.content.0.toolResult cannot be empty when status value is error."),
    "history tool_fields @4.0",
  ],
  [
    "harness/providers",
    aws(
      "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    ),
    "history role_order",
  ],
  [
    "harness/providers",
    aws(
      "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
    ),
    "history role_order",
  ],
  [
    "harness/providers",
    aws(
      "The model returned the following errors: This model does not support assistant message prefill. The conversation must end with a user message.",
    ),
    "history role_order",
  ],
  [
    "harness/providers",
    aws(
      "1 validation error detected: Value 'functions.exec:0' at 'messages.3.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
    ),
    "history tool_id @2.0 functions.exec:0",
  ],
  [
    "harness/providers",
    aws(
      "The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for the field and try again.",
    ),
    "history tool_fields @1.0",
  ],
  [
    "pi-ai, Bedrock stream",
    "Validation error: messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: tooluse_q7. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    "history tool_pairing @2.0 tooluse_q7",
  ],
  [
    "muse#28, Bedrock",
    aws("The toolConfig field must be defined when using toolUse and toolResult content blocks"),
    "history unspecified",
  ],
  ["pi-ai, Bedrock adapter", "Unknown assistant content type", "history block_form"],
  ["pi-ai, Bedrock adapter", "Unknown message role", "history role_order"],
  [
    "harness/providers",
    geminiError("Invalid JSON payload received. Message too deep. Max recursion depth reached."),
    "history block_form",
  ],
];
