import type { Saying } from "./saying.ts";

// Errors about another part of a request than the history: tools, parameters, headers, what the model is able to do.

/** The model lacks an ability, wherever in the history it was asked for. */
export const ABILITY: readonly Saying[] = [
  [
    "several",
    /(?:support|accept)s? (?:for )?(?:the )?(?:tools?\b(?! (?:ids|messages))|tool[ _](?:use|calling|choice))/,
  ],
  ["several", /(?:support|accept)s? (?:for )?(?:the )?function[ _-]?call/],
  ["several", /(?:support|accept)s? (?:for )?(?:the )?(?:images?\b|image[ _]?(?:input|url|content)|vision)/],
  ["Bedrock, Gemini", /(?:support|accept)s? (?:for )?(?:the )?(?:audio|video)/],
  ["Bedrock, OpenAI", /(?:support|accept)s? (?:for )?(?:the )?system (?:messages?|prompts?)/],
  ["several", /(?:support|accept)s? (?:for )?(?:the )?(?:reasoning\b|thinking\b)/],
  ["OpenAI", /only supported by certain models/],
];

/** A field of a block of thinking, not of the parameter of this name. */
const OF_THOUGHT = "thinking\\.(?:signature|thinking)\\b";
export const THINKING_FIELD = new RegExp(`^${OF_THOUGHT}`, "i");

/** Fields of a request body that hold no part of the history, by the APIs that have them. */
const FIELDS_OF: readonly (readonly [provider: string, fields: string])[] = [
  ["several", "tools|tool_choice|temperature|top_p|max_tokens|stream|metadata|stop|service_tier"],
  ["Anthropic", `(?!${OF_THOUGHT})thinking`],
  ["Anthropic", "system|top_k|stop_sequences|output_config|context_management|betas"],
  ["OpenAI", "functions|max_completion_tokens|max_output_tokens|stream_options|response_format|modalities|seed"],
  ["OpenAI", "reasoning|reasoning_effort|verbosity|parallel_tool_calls|logprobs|top_logprobs|logit_bias"],
  ["OpenAI", "frequency_penalty|presence_penalty|prompt_cache_\\w{1,30}"],
  ["OpenAI", "store|include|instructions|truncation|previous_response_id|background"],
  ["Gemini", "tool_config|toolconfig|function_declarations|system_instruction|generation_?config|safety_settings"],
  ["Bedrock", "toolconfig|inferenceconfig"],
];
const NAMES = FIELDS_OF.map(([, fields]) => fields).join("|");
const OTHER_FIELD = `(?:generatecontentrequest\\.)?(?:${NAMES})(?:[.[][\\w.[\\]]{0,200})?`;

/** A path that begins in another part of the body. */
export const OTHER_PATH = new RegExp(`^${OTHER_FIELD}$`);

/** A path of names and indices; the first name. */
export const FIRST_NAME = /^(?:(?:body|request|generatecontentrequest)\.)?([a-z_]\w{0,99})(?:[.[][\w.[\]-]*)?$/;

const HISTORY_NAMES = "\\w*(?:messages?|history|conversation|instructions?|error)|system\\w*";
const TEXT_NAMES = "contents?|text|prompt|input|output|refusal|summary|reasoning_(?:content|details|text)";
const THOUGHT_NAMES = "thought\\w*|thinking_blocks|redacted_thinking|signature|encrypted_content";
const PART_NAMES = "role|type|name|id|parts?|data|source|url|image\\w*|file\\w*|audio|video\\w*|document\\w*|media\\w*";
const CALL_NAMES =
  "(?:[a-z]+_){0,3}(?:tool|function)_?(?:calls?|use|result|response)(?:_\\w+)?|call_id|function|arguments|args";

/** A name that may be of the history, or of what is in it; or no field, as `validation_error` (Cerebras). */
export const MAY_BE_HISTORY = new RegExp(
  `^(?:${[HISTORY_NAMES, TEXT_NAMES, THOUGHT_NAMES, PART_NAMES, CALL_NAMES].join("|")})$`,
);

/** The error begins with such a path. */
export const OTHER_SUBJECT = new RegExp(`(?:^|\\| |\\b[45]\\d\\d (?:\\* )?|\\binvalid )(?:body\\.)?${OTHER_FIELD}: `);

/** A sentence of a validator on a path; the path. Anything else before a colon may be a heading or an error's name. */
export const JUDGED_PATH =
  /^(?:[45]\d\d )?([a-z_][\w.[\]]{0,300}): (?:Field required|(?:Input|Number|String|List) should )/;

/** The missing ability concerns the history, not the tools on offer. */
export const IN_HISTORY: readonly Saying[] = [
  ["several", /\bparallel (?:`?tool_?use|tool calls|function calls?)/],
  ["several", /\b(?:blocks?|messages|parts) in the (?:conversation|history)/],
  ["LiteLLM", /tool calling without tools= param/],
  ["Bedrock", /\b(?:video|audio|document) content block\b/],
];

/** Words of which an error without a status must have some to be about a history. */
export const HISTORY_WORDS: readonly Saying[] = [
  ["several", /\btool[ _]?(?:use|result|call|message)s?\b|\bfunction[ _]?(?:call|response)/],
  ["Bedrock", /\btooluse|\btoolresult|\bvalidationexception\b/],
  ["several", /\bin the (?:conversation|history)|^(?:error: )?invalid request\.?$/],
];

/** Words for other parts of a request, where no path names them. */
export const OTHER_WORDS: readonly Saying[] = [
  ["several", /\b(?:temperature|top_p|max_(?:completion_|output_)?tokens|tool_choice|schema|unsupported)\b/],
  ["Anthropic", /\b(?:cache_control|beta|header|effort level|extra inputs)\b/],
  ["OpenAI", /\b(?:stream_options|reasoning_?effort|previous response|response_format|text\.format)\b/],
  ["OpenAI", /\b(?:unknown parameter|function (?:parameters|name))\b/],
  ["Codex", /\b(?:(?:store|stream) must be set|instructions are required)\b/],
  ["Gemini", /\b(?:function_declarations|safety (?:settings|category)|thinking (?:budget|level))\b|\btools\[/],
  ["Bedrock", /\btoolconfig\.tool|maximum tokens you requested/],
  ["xAI", /\b(?:argument not supported|image (?:inputs?|content))\b/],
  ["Groq", /\b(?:failed to call a function|tool call validation failed|decommissioned)\b/],
  ["DeepSeek", /\bmodel not exist\b/],
  ["MiniMax", /\b(?:chat setting|tool type)\b/],
  ["Z.ai", /\bapi parameter\b/],
  ["Azure", /\bapi version\b/],
  ["LiteLLM", /\bbudget has been exceeded\b/],
  ["OpenClaw", /\bprovider returned an (?:incomplete|malformed)\b/],
  ["Envoy", /\b(?:no healthy upstream|upstream connect error)\b/],
  ["nginx", /\bhttps port\b/],
  ["several", /\b(?:page|path|route|url|endpoint|resource) (?:was )?not found\b|^(?:error: )?404:? not found$/],
  ["Express", /\bcannot post\b/],
  ["several", /\b(?:maintenance|temporarily unavailable|quota)\b|\bnot supported (?:by|on|with) /],
  ["Fireworks", /field: tools|extra fields not permitted/],
  ["vLLM", /tool choice requires/],
  ["DashScope", /tool names are not allowed/],
  ["Cerebras", /\bbody\.model: /],
];
