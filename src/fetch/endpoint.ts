import { isObject, type JsonObject } from "../transcript/json/json.ts";
import { type Api, historyField } from "../wire/apis.ts";

/** Where a request goes, as far as its address tells. */
export interface Endpoint {
  readonly api: Api;
  /** The host without its port, for rules that hold for some hosts. */
  readonly host: string;
  /** The model, where it stands in the path. */
  readonly model: string | undefined;
}

/** The ends of the paths of the APIs; the group is the model. */
const PATHS: readonly (readonly [RegExp, Api])[] = [
  [/\/messages$/, "anthropic-messages"],
  [/\/chat\/completions$/, "openai-completions"],
  [/\/responses$/, "openai-responses"],
  [/\/models\/([^/:]{1,200}):(?:streamG|g)enerateContent$/, "google-generative-ai"],
  // Anthropic's models on Vertex AI, whose bodies name no model.
  [/\/models\/([^/:]{1,200}):(?:streamRaw|raw)Predict$/, "anthropic-messages"],
  [/\/model\/([^/]{1,300})\/converse(?:-stream)?$/, "bedrock-converse-stream"],
];

/** Returns where a request goes by its address; undefined where no API has such a path. */
export function findEndpoint(url: URL): Endpoint | undefined {
  for (const [path, api] of PATHS) {
    const found = path.exec(url.pathname);
    if (found) return { api, host: url.hostname, model: decoded(found[1]) };
  }
  return undefined;
}

/** True for a body with a history in the field of the API: `/messages` is an address of many other services too. */
export function isModelBody(api: Api, body: unknown): body is JsonObject {
  if (!isObject(body) || !Array.isArray(body[historyField(api)!])) return false;
  return api !== "anthropic-messages" || "max_tokens" in body || "anthropic_version" in body;
}

function decoded(model: string | undefined): string | undefined {
  if (model === undefined) return undefined;
  try {
    return decodeURIComponent(model);
  } catch {
    return model;
  }
}
