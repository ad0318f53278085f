import { historyField } from "../../../src/wire/apis.ts";
import type { Card, Host, Json } from "../card.ts";

/** Returns the body with which a history is sent to a host. */
export function requestTo({ model }: Host, { api, fields = {} }: Card, history: readonly unknown[]): Json {
  const body = { [historyField(api)!]: history, ...fields };
  switch (api) {
    case "anthropic-messages":
      return { model, max_tokens: 100, ...body };
    case "bedrock-converse-stream":
      return { modelId: model, ...body };
    case "google-generative-ai":
      return body;
    case "openai-responses":
      return { model, store: false, ...body };
    default:
      return { model, ...body };
  }
}
