import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { classify } from "../../src/recovery/errors/classify.ts";
import { historyField } from "../../src/wire/apis.ts";
import { check, heal } from "../../src/wire/index.ts";
import { listViolations } from "../providers/index.ts";
import { loadRecorded } from "../recorded/recorded.ts";
import { requestTo } from "./build/request.ts";
import type { Host, Json, Source } from "./card.ts";
import { CARDS, type NamedCard } from "./index.ts";

const listItems = ({ api }: NamedCard, body: Json): unknown[] => body[historyField(api)!] as unknown[];
const listMessages = ({ api }: NamedCard, body: Json, host: Host): string[] =>
  listViolations(api, body, host).map(({ message }) => message);
const listRules = ({ api }: NamedCard, body: Json, host: Host): string[] =>
  check(api, body, host).map(({ rule }) => rule);

/** An error as OpenClaw leaves it. */
const thrown = ({ api }: NamedCard, words: string): { text: string } => ({
  text: api === "bedrock-converse-stream" ? `ValidationException: ${words}` : `400 ${words}`,
});

const named = (card: NamedCard): [string, NamedCard] => [`${card.api}/${card.id}`, card];

describe.each(CARDS.map(named))("%s", (_, card) => {
  const { api, rule, error, problem, target, elsewhere, faulty, mustReach = [] } = card;
  const refused = requestTo(target, card, card.refused);
  const taken = requestTo(target, card, card.taken);

  test("the strict server refuses the body in the provider's words, and takes it where the rule does not hold", () => {
    const [found = "nothing: the strict server takes it"] = listMessages(card, refused, target);
    expect(found).toContain(error);
    expect(listMessages(card, taken, target)).toEqual([]);
    expect(elsewhere ? listMessages(card, requestTo(elsewhere, card, card.refused), elsewhere) : []).toEqual([]);
    expect(elsewhere === undefined).toBe(card.where === undefined);
  });

  test("check names the rule, and heal gives a body that is taken, with all else the same objects", () => {
    expect(listRules(card, refused, target)).toContain(rule);
    const healed = heal(api, refused, target);
    expect(listRules(card, healed, target)).toEqual([]);
    expect(listMessages(card, healed, target)).toEqual([]);
    const sent = new Set(listItems(card, healed));
    const changed = listItems(card, refused).flatMap((item, at) => (sent.has(item) ? [] : [at]));
    expect(changed).toEqual(faulty);
    for (const words of mustReach) expect(JSON.stringify(healed)).toContain(words);
  });

  test("what is taken, there or elsewhere, stays the same object", () => {
    expect(listRules(card, taken, target)).toEqual([]);
    expect(heal(api, taken, target)).toBe(taken);
    if (!elsewhere) return;
    const there = requestTo(elsewhere, card, card.refused);
    expect(listRules(card, there, elsewhere)).toEqual([]);
    expect(heal(api, there, elsewhere)).toBe(there);
  });

  test("the recovery takes the refusal for one of the history", () => {
    const words = [listMessages(card, refused, target)[0]!, ...card.sources.flatMap((source) => saidIn(source))];
    for (const each of words) expect(classify(thrown(card, each))).toMatchObject({ kind: "history", problem });
  });

  test("each source is a refusal that can be looked up", () => {
    for (const source of card.sources) {
      if ("report" in source) expect(source.report).toMatch(/^[\w.-]+\/[\w.-]+#\d+$/);
      else if ("recording" in source) expect(source.recording).toMatch(/^[\w.-]+\/[\w.-]+: [\w./-]+$/);
      else {
        const request = loadRecorded(api).get(source.recorded)!;
        expect(request.status).toBe(400);
        const healed = heal(api, request.body, request);
        expect(listRules(card, request.body, request)).toContain(rule);
        expect(listMessages(card, healed, request)).toEqual([]);
      }
    }
  });
});

const saidIn = (source: Source): string[] => ("report" in source && source.says !== undefined ? [source.says] : []);

/** Findings that are no rule of a provider: what cannot be written as a request of the API is never refused. */
const NO_REQUEST = new Set(["body_type", "not_json", "too_deep", "history_type", "history_field"]);

/** Rules of form of which no refusal was found; no accepted recording breaks them. */
const UNSEEN = new Set([
  "bedrock-converse-stream role",
  "bedrock-converse-stream history_empty",
  "openai-responses history_empty",
]);

/** The names that the files of src/wire report, by the prefix of their API's files. */
function reportedIn(prefix: string): string[] {
  const folder = new URL("../../src/wire/", import.meta.url);
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter(
    (file) => file.startsWith(prefix) && !file.endsWith(".test.ts"),
  );
  const sources = files.map((file) => readFileSync(new URL(file, folder), "utf8")).join("\n");
  return [...sources.matchAll(/(?:report\(|rule: )"(\w+)"/g)].map(([, name]) => name!);
}

test.each([
  ["anthropic-messages", "anthropic/"],
  ["bedrock-converse-stream", "bedrock/"],
  ["google-generative-ai", "google/"],
  ["openai-completions", "openai/completions"],
  ["openai-responses", "openai/responses"],
])("each rule of %s that check can report has a card, and each card a rule", (api, prefix) => {
  const known = new Set(reportedIn(prefix).filter((name) => !NO_REQUEST.has(name) && !UNSEEN.has(`${api} ${name}`)));
  const common = new Set(reportedIn("heal.ts"));
  const carded = new Set(CARDS.filter((card) => card.api === api).map(({ rule }) => rule));
  expect(known.size).toBeGreaterThan(4);
  expect([...known].filter((name) => !carded.has(name))).toEqual([]);
  expect([...carded].filter((name) => !known.has(name) && !common.has(name))).toEqual([]);
});

test("what all APIs share has a card, or is no request", () => {
  const carded = new Set(CARDS.map(({ rule }) => rule));
  expect(reportedIn("heal.ts").filter((name) => !carded.has(name) && !NO_REQUEST.has(name))).toEqual([]);
});
