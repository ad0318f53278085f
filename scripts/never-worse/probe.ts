import { isObject } from "../../harness/providers/index.ts";

const MOST_TOKENS = 16;

/** Whether a request asks for so few tokens that it only asks whether it would be taken. */
export function isProbe(body: unknown): boolean {
  if (!isObject(body)) return false;
  const settings = [body, body["generationConfig"], body["inferenceConfig"]].filter(isObject);
  const names = ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens"];
  const limits = settings.flatMap((one) => names.map((name) => one[name]));
  return limits.some((limit) => typeof limit === "number" && limit <= MOST_TOKENS);
}
