import type { ModelApi } from "../corpus/case.ts";

type Body = Record<string, unknown>;

/**
 * What goes over the wire for a body as the adapter hands it to its SDK, as far as SDKs change it: Google's splits
 * `config` up into the request's own fields, AWS's writes bytes in base64.
 */
export function toWire(api: ModelApi, body: Body): Body {
  if (api === "bedrock-converse-stream") return JSON.parse(JSON.stringify(body, bytesAsBase64)) as Body;
  if (api !== "google-generative-ai" || body["config"] === undefined) return body;
  const { contents, config } = body as { contents: unknown; config: Body };
  const { systemInstruction, tools, toolConfig, ...generationConfig } = config;
  const given = Object.entries({ contents, systemInstruction, tools, toolConfig, generationConfig }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(given);
}

function bytesAsBase64(this: unknown, _key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
