import type { FilteredPart } from "../failure.ts";
import { pattern } from "./saying.ts";

// Patterns of errors that are not about the history. They are matched against text in lower case without quotes,
// backticks and backslashes, with single spaces. Gaps are bounded, so that each pattern is linear.

/** Content filters and refusals, by what they stopped; the first match counts. */
export const FILTERS: readonly (readonly [FilteredPart, RegExp])[] = [
  ["prompt", /due to the prompt triggering|prompt (?:was |is |has been )?(?:blocked|flagged)/],
  ["refusal", /\banthropic refusal(?: \(category|[:.])|(?:finish|incomplete|stop)[_ ]reason:? ?refusal/],
  [
    "answer",
    pattern(
      String.raw`output blocked by content filter|output (?:text |image )?data may contain inappropriate|`,
      String.raw`output new_sensitive|google generation stopped \((?:safety|recitation|blocklist|`,
      String.raw`prohibited_content|spii|`,
      String.raw`image_safety)\)|(?:finish|incomplete|stop)[_ ]reason:? ?(?:content[_-]filter|safety|recitation|`,
      String.raw`sensitive|prohibited_content|blocklist|spii|guardrail)`,
    ),
  ],
  [
    "prompt",
    pattern(
      String.raw`input (?:was|is) flagged|input (?:text |image )?data may contain inappropriate|input new_sensitive|`,
      String.raw`content exists risk|considered high risk|content violates usage guidelines|`,
      String.raw`violat\w{1,4} (?:our |the |`,
      String.raw`openais? )?(?:usage|content) polic|prompt injection patterns detected|flagged for possible`,
    ),
  ],
  [
    "unknown",
    pattern(
      String.raw`\bcontent[_-]?filter(?:ed|ing)?\b|content_?policy_?violation|prohibited_content|safety system|`,
      String.raw`sensitive content|敏感内容`,
    ),
  ],
];

/** The whole text with which early releases report a refusal, a content filter and Gemini's SAFETY. */
export const NAMELESS_REFUSAL = /^an unknown error occurred\.?$/;

/** Keys, permissions, billing and models. Some providers report these with status 400. */
export const ACCESS: readonly RegExp[] = [
  pattern(
    String.raw`credit balance|insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current|\bbilling|`,
    String.raw`api usage limits?|usage[_ ]limit[_ ](?:has been )?(?:reached|exceeded)|out of (?:extra usage|credits)|`,
    String.raw`requires more credits`,
  ),
  pattern(
    String.raw`invalid (?:x-)?api[ -]?key|incorrect api key|api key (?:not valid|is invalid|expired|not found)|(?:no|`,
    String.raw`missing) api key|unauthori[sz]ed|authentication|token has expired|security token included`,
  ),
  pattern(
    String.raw`permission[_ ]denied|permission_error|access[_ ]?denied|(?:do(?:es)?nt|do(?:es)? not) have (?:access|`,
    String.raw`permission)|\bforbidden\b|organization (?:has been disabled|must be verified)|`,
    String.raw`user location is not supported`,
  ),
  pattern(
    String.raw`\bmodels?:? ?[\w./:@-]{1,120} (?:does not exist|(?:was |is )?not found|is no longer available|`,
    String.raw`is not available)|(?:invalid|unknown|unsupported) model\b|not a valid model|`,
    String.raw`requested model is not supported|model is not supported when using|model identifier is invalid|`,
    String.raw`on-demand throughput|no endpoints found matching|not_found_error`,
  ),
];
export const ACCESS_STATUS: ReadonlySet<number> = new Set([401, 402, 403, 404]);

/** Temporary errors: the same request may work later. */
export const OVERLOAD = pattern(
  String.raw`overloaded|rate[_ -]?limit|too many requests|too many tokens, please wait|throttl|resource_exhausted|`,
  String.raw`try again later|(?:try again|retry) in \d|at capacity|high demand|service ?unavailable|bad gateway|`,
  String.raw`gateway time-?out|internal ?server ?error|server_error|server had an error|`,
  String.raw`unexpected error during processing|internal error (?:has occurred|encountered)|model stream error|`,
  String.raw`loading model|(?:still|currently) loading`,
);
export const OVERLOAD_CODES: ReadonlySet<string> = new Set([
  "unavailable",
  "internal",
  "deadline_exceeded",
  "api_error",
  "timeout_error",
]);
/** Errors of the connection; used only without an HTTP status, since a status means that the provider has answered. */
export const CONNECTION = pattern(
  String.raw`fetch failed|\becon\w{3,12}|\benotfound|\betimedout|\beai_again|socket hang up|connection (?:error|`,
  String.raw`closed|reset|refused|terminated|lost)|network[_ ]error|\btimed? ?out\b|premature close|`,
  String.raw`other side closed|stream (?:ended|closed|disconnected)|^(?:error: )?terminated\.?$|finish_reason: error`,
);
export const OVERLOAD_STATUS: ReadonlySet<number> = new Set([408, 425, 429]);

/** The model lacks an ability, wherever in the history it was asked for. */
export const ABILITY = pattern(
  String.raw`(?:support|accept)s? (?:for )?(?:the )?(?:images?\b|image[ _]?(?:input|url|content)|vision|audio|video|`,
  String.raw`tools?\b(?! (?:ids|messages))|tool[ _](?:use|calling|choice)|function[ _-]?call|system (?:messages?|`,
  String.raw`prompts?)|reasoning\b|thinking\b)|only supported by certain models`,
);

const NOT_HISTORY = [
  "tools|tool_choice|tool_config|toolconfig|functions|function_declarations|system|system_instruction|",
  "temperature|top_p|top_k|max_tokens|max_completion_tokens|max_output_tokens|thinking|metadata|stream|",
  "stream_options|stop|stop_sequences|response_format|reasoning|reasoning_effort|parallel_tool_calls|",
  "output_config|context_management|betas|service_tier|store|include|instructions|truncation|logprobs|",
  "top_logprobs|logit_bias|frequency_penalty|presence_penalty|seed|modalities|verbosity|",
  "previous_response_id|background|generation_?config|safety_settings|inferenceconfig|",
  "prompt_cache_\\w{1,30}",
].join("");
const OTHER_FIELD = `(?:generatecontentrequest\\.)?(?:${NOT_HISTORY})(?:[.[][\\w.[\\]]{0,200})?`;
/** A path that begins in another part of the body. */
export const OTHER_PATH = new RegExp(`^${OTHER_FIELD}$`);
/** The error begins with such a path. */
export const OTHER_SUBJECT = new RegExp(`(?:^|\\| |\\b[45]\\d\\d (?:\\* )?)${OTHER_FIELD}: `);

/** The missing ability concerns the history, not the tools on offer. */
export const IN_HISTORY =
  /\bparallel (?:`?tool_?use|tool calls|function calls?)|\b(?:blocks?|messages|parts) in the (?:conversation|history)/;

/** Words that an error without a status must contain to be about a history. */
export const HISTORY_WORDS = pattern(
  String.raw`\btool[ _]?(?:use|result|call|message)s?\b|\btooluse|\btoolresult|\bfunction[ _]?(?:call|response)|`,
  String.raw`\bin the (?:conversation|history)|^(?:error: )?invalid request\.?$`,
);

/** Words for other parts of a request, where no path names them. */
export const OTHER_WORDS = pattern(
  String.raw`\b(?:temperature|top_p|max_(?:completion_|output_)?tokens|cache_control|schema|function (?:parameters|`,
  String.raw`name)|api parameter|chat setting|tool type|tool_choice|stream_options|reasoning_?effort|`,
  String.raw`image (?:inputs?|content)|previous response|failed to call a function|tool call validation failed|beta|`,
  String.raw`header|unsupported|effort level|extra inputs|function_declarations|argument not supported|`,
  String.raw`response_format|text\.format|provider returned an (?:incomplete|malformed)|no healthy upstream|`,
  String.raw`upstream connect error|maintenance|temporarily unavailable|quota|budget has been exceeded|`,
  String.raw`model not exist|decommissioned|unknown parameter|(?:store|stream) must be set|instructions are required|`,
  String.raw`safety (?:settings|category)|thinking (?:budget|level)|api version|https port)\b|\btools\[|field: tools|`,
  String.raw`\bnot supported (?:by|on|with) `,
);
