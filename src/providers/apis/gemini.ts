import { argumentsValue, sse } from "../sse.ts";
import type { Answer, AnswerBlock, ApiAdapter, Frame, JsonObject, Mark, ProviderError } from "../types.ts";

const STATUS: Record<ProviderError["kind"], string> = {
  invalid: "INVALID_ARGUMENT",
  "content-filter": "INVALID_ARGUMENT",
  auth: "UNAUTHENTICATED",
  "rate-limit": "RESOURCE_EXHAUSTED",
  server: "INTERNAL",
  overloaded: "UNAVAILABLE",
};
const SIGNATURE = Buffer.from("thought signature of the test's provider").toString("base64");

/** The model signs the first call of a step. */
function toPart(block: AnswerBlock, firstCall: boolean): JsonObject {
  if (block.type === "text") return { text: block.text };
  if (block.type === "thinking") return { text: block.thinking, thought: true };
  const functionCall = { name: block.name, args: argumentsValue(block.arguments), id: block.id };
  return firstCall ? { functionCall, thoughtSignature: SIGNATURE } : { functionCall };
}

function toParts(answer: Answer): JsonObject[] {
  const first = answer.blocks.find((block) => block.type === "tool");
  return answer.blocks.map((block) => toPart(block, block === first));
}

function chunk(answer: Answer, parts: JsonObject[], finishReason?: string): JsonObject {
  const candidate: JsonObject = { content: { parts, role: "model" }, index: 0 };
  // A candidate that was blocked before its first part has no content at all.
  if (answer.blocks.length === 0 && blocked(answer)) delete candidate["content"];
  if (finishReason !== undefined) candidate["finishReason"] = finishReason;
  const { inputTokens: count, model: modelVersion } = answer;
  const usageMetadata = { promptTokenCount: count, candidatesTokenCount: 20, totalTokenCount: count + 20 };
  return { candidates: [candidate], usageMetadata, modelVersion, responseId: `resp-${answer.n}` };
}

function blocked(answer: Answer): boolean {
  return answer.stop === "refusal" || answer.stop === "content-filter";
}

function toFinishReason(answer: Answer): string {
  if (answer.stop === "length") return "MAX_TOKENS";
  return answer.reason ?? (blocked(answer) ? "SAFETY" : "STOP");
}

function frames(answer: Answer): Frame[] {
  const frame = (parts: JsonObject[], mark?: Mark) => sse(chunk(answer, parts), mark === undefined ? {} : { mark });
  const parts = toParts(answer);
  const list = answer.blocks.flatMap((block, i): Frame[] => {
    if (block.type === "text") {
      return block.pieces.map((text, j) => frame([{ text }], j === 0 ? "in-text" : undefined));
    }
    const part = parts[i] ?? {};
    if (block.type === "thinking") return [frame([part])];
    // A call arrives whole; what breaks "inside" it leaves an announced answer without it.
    return [frame([], "in-tool"), frame([part], "after-tool")];
  });
  return [...list, sse(chunk(answer, [], toFinishReason(answer)))];
}

function toErrorBody(error: ProviderError): JsonObject {
  return { error: { code: error.status, message: error.message, status: STATUS[error.kind] } };
}

/** Gemini: POST .../models/{model}:streamGenerateContent?alt=sse and :generateContent. */
export const gemini: ApiAdapter = {
  api: "google-generative-ai",
  match: (url) => {
    const found = /\/models\/([^/]+):(streamGenerateContent|generateContent)$/.exec(url.pathname);
    if (found?.[1] === undefined) return undefined;
    return { model: decoded(found[1]), streamed: found[2] === "streamGenerateContent" };
  },
  contentType: "text/event-stream",
  toolId: (serial) => `call${String(serial).padStart(8, "0")}`,
  wholeCalls: () => true,
  frames,
  whole: (answer) => chunk(answer, toParts(answer), toFinishReason(answer)),
  // Inside a stream Google sends its errors bare, not as an event: its SDK reads them nowhere else.
  errorFrame: (error) => ({ data: JSON.stringify(toErrorBody(error)) }),
  errorBody: (error) => ({ body: toErrorBody(error) }),
  promptBlocked: (answer, blockReason) => ({
    promptFeedback: { blockReason },
    // Nothing was generated, and nothing is counted.
    usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 },
    modelVersion: answer.model,
  }),
  failures: {
    "content-filter": { status: 400, message: "The prompt was blocked by the content filter." },
    auth: {
      status: 401,
      message:
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
    },
    "rate-limit": { status: 429, message: "Resource has been exhausted (e.g. check quota)." },
    server: {
      status: 500,
      message:
        "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
    },
    overloaded: { status: 503, message: "The model is overloaded. Please try again later." },
  },
  rejections: {
    unexpectedResult: "Please ensure that function response turn comes immediately after a function call turn.",
    rolesAlternate: "Please ensure that multiturn requests alternate between user and model.",
    missingResult:
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
  },
};

/** A part of a path as it was meant; as it stands if it is not properly encoded. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
