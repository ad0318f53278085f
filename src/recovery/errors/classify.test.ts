import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { APIS, carelessBody } from "../../../harness/arbitrary/bodies.ts";
import { anyHistory, corruptHistory } from "../../../harness/arbitrary/history.ts";
import { listViolations, ADAPTERS, type Api, type Violation } from "../../../harness/providers/index.ts";
import { inShort, type FailureText } from "../../../test/recovery/failure-text.ts";
import { FAILURE_TEXTS } from "../../../test/recovery/failure-texts.ts";
import { FILTERED, NO_ACCESS, OVERLOADED, TOO_LONG } from "../../../test/recovery/not-history.ts";
import { REPORTED_ACCESS, REPORTED_OVERLOAD } from "../../../test/recovery/reports/access.ts";
import { REPORTED_SIZE } from "../../../test/recovery/reports/size.ts";
import { classify } from "./classify.ts";
import type { ProviderError } from "../failure.ts";
import { patience } from "../../../harness/patience.ts";

const RUNS = Number(process.env.PROPERTY_RUNS ?? 500);

function named(texts: readonly FailureText[]) {
  return texts.map(([from, text, is, known]) => ({ from, text, is, known }));
}

describe("a real error text is not taken for another kind of failure", () => {
  it.each(named(FAILURE_TEXTS))("$from: $text", ({ text, is, known }) => {
    expect(inShort(classify({ text, ...known }))).toBe(is);
  });
});

/** Errors that arrive inside a stream have no status; these texts say nothing without theirs. */
const BY_STATUS_ALONE = new Set(["502 All variants", "403 Provider returned error", "403 {'error'"]);
const REPORTED = [...REPORTED_ACCESS, ...REPORTED_OVERLOAD, ...REPORTED_SIZE];
const BY_WORDS = [...OVERLOADED, ...TOO_LONG, ...NO_ACCESS, ...FILTERED, ...REPORTED].filter(
  ([, text]) => /^[45]\d\d /.test(text) && ![...BY_STATUS_ALONE].some((start) => text.startsWith(start)),
);

describe("a text is known by its words where its status is lost", () => {
  it.each(named(BY_WORDS))("$from: $text", ({ text, is, known }) => {
    expect(inShort(classify({ text: text.slice(4), ...known }))).toBe(is);
  });
});

describe("a path of names alone may be of a block: only a parameter's ends the matter", () => {
  it.each([
    ["openclaw/openclaw#8664", "thinking.signature: Field required", "unknown"],
    [
      "betmoar/cc-proxy-plugin#67",
      "server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
      "unknown",
    ],
    ["a block of thinking", "redacted_thinking.data: Field required", "unknown"],
    ["a call", "mcp_tool_use.input: Input should be a valid dictionary", "unknown"],
    ["a parameter", "thinking.budget_tokens: Field required", "other"],
    ["a parameter", "temperature: Input should be less than 1", "other"],
  ])("%s: %s", (_, text, is) => {
    expect(inShort(classify({ text, status: 400 }))).toBe(is);
  });
});

describe("what is known apart from the text counts", () => {
  it.each([
    ["a status", { text: "status code (no body)", status: 400 }, "history unspecified"],
    ["no status at all", { text: "status code (no body)" }, "other"],
    [
      "any status of a refusal",
      { text: "messages.3.content.1: something odd", status: 409 },
      "history block_form @3.1",
    ],
    ["a status of load", { text: "messages.3.content.1: something odd", status: 429 }, "overload"],
    ...[403, 404, 409, 415, 418].map((status): [string, ProviderError, string] => [
      `${status} in unknown words`,
      { text: "The frobnicator is displeased.", status },
      "unknown",
    ]),
    ["404 without a word", { text: "404 status code (no body)" }, "history unspecified"],
    ["403 without a word", { text: "403 status code (no body)" }, "access"],
    ["404 of an address", { text: "404 page not found" }, "other"],
    ["a status against the one in the text", { text: "400 Bad Request", status: 503 }, "overload"],
    [
      "a status of a filter that is down",
      { text: "content_filter_error: the content_filter is not available", status: 503 },
      "overload",
    ],
    ["a code", { text: "400 The response was filtered", code: "content_filter" }, "content_filter unknown"],
    ["a type", { text: "Overloaded", type: "overloaded_error" }, "overload"],
  ] satisfies [string, ProviderError, string][])("%s", (_what, error, is) => {
    expect(inShort(classify(error))).toBe(is);
  });
});

it("an error that OpenClaw 2026.9 has replaced may be about an image, and is not taken for a refused history for certain", () => {
  const text =
    '400: {"error":{"message":"[Malformed diagnostic JSON redacted]","type":"invalid_request_error"},"type":"error"}';
  expect(classify({ text })).toEqual({ kind: "unknown", suspect: "image" });
});

describe("words of the conversation that a provider quotes do not decide", () => {
  const quoted =
    "rate limit, prompt is too long, invalid api key, content_filter, messages.3.content.1: unexpected `tool_use_id`";
  it.each([
    [
      "the rejected input",
      {
        error: {
          message: "messages.2.content.0.text.text: Input should be a valid string",
          type: "invalid_request_error",
          input: quoted,
        },
      },
      "history block_form @2.0",
    ],
    [
      "the value at a place, as Gemini has it",
      {
        error: {
          code: 400,
          message: `Invalid value at 'contents[3].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct), "a | ${quoted}"`,
          status: "INVALID_ARGUMENT",
        },
      },
      "history tool_fields @3.0",
    ],
    [
      "the messages, as llama.cpp has them",
      {
        error: {
          code: 500,
          message: `Failed to parse messages: Unsupported content part type: "image_url"; messages = [{"role": "user", "content": "${quoted}"}]`,
          type: "server_error",
        },
      },
      "history media",
    ],
    [
      "what the model made",
      { error: { message: "Failed to call a function.", code: "tool_use_failed", failed_generation: quoted } },
      "other",
    ],
    [
      "filter results beside an ordinary error",
      {
        error: {
          message: "Unsupported parameter: 'top_p'",
          code: "unsupported_parameter",
          content_filter_results: { hate: { filtered: false } },
        },
      },
      "other",
    ],
  ])("%s", (_what, body, is) => {
    expect(inShort(classify({ text: `400 ${JSON.stringify(body)}` }))).toBe(is);
  });
});

/**
 * A rejection as the API's SDK would put it into a message; OpenAI's keeps of the envelope nothing but the sentence.
 */
function asThrown(api: Api, { message, path, code }: Violation): string {
  if (api === "bedrock-converse-stream") return `ValidationException: ${message}`;
  const envelope = ADAPTERS.find((adapter) => adapter.api === api)?.errorBody({
    status: 400,
    kind: "invalid",
    message,
    path,
    ...(code === undefined ? {} : { code }),
  });
  return api.startsWith("openai") ? `400 ${message}` : `400 ${JSON.stringify(envelope?.body)}`;
}

/**
 * `Supported values are: 'function'` may be about a call in the history and about a tool: it cannot be told without its
 * place.
 */
const AMBIGUOUS = /^Invalid value: .{0,200} Supported values are: 'function'\.$/;

describe.each(APIS)("no rejection of a history by the strict server goes unrecognised: %s", (api) => {
  it("for any corrupt history", () => {
    const histories = fc.oneof(
      corruptHistory.map(({ messages }) => messages),
      anyHistory,
    );
    const models = ["some-model", "mistral-large-latest", "deepseek-reasoner", "kimi-k2-thinking", "gemini-3-pro"];
    fc.assert(
      fc.property(histories, fc.constantFrom(...models), (messages, model) => {
        for (const violation of listViolations(api, carelessBody(api, messages, model), { model })) {
          if (AMBIGUOUS.test(violation.message)) continue;
          const failure = classify({ text: asThrown(api, violation) });
          expect(failure, violation.message).toMatchObject({ kind: "history" });
          const index = /^(?:messages|input|contents)\.?\[?(\d+)/.exec(violation.path)?.[1];
          // Texts without a place leave it to the ids; a place that is named is the right one.
          if (
            failure.kind === "history" &&
            failure.message !== undefined &&
            index !== undefined &&
            !violation.path.includes("member")
          ) {
            expect(failure.message, violation.message).toBe(Number(index));
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe("no text makes it throw, run long or change its mind", () => {
  const piece = fc.constantFrom(
    '{"error":',
    '{"message":"',
    "}",
    '"',
    "\\",
    '{\\"',
    "messages.",
    "[",
    "]",
    "`",
    "'",
    "400 ",
    "tool_use_id ",
    "call_id ",
    "toolu_1",
    ", ",
    ": ",
    "immediately after: ",
    "but found: ",
    "1",
    ".content.",
    "supports ",
    "exceeds ",
    "\ud800",
    "\n",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join("")),
    fc.json(),
    fc.json().map((json) => `400 ${JSON.stringify({ error: { message: json } })}`),
  );

  it("whatever it is", () => {
    fc.assert(
      fc.property(text, fc.option(fc.integer(), { nil: undefined }), (any, status) => {
        const error = { text: any, ...(status === undefined ? {} : { status }) };
        const once = classify(error);
        expect(classify({ ...error })).toEqual(once);
      }),
      { numRuns: RUNS },
    );
  });

  const long = 1_000_000;
  it.each([
    ["one letter", "a".repeat(long)],
    ["open braces", "{".repeat(long)],
    ["open braces behind a quote", '{"'.repeat(long / 2)],
    ["deep JSON", `400 ${'{"error":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["deep lists", `400 {"error":${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
    [
      "JSON in JSON",
      Array.from({ length: 14 }).reduce<string>((inner) => JSON.stringify({ error: { message: inner } }), "Overloaded"),
    ],
    ["many objects", '{"message":"x"}'.repeat(long / 15)],
    ["a path without end", `400 messages.1${".content".repeat(long / 8)}`],
    [
      "ids without end",
      `messages.1: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${"toolu_1, ".repeat(long / 9)}`,
    ],
    [
      "beginnings of sentences",
      "tool_use exceeds messages expected tool_call_id the model supports ".repeat(long / 67),
    ],
    ["white space", `400 ${" ".repeat(long)}x`],
    ["quotes", "`'\"".repeat(long / 3)],
  ])(
    "%s",
    (_what, any) => {
      // Each takes a few milliseconds; an expression that is worse than linear would not come back within the test's
      // time.
      for (let turn = 0; turn < 20; turn++) expect(classify({ text: any }).kind).toBeTypeOf("string");
    },
    patience(20_000),
  );

  it("no text at all", () => {
    for (const nothing of [undefined, null, 3, {}])
      expect(classify({ text: nothing as unknown as string })).toEqual({ kind: "other" });
  });
});
