// Words that tell nothing of the reason for an error, and words that OpenClaw puts in place of it.

/** Words without information, by who writes them; an error that consists only of these gives no reason. */
const WORDS: readonly (readonly [provider: string, words: string])[] = [
  ["several", "http|api|error|exception|code|status|type|message|null|none|reason|client|request|req|bad|4\\d\\d"],
  ["several", "invalid|contains?|an?|argument|from|no|body|api_?error"],
  ["OpenAI SDK", "got|badrequest|badrequesterror|invalidrequesterror"],
  ["OpenRouter", "provider|returned"],
  ["Anthropic", "improperly|formed"],
  ["Anthropic, OpenAI", "invalid_request_error"],
  ["GitHub Copilot", "invalid_request_body"],
  ["Gemini", "invalid_argument"],
  ["MiniMax", "bad_request_error"],
  ["gateways", "bad_request|upstream_error"],
  ["LiteLLM", "litellm|openaiexception|anthropicexception"],
  ["Bedrock", "validationexception"],
];
export const NEUTRAL = new RegExp(`\\b(?:${WORDS.map(([, words]) => words).join("|")})\\b`, "g");

/**
 * OpenClaw 2026.9 puts this in place of an error with `data:`, `image:` or JSON that does not parse. Of the errors on
 * histories those on images have such words: `messages.2.content.1.image.source.base64.data: Could not process image`.
 */
export const REDACTED = /\[malformed diagnostic json redacted\]/;
