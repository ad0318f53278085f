/** Whose servers refuse what the cards say, or take it. */
import type { Host } from "../card.ts";

const at = (host: string, model: string): Host => ({ host, model });
const BEDROCK = "bedrock-runtime.amazonaws.com";

export const ANTHROPIC = at("api.anthropic.com", "claude-opus-4-5");
export const OPENAI = at("api.openai.com", "gpt-5.2");
export const GEMINI = at("generativelanguage.googleapis.com", "gemini-2.5-pro");
export const MISTRAL = at("api.mistral.ai", "mistral-large-latest");
export const DEEPSEEK_REASONER = at("api.deepseek.com", "deepseek-reasoner");
export const KIMI = at("api.moonshot.ai", "kimi-k2");
export const GROK = at("api.x.ai", "grok-4.3");
export const OPENROUTER = at("openrouter.ai", "anthropic/claude-opus-4.5");
export const BEDROCK_CLAUDE = at(BEDROCK, "us.anthropic.claude-opus-4-5-20251101-v1:0");
export const BEDROCK_NOVA = at(BEDROCK, "us.amazon.nova-pro-v1:0");
export const BEDROCK_LLAMA = at(BEDROCK, "us.meta.llama3-3-70b-instruct-v1:0");
