import type { ModelApi } from "../corpus/case.ts";
import type { Model } from "./targets.ts";

/** An adapter as a pure function: messages in, the request body it would send out. */
export interface Adapter {
  /** The release and, where it has several, which of its adapters. */
  name: string;
  apis: readonly ModelApi[];
  /** The body that the adapter hands to `onPayload`. Throws what the adapter throws while it builds it. */
  build(model: Model, messages: readonly unknown[]): Promise<Record<string, unknown>>;
}

/** What a release's stream function looks like from outside. */
export type StreamFunction = (model: Model, context: object, options: object) => EventStream | Promise<EventStream>;

interface EventStream {
  result(): Promise<{ errorMessage?: string }>;
}

/** Tools must be offered, or a history with calls is itself refused by some APIs. */
const TOOLS = [
  {
    name: "read",
    description: "Reads a file.",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  },
];

class BodyTaken extends Error {}

/** Runs a stream function up to the moment when it would send, and takes the body. */
export async function takeBody(
  stream: StreamFunction,
  model: Model,
  messages: readonly unknown[],
): Promise<Record<string, unknown>> {
  let body: Record<string, unknown> | undefined;
  const context = { systemPrompt: "You are a test.", messages, tools: TOOLS };
  const options = {
    apiKey: "dummy-key-for-loopback",
    sessionId: "00000000-0000-4000-8000-000000000000",
    ...(model.reasoning ? { reasoning: "low" } : {}),
    onPayload: (payload: Record<string, unknown>) => {
      body = payload;
      throw new BodyTaken("the body is taken");
    },
  };
  const { errorMessage } = await (await stream(model, context, options)).result();
  if (body === undefined) throw new Error(errorMessage ?? "The adapter built no body");
  return body;
}
