import { findIn, isPicture, readList } from "../played/read-body.ts";
import type { JsonObject } from "../providers/index.ts";
import type { Random } from "./random.ts";

/** A rule that nobody has told anybody. */
export interface HiddenRule {
  /** In a few words, for a person. */
  name: string;
  /** The path of what breaks it; undefined where nothing does. `nth` counts the requests of a turn. */
  breach(body: JsonObject, nth: number): string | undefined;
}

const CALLS = new Set(["tool_use", "function_call"]);
const isCall = (value: JsonObject): boolean =>
  CALLS.has(String(value["type"])) ||
  value["functionCall"] !== undefined ||
  value["toolUse"] !== undefined ||
  (value["function"] !== undefined && value["id"] !== undefined);

const FIELDS = [
  "tools",
  "tool_choice",
  "temperature",
  "max_tokens",
  "max_completion_tokens",
  "stream_options",
  "store",
  "system",
  "systemInstruction",
  "instructions",
  "generationConfig",
  "cache_control",
  "is_error",
  "thoughtSignature",
  "id",
  "name",
];

/** Messages and items that stand side by side in sessions with calls, some of them on one API only. */
const NEIGHBOURS = [
  ["user", "user"],
  ["assistant", "assistant"],
  ["assistant", "tool"],
  ["tool", "assistant"],
  ["tool", "tool"],
  ["tool", "user"],
  ["model", "model"],
  ["model", "user"],
  ["function_call", "function_call"],
  ["function_call_output", "function_call"],
  ["function_call_output", "message"],
  ["assistant", "user"],
] as const;

/** A rule on one thing that a request may have. */
export function randomRule(random: Random, words: readonly string[], messages: number): HiddenRule {
  return random.one([word, word, call, picture, count, roles, field, flaky, everything])(random, words, messages);
}

type Make = (random: Random, words: readonly string[], messages: number) => HiddenRule;

const word: Make = (random, words) => {
  const bad = random.one(words);
  return {
    name: `no request with ${bad}`,
    breach(body) {
      if (!JSON.stringify(readList(body)).includes(bad)) return undefined;
      const holds = (value: unknown): boolean => typeof value === "string" && value.includes(bad);
      return findIn(body, (value) => Object.values(value).some(holds))?.path ?? "";
    },
  };
};

const call: Make = (random) => {
  const tool = random.one(["read", "exec", "browser", undefined]);
  const isBad = (value: JsonObject): boolean =>
    isCall(value) && (tool === undefined || JSON.stringify(value).includes(`"${tool}"`));
  return { name: `no call of ${tool ?? "any tool"}`, breach: (body) => findIn(body, isBad)?.path };
};

const picture: Make = () => ({ name: "no picture", breach: (body) => findIn(body, isPicture)?.path });

const count: Make = (random, _words, messages) => {
  const most = 1 + random.upTo(messages + 4);
  return {
    name: `no more than ${most} messages`,
    breach: (body) => (readList(body).length > most ? String(most) : undefined),
  };
};

const itemKind = (item: JsonObject | undefined): string => String(item?.["role"] ?? item?.["type"] ?? "message");

const roles: Make = (random) => {
  const [before, after] = random.one(NEIGHBOURS);
  return {
    name: `no ${after} behind ${before}`,
    breach(body) {
      const list = readList(body);
      const at = list.findIndex(
        (item, nth) => nth > 0 && itemKind(list[nth - 1]) === before && itemKind(item) === after,
      );
      return at < 0 ? undefined : String(at);
    },
  };
};

const field: Make = (random) => {
  const name = random.one(FIELDS);
  return {
    name: `no field ${name}`,
    breach: (body) => (body[name] === undefined ? findIn(body, (value) => value[name] !== undefined)?.path : ""),
  };
};

const flaky: Make = (random) => {
  const times = 1 + random.upTo(3);
  return { name: `not the first ${times} of a turn`, breach: (_body, nth) => (nth < times ? "" : undefined) };
};

const everything: Make = () => ({ name: "nothing at all", breach: () => "" });
