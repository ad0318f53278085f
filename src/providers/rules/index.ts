import type { Api, RuleContext, Violation } from "../types.ts";
import { anthropicViolations } from "./anthropic.ts";
import { bedrockViolations } from "./bedrock.ts";
import { geminiViolations } from "./gemini.ts";
import { completionsViolations } from "./openai-completions.ts";
import { responsesViolations } from "./openai-responses.ts";

const RULES: Record<Api, (body: unknown, context: RuleContext) => Violation[]> = {
  "anthropic-messages": anthropicViolations,
  "openai-completions": completionsViolations,
  "openai-responses": responsesViolations,
  "google-generative-ai": geminiViolations,
  "bedrock-converse-stream": bedrockViolations,
};

/**
 * Every rule of `api` that `body` breaks, in the order in which the API would complain; the shape first, and the
 * order of the turns only where the shape is right. Pure. `context.model` is the model in the URL (Gemini, Bedrock).
 */
export function listViolations(api: Api, body: unknown, context: RuleContext = {}): Violation[] {
  return RULES[api](body, context);
}
