import type { HistoryProblem } from "../failure.ts";

// Patterns of errors that are about the history, matched like those of elsewhere.ts. The first match counts, and the
// order matters: errors on thinking and ids may mention calls and results too.

/** Sentences with which providers report a broken rule on the history. */
export const SENTENCES: readonly (readonly [HistoryProblem, RegExp])[] = [
  [
    "thinking",
    /signature in thinking block|expected thinking or redacted_thinking|(?:thinking|redacted_thinking) blocks in the latest|thinking or redacted_thinking blocks, the blocks must match|final block in an assistant message cannot be (?:redacted_)?thinking|reasoning_content|thought[_ ]?signature|required (?:following item|reasoning item)|encrypted[_ ]content|items are not persisted|reasoningcontent\.|both content and thinking/,
  ],
  ["too_many_images", /at most \d{1,4} images?|too many images|\bpdf pages may be provided/],
  [
    "image",
    /image exceeds|image dimensions|could not process image|unable to process input image|unsupported image|does not represent a valid image|provided image is (?:not valid|invalid)|unsupported mime type: (?:image|audio|video|application)\/|pdf specified was not valid/,
  ],
  [
    "tool_id",
    /tool_use ids must be unique|duplicate (?:value for )?tool_call_?id|duplicate (?:function[ _]call|item|tool)|contain duplicate ids|tool call id (?:was|is) (?!not found)|input item id does not belong/,
  ],
  [
    "tool_pairing",
    /unexpected tool_use_id|tool_use ids were found|must have a corresponding|must have a single result|role (?:of )?tool must be a response|must be followed by (?:a )?tool (?:messages?|responses?)|insufficient tool messages|tool_call_?ids? .{0,80}not (?:found|have response)|no tool (?:call|output) found|tool call output is missing|number of (?:function response parts|tool_?result blocks|function calls and responses)|function (?:call|response) turn comes immediately|tool results? tool id ?\(|tool (?:call )?results? does not follow|mismatch between tool calls and tool results|expected toolresult blocks|was found without a corresponding|tool (?:use|result) blocks cannot be provided in the same turn|invalid_replay_transcript|functionresponse\.id does not match/,
  ],
  ["tool_fields", /invalid (?:function arguments|tool call arguments)|tool_calls\.function/],
  [
    "empty_content",
    /non-?empty content|text content blocks must|must not be empty|content cannot be empty|(?:content|text|messages) field .{0,80}(?:is empty|is blank)|at least one (?:content element|message is required|non-empty|contents field|parts? )|either content or tool_calls|expected a string, got null|contents is not specified|should have at least one part|(?:messages|input|contents): empty array|required oneof field|text must not be blank/,
  ],
  [
    "role_order",
    /roles must alternate|roles should be alternating|must alternate between|incorrect role information|unexpected role|first message must|must (?:start|begin|end) with a user|expected last role|last message must|assistant message prefill|multiturn requests|use a valid role|(?:unknown|invalid) message role|system message must be|no user query found|final assistant content cannot|supported values are: (?:system|developer|user|assistant|tool)\b/,
  ],
  [
    "block_form",
    /unknown (?:user|assistant) content type|body is not valid json|could not parse the json body|invalid utf-8|message too deep|exactly one of the following keys|single text element per message|supported values are: (?:text|input_text|output_text|summary_text|message|function_call|image_url)\b/,
  ],
  [
    "unspecified",
    /messages? parameter is illegal|messages 参数非法|toolconfig field must be defined when using tooluse|(?:^|\| |invalid |\b4\d\d )(?:messages|contents): |(?:value at|type for|parameter:) (?:messages|input|contents)\b(?![.[])/,
  ],
];

/** The problem by the field that a path names. */
export const FIELDS: readonly (readonly [HistoryProblem, RegExp])[] = [
  [
    "thinking",
    /\b(?:thinking|redacted_thinking|signature|thought_?signature|reasoning\w*|encrypted_content|summary)\b/i,
  ],
  ["image", /\b(?:image|image_url|inline_?data|document|source|media_type|mime_type)\b/i],
  ["tool_id", /\b(?:tool_?use_?id|tool_?call_?id|call_id|toolUseId|id)$/i],
  [
    "tool_fields",
    /\b(?:tool_use|tool_result|tool_calls|toolUse|toolResult|function|function_call|function_response|functionCall|functionResponse|arguments|name|args)\b/i,
  ],
  ["role_order", /\brole$/i],
];

/**
 * OpenClaw 2026.9 puts this in place of an error with `data:`, `image:` or JSON that does not parse. Of the errors on
 * histories those on images have such words: `messages.2.content.1.image.source.base64.data: Could not process image`.
 */
export const REDACTED = /\[malformed diagnostic json redacted\]/;

/** Words without information; an error that consists only of these gives no reason. */
export const NEUTRAL =
  /\b(?:http|api|error|exception|code|status|type|message|null|none|reason|got|client|request|req|bad|invalid|improperly|formed|contains?|an?|argument|provider|returned|from|no|body|badrequest|badrequesterror|invalid_request_error|invalid_request_body|invalid_argument|bad_request_error|bad_request|invalidrequesterror|api_error|upstream_error|litellm|openaiexception|anthropicexception|validationexception|apierror|400|422)\b/g;

/** Local servers report an error of a chat template with status 500. */
export const TEMPLATE = /jinja/;
