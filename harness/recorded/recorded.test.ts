import { describe, expect, test } from "vitest";
import { check, heal } from "../../src/wire/index.ts";
import { listViolations } from "../providers/index.ts";
import { RECORDED_APIS, loadRecorded, type Recorded } from "./recorded.ts";
import { ONLY_FROM_THE_REFUSAL } from "./refused.ts";

const pickOptions = ({ model, host }: Recorded): { model: string; host: string } => ({ model, host });

test("1,441 accepted requests and 40 refused ones are there", () => {
  const all = RECORDED_APIS.flatMap((api) => [...loadRecorded(api).values()]);
  expect(all.filter(({ status }) => status === 200)).toHaveLength(1441);
  expect(all.filter(({ status }) => status === 400)).toHaveLength(40);
});

describe.each(RECORDED_APIS)("%s", (api) => {
  const recorded = [...loadRecorded(api)];
  const accepted = recorded.filter(([, { status }]) => status === 200);
  const refused = recorded.filter(([, { status }]) => status !== 200);

  test("of what a provider accepted, check finds nothing and heal changes nothing", () => {
    const wrong = accepted.flatMap(([at, request]) => {
      const { body } = request;
      const rules = check(api, body, pickOptions(request)).map(({ rule, path }) => `${rule} ${path}`);
      const isSame = heal(api, body, pickOptions(request)) === body;
      return rules.length === 0 && isSame ? [] : [`${at} ${request.host} ${request.model}: ${rules.join(", ")}`];
    });
    expect(wrong, wrong.join("\n")).toEqual([]);
  });

  test("the strict server takes what the provider accepted", () => {
    const wrong = accepted.flatMap(([at, request]) => {
      const texts = listViolations(api, request.body, pickOptions(request)).map(({ message }) => message);
      return texts.length === 0 ? [] : [`${at} ${request.host} ${request.model}: ${texts[0]}`];
    });
    expect(wrong, wrong.join("\n")).toEqual([]);
  });

  test("of what a provider refused, check finds what can be known before", () => {
    const unfound = refused.flatMap(([at, request]) =>
      check(api, request.body, pickOptions(request)).length === 0 ? [at] : [],
    );
    const listed = Object.keys(ONLY_FROM_THE_REFUSAL[api]).map(Number);
    expect(unfound).toEqual(listed);
  });
});
