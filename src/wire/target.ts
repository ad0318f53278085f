/** Where a request goes, as far as it is known. Rules that hold for some hosts or models only go by it. */
export interface Target {
  /** The model's id; empty where it is not known. */
  readonly model: string;
  /** The provider's host, such as `api.deepseek.com`; empty where it is not known. */
  readonly host: string;
  /** The client never has a model continue the beginning of an answer, so that a history must not end with one. */
  readonly neverPrefills: boolean;
}

const MISTRAL = /mistral|mixtral|codestral|devstral|magistral|ministral|pixtral|voxtral/i;

/** True for Mistral's models and host. */
export function isMistral({ model, host }: Target): boolean {
  return MISTRAL.test(model) || host.endsWith("mistral.ai");
}

export function isDeepSeek({ model, host }: Target): boolean {
  return /deepseek/i.test(model) || host.endsWith("deepseek.com");
}

/** True where no model is known. */
export function isUnknown({ model, host }: Target): boolean {
  return model === "" && host === "";
}

/** Models of other makers than OpenAI, whose servers have limits of their own. */
const OTHER_MODELS =
  /claude|anthropic|gemini|gemma|grok|deepseek|llama|qwen|qwq|kimi|moonshot|glm|minimax|mimo|sonar|nova|nemotron|granite|gpt-oss/i;
const OPENAI_HOSTS = /(?:^|\.)(?:openai\.com|azure\.com|chatgpt\.com|githubcopilot\.com)$|^azure$/;
const OTHER_HOSTS =
  /openrouter|vercel|x\.ai$|deepseek|mistral|groq|together|fireworks|cerebras|z\.ai$|moonshot|perplexity|ollama|huggingface|googleapis|amazonaws|minimax|dashscope/;

/** True for OpenAI's own server, which is not known to refuse a message of the user's without words. */
export function takesSilence({ host }: Target): boolean {
  return host === "api.openai.com";
}

/** Servers that refuse a message with a field that they do not know. */
const STRICT_HOSTS = /(?:^|\.)(?:mistral\.ai|groq\.com|cerebras\.ai|fireworks\.ai|opencode\.ai|googleapis\.com)$/;

/** True where a message may have fields that only some servers and proxies know. */
export function takesRareFields(target: Target): boolean {
  const { host } = target;
  if (host === "") return isUnknown(target) || !(isOpenAi(target) || isMistral(target));
  return !OPENAI_HOSTS.test(host) && !STRICT_HOSTS.test(host);
}

/** True for OpenAI's own models and servers, and for names that are nobody's known. */
export function isOpenAi(target: Target): boolean {
  const { model, host } = target;
  if (OPENAI_HOSTS.test(host)) return true;
  return !OTHER_HOSTS.test(host) && !OTHER_MODELS.test(model) && !isMistral(target);
}
