import type { HistoryProblem } from "../failure.ts";
import { pattern } from "./saying.ts";

// Patterns of errors that are about the history, matched like those of elsewhere.ts. The first match counts, and the
// order matters: errors on thinking and ids may mention calls and results too.

/** Sentences with which providers report a broken rule on the history. */
export const SENTENCES: readonly (readonly [HistoryProblem, RegExp])[] = [
  [
    "thinking",
    pattern(
      String.raw`signature in thinking block|expected thinking or redacted_thinking|(?:thinking|`,
      String.raw`redacted_thinking) blocks in the latest|thinking or redacted_thinking blocks, the blocks must match|`,
      String.raw`final block in an assistant message cannot be (?:redacted_)?thinking|reasoning_content|`,
      String.raw`thought[_ ]?signature|required (?:following item|reasoning item)|encrypted[_ ]content|`,
      String.raw`items are not persisted|reasoningcontent\.|both content and thinking`,
    ),
  ],
  ["too_many_images", /at most \d{1,4} images?|too many images|\bpdf pages may be provided/],
  [
    "image",
    pattern(
      String.raw`image exceeds|image dimensions|image length and width do not meet|image must have at least|`,
      String.raw`attached image or document is too large|could not process image|unable to process input image|`,
      String.raw`unsupported image|does not represent a valid image|provided image is (?:not valid|invalid)|`,
      String.raw`unsupported mime type: (?:image|audio|video|application)/|pdf specified was not valid`,
    ),
  ],
  [
    "tool_id",
    pattern(
      String.raw`tool_use ids must be unique|duplicate (?:value for )?tool_call_?id|duplicate (?:function[ _]call|item|`,
      String.raw`tool)|contain duplicate ids|tool call id (?:was|is) (?!not found)|input item id does not belong`,
    ),
  ],
  [
    "tool_pairing",
    pattern(
      String.raw`unexpected tool_use_id|tool_use ids were found|must have a corresponding|must have a single result|`,
      String.raw`role (?:of )?tool must be a response|must be followed by (?:a )?tool (?:messages?|responses?)|`,
      String.raw`insufficient tool messages|tool_call_?ids? .{0,80}not (?:found|have response)|no tool (?:call|`,
      String.raw`output) found|tool call output is missing|number of (?:function response parts|tool_?result blocks|`,
      String.raw`function calls and responses)|function (?:call|response) turn comes immediately|`,
      String.raw`tool results? tool id ?\(|tool (?:call )?results? does not follow|`,
      String.raw`mismatch between tool calls and tool results|expected toolresult blocks|`,
      String.raw`was found without a corresponding|tool (?:use|result) blocks cannot be provided in the same turn|`,
      String.raw`invalid_replay_transcript|functionresponse\.id does not match`,
    ),
  ],
  ["tool_fields", /invalid (?:function arguments|tool call arguments)|tool_calls\.function/],
  [
    "empty_content",
    pattern(
      String.raw`non-?empty content|text content blocks must|must not be empty|content cannot be empty|`,
      String.raw`(?:content|text|`,
      String.raw`messages) field .{0,80}(?:is empty|is blank)|at least one (?:content element|message is required|`,
      String.raw`non-empty|contents field|parts? )|either content or tool_calls|expected a string, got null|`,
      String.raw`contents is not specified|should have at least one part|(?:messages|input|contents): empty array|`,
      String.raw`required oneof field|text must not be blank`,
    ),
  ],
  [
    "role_order",
    pattern(
      String.raw`roles must alternate|roles should be alternating|must alternate between|incorrect role information|`,
      String.raw`角色信息不正确|unexpected (?:message )?role|first message must|must (?:start|begin|end) with a user|`,
      String.raw`expected last role|last message must|assistant message prefill|multiturn requests|use a valid role|`,
      String.raw`(?:unknown|invalid) message role|system message must be|no user query found|`,
      String.raw`final assistant content cannot|supported values are: (?:system|developer|user|assistant|tool)\b`,
    ),
  ],
  [
    "block_form",
    pattern(
      String.raw`unknown (?:user|assistant) content type|body is not valid json|could not parse the json body|`,
      String.raw`invalid utf-8|message too deep|exactly one of the following keys|single text element per message|`,
      String.raw`supported values are: (?:text|input_text|output_text|summary_text|message|function_call|image_url)\b`,
    ),
  ],
  [
    "unspecified",
    pattern(
      String.raw`messages? parameter is illegal|messages 参数非法|`,
      String.raw`toolconfig field must be defined when using tooluse|(?:^|`,
      String.raw`\| |invalid |\b4\d\d )(?:messages|contents): |(?:value at|type for|parameter:) (?:messages|input|`,
      String.raw`contents)\b(?![.[])`,
    ),
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
    new RegExp(
      pattern(
        String.raw`\b(?:tool_use|tool_result|tool_calls|toolUse|toolResult|function|function_call|function_response|`,
        String.raw`functionCall|functionResponse|arguments|name|args)\b`,
      ),
      "i",
    ),
  ],
  ["role_order", /\brole$/i],
];

/**
 * OpenClaw 2026.9 puts this in place of an error with `data:`, `image:` or JSON that does not parse. Of the errors on
 * histories those on images have such words: `messages.2.content.1.image.source.base64.data: Could not process image`.
 */
export const REDACTED = /\[malformed diagnostic json redacted\]/;

/** Words without information; an error that consists only of these gives no reason. */
export const NEUTRAL = new RegExp(
  pattern(
    String.raw`\b(?:http|api|error|exception|code|status|type|message|null|none|reason|got|client|request|req|bad|`,
    String.raw`invalid|improperly|formed|contains?|an?|argument|provider|returned|from|no|body|badrequest|`,
    String.raw`badrequesterror|invalid_request_error|invalid_request_body|invalid_argument|bad_request_error|`,
    String.raw`bad_request|invalidrequesterror|api_error|upstream_error|litellm|openaiexception|anthropicexception|`,
    String.raw`validationexception|apierror|400|422)\b`,
  ),
  "g",
);

/** Local servers report an error of a chat template with status 500. */
export const TEMPLATE = /jinja|raise_exception|conversation roles must alternate/;
