import type { FilteredPart } from "../failure.ts";

// Patterns of errors that are not about the history. They are matched against text in lower case without quotes,
// backticks and backslashes, with single spaces. Gaps are bounded, so that each pattern is linear.

/** Content filters and refusals, by what they stopped; the first match counts. */
export const FILTERS: readonly (readonly [FilteredPart, RegExp])[] = [
  ["prompt", /due to the prompt triggering|prompt (?:was |is |has been )?(?:blocked|flagged)/],
  ["refusal", /\banthropic refusal(?: \(category|[:.])|(?:finish|incomplete|stop)[_ ]reason:? ?refusal/],
  [
    "answer",
    /output blocked by content filter|output (?:text |image )?data may contain inappropriate|output new_sensitive|google generation stopped \((?:safety|recitation|blocklist|prohibited_content|spii|image_safety)\)|(?:finish|incomplete|stop)[_ ]reason:? ?(?:content[_-]filter|safety|recitation|sensitive|prohibited_content|blocklist|spii|guardrail)/,
  ],
  [
    "prompt",
    /input (?:was|is) flagged|input (?:text |image )?data may contain inappropriate|input new_sensitive|content exists risk|considered high risk|content violates usage guidelines|violat\w{1,4} (?:our |the |openais? )?(?:usage|content) polic|prompt injection patterns detected|flagged for possible/,
  ],
  [
    "unknown",
    /\bcontent[_-]?filter(?:ed|ing)?\b|content_?policy_?violation|prohibited_content|safety system|sensitive content|敏感内容/,
  ],
];

/** The whole text with which early releases report a refusal, a content filter and Gemini's SAFETY. */
export const NAMELESS_REFUSAL = /^an unknown error occurred\.?$/;

/** Keys, permissions, billing and models. Some providers report these with status 400. */
export const ACCESS: readonly RegExp[] = [
  /credit balance|insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current|\bbilling|api usage limits?|usage[_ ]limit[_ ](?:has been )?(?:reached|exceeded)|out of (?:extra usage|credits)|requires more credits/,
  /invalid (?:x-)?api[ -]?key|incorrect api key|api key (?:not valid|is invalid|expired|not found)|(?:no|missing) api key|unauthori[sz]ed|authentication|token has expired|security token included/,
  /permission[_ ]denied|permission_error|access[_ ]?denied|(?:do(?:es)?nt|do(?:es)? not) have (?:access|permission)|\bforbidden\b|organization (?:has been disabled|must be verified)|user location is not supported/,
  /\bmodels?:? ?[\w./:@-]{1,120} (?:does not exist|(?:was |is )?not found|is no longer available|is not available)|(?:invalid|unknown|unsupported) model\b|not a valid model|requested model is not supported|model is not supported when using|model identifier is invalid|on-demand throughput|no endpoints found matching|not_found_error/,
];
export const ACCESS_STATUS: ReadonlySet<number> = new Set([401, 402, 403, 404]);

/** Temporary errors: the same request may work later. */
export const OVERLOAD =
  /overloaded|rate[_ -]?limit|too many requests|too many tokens, please wait|throttl|resource_exhausted|try again later|(?:try again|retry) in \d|at capacity|high demand|service ?unavailable|bad gateway|gateway time-?out|internal ?server ?error|server_error|server had an error|unexpected error during processing|internal error (?:has occurred|encountered)|model stream error|loading model|(?:still|currently) loading/;
export const OVERLOAD_CODES: ReadonlySet<string> = new Set([
  "unavailable",
  "internal",
  "deadline_exceeded",
  "api_error",
  "timeout_error",
]);
/** Errors of the connection; used only without an HTTP status, since a status means that the provider has answered. */
export const CONNECTION =
  /fetch failed|\becon\w{3,12}|\benotfound|\betimedout|\beai_again|socket hang up|connection (?:error|closed|reset|refused|terminated|lost)|network[_ ]error|\btimed? ?out\b|premature close|other side closed|stream (?:ended|closed|disconnected)|^(?:error: )?terminated\.?$|finish_reason: error/;
export const OVERLOAD_STATUS: ReadonlySet<number> = new Set([408, 425, 429]);

/** The request as a whole is too long. */
export const SIZE =
  /prompt (?:is )?too long|context[_ ]?(?:length|window)|context limit|input (?:is )?too long|input tokens exceeded|total length of all messages is too long|exceed(?:s|ed)? .{0,60}(?:number of tokens|token limit|tokens? allowed)|request[_ ](?:entity[_ ])?(?:is )?too[_ ]large|payload too large|reduce the length|(?:messages|input): array too long|exceed_context_size|range of input length/;
/** A single id or name that is too long; one wrapper reports that as a full context window. */
export const LONG_FIELD = /\b(?:id|call_id|name): string too long/;

/** The model lacks an ability, wherever in the history it was asked for. */
export const ABILITY =
  /(?:support|accept)s? (?:for )?(?:the )?(?:images?\b|image[ _]?(?:input|url|content)|vision|audio|video|tools?\b(?! (?:ids|messages))|tool[ _](?:use|calling|choice)|function[ _-]?call|system (?:messages?|prompts?)|reasoning\b|thinking\b)|only supported by certain models/;

const NOT_HISTORY =
  "tools|tool_choice|tool_config|toolconfig|functions|function_declarations|system|system_instruction|temperature|top_p|top_k|max_tokens|max_completion_tokens|max_output_tokens|thinking|metadata|stream|stream_options|stop|stop_sequences|response_format|reasoning|reasoning_effort|parallel_tool_calls|output_config|context_management|betas|service_tier|store|include|instructions|truncation|logprobs|top_logprobs|logit_bias|frequency_penalty|presence_penalty|seed|modalities|verbosity|previous_response_id|background|generation_?config|safety_settings|inferenceconfig|prompt_cache_\\w{1,30}";
const OTHER_FIELD = `(?:generatecontentrequest\\.)?(?:${NOT_HISTORY})(?:[.[][\\w.[\\]]{0,200})?`;
/** A path that begins in another part of the body. */
export const OTHER_PATH = new RegExp(`^${OTHER_FIELD}$`);
/** The error begins with such a path. */
export const OTHER_SUBJECT = new RegExp(`(?:^|\\| |\\b[45]\\d\\d (?:\\* )?)${OTHER_FIELD}: `);

/** The missing ability concerns the history, not the tools on offer. */
export const IN_HISTORY =
  /\bparallel (?:`?tool_?use|tool calls|function calls?)|\b(?:blocks?|messages|parts) in the (?:conversation|history)/;

/** Words that an error without a status must contain to be about a history. */
export const HISTORY_WORDS =
  /\btool[ _]?(?:use|result|call|message)s?\b|\btooluse|\btoolresult|\bfunction[ _]?(?:call|response)|\bin the (?:conversation|history)|^(?:error: )?invalid request\.?$/;

/** Words for other parts of a request, where no path names them. */
export const OTHER_WORDS =
  /\b(?:temperature|top_p|max_(?:completion_|output_)?tokens|cache_control|schema|function (?:parameters|name)|api parameter|chat setting|tool type|tool_choice|stream_options|reasoning_?effort|image (?:inputs?|content)|previous response|failed to call a function|tool call validation failed|beta|header|unsupported|extra inputs|function_declarations|argument not supported|response_format|text\.format|provider returned an (?:incomplete|malformed)|no healthy upstream|upstream connect error|maintenance|temporarily unavailable|quota|budget has been exceeded|model not exist|decommissioned|unknown parameter|(?:store|stream) must be set|instructions are required|safety (?:settings|category)|thinking (?:budget|level)|api version|https port)\b|\btools\[|field: tools|\bnot supported (?:by|on|with) /;
