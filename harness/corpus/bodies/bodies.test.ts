import { describe, expect, test } from "vitest";
import { check, heal } from "../../../src/wire/index.ts";
import { listViolations } from "../../providers/index.ts";
import type { BodyCase } from "./case.ts";
import { BODY_CASES } from "./index.ts";

const history = ({ api }: BodyCase, body: object): unknown =>
  (body as Record<string, unknown>)[api === "openai-responses" ? "input" : "messages"];

describe("the bodies as a whole", () => {
  test("are 25 at least, each with its own id, on every API that has such families", () => {
    expect(BODY_CASES.length).toBeGreaterThanOrEqual(25);
    expect(new Set(BODY_CASES.map(({ id }) => id)).size).toBe(BODY_CASES.length);
    expect(new Set(BODY_CASES.map(({ api }) => api))).toEqual(
      new Set(["anthropic-messages", "openai-responses", "bedrock-converse-stream"]),
    );
  });

  test("say where they were reported", () => {
    for (const { report, also = [], reported } of BODY_CASES) {
      for (const place of [report, ...also])
        expect(place).toMatch(
          /^(?:[\w.-]+\/[\w.-]+#\d+|(?:platform\.claude\.com|developers\.openai\.com|docs\.aws\.amazon\.com)\/[\w./-]+)$/,
        );
      expect(reported).toMatch(/^202[56]-\d\d-\d\d$/);
    }
  });
});

/**
 * Healed, with what every healing must keep to: the body given is not changed, and the same body gives the same bytes.
 */
function healed({ api, model, body }: BodyCase): BodyCase["body"] {
  const before = JSON.stringify(body);
  const outcome = heal(api, body, { model });
  expect(JSON.stringify(body), "the body was changed").toBe(before);
  expect(JSON.stringify(heal(api, structuredClone(body), { model })), "not deterministic").toBe(
    JSON.stringify(outcome),
  );
  return outcome;
}

const refusals = ({ api, model }: BodyCase, body: object): string[] =>
  listViolations(api, body, { model }).map(({ message }) => message);

describe.each(BODY_CASES.filter(({ refusal }) => refusal === undefined))("$id ($report)", (bodyCase) => {
  test("goes out to the byte", () => {
    const { api, model, body } = bodyCase;
    expect(refusals(bodyCase, body)).toEqual([]);
    expect(check(api, body, { model })).toEqual([]);
    expect(healed(bodyCase)).toBe(body);
  });
});

describe.each(BODY_CASES.filter(({ refusal }) => refusal !== undefined))("$id ($report)", (bodyCase) => {
  test("is refused as it is, and answered once it is healed", () => {
    const { api, model, body, refusal, sent } = bodyCase;
    expect(refusals(bodyCase, body)[0]).toContain(refusal);
    expect(check(api, body, { model })).not.toEqual([]);
    const outcome = healed(bodyCase);
    expect(refusals(bodyCase, outcome)).toEqual([]);
    expect(check(api, outcome, { model })).toEqual([]);
    expect(heal(api, outcome, { model }), "healing twice").toBe(outcome);
    expect(sent ?? history(bodyCase, outcome)).toEqual(history(bodyCase, outcome));
  });

  test("loses nothing", () => {
    const { mustReach, mustNotReach = [] } = bodyCase;
    const outcome = JSON.stringify(healed(bodyCase));
    for (const marker of mustReach) expect(outcome).toContain(marker);
    for (const marker of mustNotReach) expect(outcome).not.toContain(marker);
    expect(mustReach).not.toEqual([]);
  });
});
