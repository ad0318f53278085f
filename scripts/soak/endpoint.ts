import type { FrontAnswer, FrontRequest } from "../../harness/providers/index.ts";
import type { ModelApi } from "../../harness/openclaw/types.ts";
import { refusal, tooManyTokens } from "../size/refusals.ts";

/** What a model's endpoint cannot do. */
export type Weakness = "takes less" | "no pictures" | "no system prompt";

/** Models that a conversation may be switched to and that refuse what the others take, by their names. */
export const WEAK_MODELS: readonly { api: ModelApi; model: string; weakness: Weakness }[] = [
  { api: "openai-completions", model: "small-1", weakness: "takes less" },
  { api: "openai-completions", model: "blind-1", weakness: "no pictures" },
  { api: "openai-completions", model: "gemma-3-27b-it", weakness: "no system prompt" },
];

/** Behind the system prompt and the tools this leaves room for some ten turns. */
const MOST_BYTES = 90_000;
const BYTES_A_TOKEN = 4;
const PICTURE = /"type":"(?:image|image_url|input_image)"|"inlineData"/;
const SYSTEM = /"role":"(?:system|developer)"/;

/** Whether the request goes to one of them. */
export function isWeak({ model }: Pick<FrontRequest, "model">): boolean {
  return WEAK_MODELS.some((one) => one.model === model);
}

/** What a weak model's endpoint says of a request that it cannot take; undefined where it takes it, as others do. */
export function refuse({ api, raw, model }: Pick<FrontRequest, "api" | "raw" | "model">): FrontAnswer | undefined {
  switch (WEAK_MODELS.find((one) => one.model === model)?.weakness) {
    case "takes less": {
      const tokens = (bytes: number): number => Math.ceil(bytes / BYTES_A_TOKEN);
      return raw.length > MOST_BYTES ? tooManyTokens(api, tokens(raw.length), tokens(MOST_BYTES)) : undefined;
    }
    case "no pictures":
      return PICTURE.test(raw) ? refusal(api, { message: "image input is not supported by this model" }) : undefined;
    case "no system prompt":
      return SYSTEM.test(raw) ? refusal(api, { message: "system role not supported" }) : undefined;
    case undefined:
      return undefined;
  }
}

/** What a proxy says that lets nothing through. */
export const PROXY_REFUSAL: FrontAnswer = {
  status: 403,
  contentType: "text/html",
  body: "<html><head><title>403 Forbidden</title></head><body><center><h1>403 Forbidden</h1></center><hr><center>proxy</center></body></html>",
};
