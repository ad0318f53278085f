import { describe, expect, it } from "vitest";
import { APIS, carelessBody } from "../../harness/arbitrary/bodies.ts";
import { buildBody, FAMILY_MODELS, healthyEntries, type FamilyApi } from "../../harness/arbitrary/families.ts";
import { Draw } from "../../harness/arbitrary/draw.ts";
import { healthyFrom } from "../../harness/arbitrary/history.ts";
import { whyNoJson } from "../transcript/json/depth.ts";
import { isWellFormed } from "../transcript/json/json.ts";
import { SoundnessWalk } from "../transcript/json/soundness-walk.ts";
import { findDialect } from "./apis.ts";
import { check, heal } from "./heal.ts";

type Json = Record<string, unknown>;

function tooDeep(): unknown {
  let value: unknown = 1;
  for (let level = 0; level < 300; level++) value = { in: [value] };
  return value;
}

/** Values that no request may hold, whatever the rules of its API are. */
const UNSOUND: Readonly<Record<string, unknown>> = {
  "a text with half a character": "x\ud800y",
  "a list with such a text": [{ text: "\udc00" }],
  "a name with half a character": { "\ud800": 1 },
  "a value without a name that says anything": { "\ud800": undefined },
  "nothing under such a name": undefined,
  "a bigint": 7n,
  "a list with a bigint": [[7n]],
  "a list of bigints as bytes": [new BigInt64Array([7n])],
  "a value that nests too deeply": tooDeep(),
};

const RULES: ReadonlySet<string> = new Set(["too_deep", "not_json", "lone_surrogate"]);

const signature = "c2lnbmF0dXJl";
/** Forms that random histories do not have. */
const MORE: Readonly<Record<string, readonly Json[]>> = {
  "anthropic-messages": [
    { role: "user", content: [{ type: "text", text: "one", cache_control: { type: "ephemeral" } }] },
    {
      role: "assistant",
      reasoning_content: "so",
      content: [
        { type: "thinking", thinking: "so", signature },
        { type: "redacted_thinking", data: "so" },
        { type: "text", text: "two", citations: [{ cited_text: "so" }] },
        { type: "tool_use", id: "m1", name: "exec", input: { in: [{ a: "x" }] }, cache_control: { type: "ephemeral" } },
        { type: "tool_use", id: "m2", name: "exec", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "m1",
          content: [{ type: "text", text: "so", cache_control: { type: "ephemeral" } }],
        },
        { type: "tool_result", tool_use_id: "m2", content: "so", cache_control: { type: "ephemeral" } },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        { type: "document", source: { type: "url", url: "https://x" }, title: "so" },
      ],
    },
  ],
  "openai-completions": [
    { role: "user", name: "me", content: [{ type: "text", text: "one", cache_control: { type: "ephemeral" } }] },
    {
      role: "assistant",
      content: [{ type: "refusal", refusal: "no" }],
      reasoning_content: "so",
      tool_calls: [
        {
          id: "m1",
          type: "function",
          index: 0,
          extra_content: { a: 1 },
          function: { name: "exec", arguments: '{"a":1}', thought_signature: "x" },
        },
      ],
    },
    { role: "tool", tool_call_id: "m1", name: "exec", content: [{ type: "text", text: "so" }] },
    {
      role: "user",
      tool_calls: { a: "x" },
      content: [{ type: "image_url", image_url: { url: "https://x", detail: "low" } }],
    },
  ],
  "openai-responses": [
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: "one" },
        { type: "input_image", image_url: "https://x" },
      ],
    },
    { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "so" }], encrypted_content: "x" },
    {
      type: "message",
      role: "assistant",
      id: "msg_1",
      status: "completed",
      phase: "x",
      content: [{ type: "output_text", text: "so", annotations: [{ a: "x" }] }],
    },
    {
      type: "function_call",
      call_id: "m1",
      id: "fc_1",
      name: "exec",
      arguments: "{}",
      status: "completed",
      namespace: "x",
    },
    {
      type: "function_call_output",
      call_id: "m1",
      id: "x",
      output: [{ type: "input_text", text: "so" }],
      status: "completed",
    },
    { type: "function_call", call_id: "m3", name: "exec", arguments: "{}" },
    { type: "function_call_output", call_id: "m3", output: "so" },
    { type: "custom_tool_call", call_id: "m2", name: "exec", input: "so" },
    { type: "custom_tool_call_output", call_id: "m2", output: "so" },
    { type: "web_search_call", id: "ws_1", action: { a: "x" } },
    { role: "user", content: "the end" },
  ],
  "google-generative-ai": [
    { role: "user", parts: [{ text: "one" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }] },
    {
      role: "model",
      parts: [
        { text: "so", thought: true, thoughtSignature: signature },
        { functionCall: { id: "m1", name: "exec", args: { a: ["x"] } }, thoughtSignature: signature },
      ],
    },
    {
      role: "user",
      parts: [{ functionResponse: { id: "m1", name: "exec", response: { output: "so" }, willContinue: false } }],
    },
    { role: "user", parts: [{ text: "the end" }] },
  ],
  "bedrock-converse-stream": [
    { role: "user", content: [{ text: "one" }, { cachePoint: { type: "default" } }] },
    {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "so", signature } } },
        { text: "two" },
        { toolUse: { toolUseId: "m1", name: "exec", input: { a: ["x"] }, type: "x" } },
      ],
    },
    {
      role: "user",
      content: [
        { toolResult: { toolUseId: "m1", status: "success", content: [{ json: { a: "x" } }, { text: "so" }] } },
      ],
    },
  ],
};

/** Healthy bodies of every form, as JSON. */
function makeBodies(api: (typeof APIS)[number]): Json[] {
  const history = [...healthyFrom(3, 2), { role: "user", content: "go on" }];
  const plain = JSON.parse(JSON.stringify(history).replaceAll("calendar.list", "calendar_list")) as unknown[];
  const field = findDialect(api)!.field;
  const bodies = [carelessBody(api, plain), { model: "claude-x", [field]: MORE[api] }];
  const models = FAMILY_MODELS[api as FamilyApi] as readonly string[] | undefined;
  for (const model of models ?? [])
    bodies.push(
      buildBody(
        api as FamilyApi,
        model,
        healthyEntries(api as FamilyApi, new Draw([3, 7, 1, 9, 4, 8, 2, 6]), 3),
        true,
      ) as Json,
    );
  return bodies.map((body) => JSON.parse(JSON.stringify(body)) as Json);
}

/** Ways to every object and list in a value. */
function* waysTo(value: unknown, way: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (typeof value !== "object" || value === null) return;
  yield way;
  for (const [key, child] of Object.entries(value))
    yield* waysTo(child, [...way, Array.isArray(value) ? Number(key) : key]);
}

function at(body: Json, way: readonly (string | number)[]): Json {
  return way.reduce<unknown>((value, key) => (value as Json)[key], body) as Json;
}

describe.each(APIS)("%s: a body is judged in one walk", (api) => {
  const { field, check: rules } = findDialect(api)!;
  const bodies = makeBodies(api);

  it("that shows every part of a healthy one", () => {
    for (const body of bodies) {
      const walk = new SoundnessWalk();
      expect(
        rules(body, { model: String(body["model"] ?? body["modelId"]), host: "", neverPrefills: false }, walk),
      ).toEqual([]);
      expect(walk.isSound).toBe(true);
      expect(heal(api, body)).toBe(body);
    }
  });

  it.each(Object.keys(UNSOUND))("and is not taken for sound with %s, wherever that is", (what) => {
    const missed: string[] = [];
    for (const body of bodies) {
      for (const way of waysTo(body[field], [field])) {
        for (const key of new Set([...Object.keys(at(body, way)), "more", "\ud800"])) {
          if (UNSOUND[what] === undefined && key !== "\ud800") continue;
          const place = at(body, way);
          if (Array.isArray(place) && Number.isNaN(Number(key))) continue;
          // Changed in place and back: copies of the bodies would take most of the time.
          const had = Object.getOwnPropertyDescriptor(place, key);
          place[key] = UNSOUND[what];
          const isUnsound = whyNoJson(body[field], 206) !== undefined || !isWellFormed(body[field]);
          const isTold = check(api, body).some(({ rule }) => RULES.has(rule));
          if (!isUnsound || !isTold) missed.push(`${way.join(".")}.${key}`);
          if (had === undefined) delete place[key];
          else place[key] = had.value;
        }
      }
    }
    expect(missed).toEqual([]);
  });
});
