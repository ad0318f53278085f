import { describe, expect, it } from "vitest";
import { APIS } from "../../harness/arbitrary/bodies.ts";
import { shared } from "../../harness/arbitrary/hostile-values.ts";
import { historyField } from "./apis.ts";
import { check, heal } from "./index.ts";

const called = (input: unknown): unknown[] => [
  { role: "user", content: "x" },
  { role: "assistant", content: [{ type: "tool_use", id: "a", name: "n", input }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "r" }] },
];

/** Holds itself twice: a walk without memory would take 2 to the power of its depth. */
function twiceInItself(): object {
  const value: Record<string, unknown> = {};
  value.left = value;
  value.right = value;
  return value;
}

const UNSENDABLE: [string, () => unknown[], string][] = [
  ["a bigint in a call", () => called({ amount: 17n }), "not_json"],
  ["a bigint as content", () => [{ role: "user", content: 17n }], "not_json"],
  [
    "a getter that throws",
    () => [
      {
        role: "user",
        get content(): string {
          throw new Error("no");
        },
      },
    ],
    "not_json",
  ],
  ["a value that holds itself twice", () => called(twiceInItself()), "too_deep"],
];

describe.each(APIS)("check tells of what JSON.stringify would throw on: %s", (api) => {
  it.each(UNSENDABLE)("%s", (_what, history, rule) => {
    const body = { model: "m", max_tokens: 9, [historyField(api)!]: history() };
    expect(check(api, body).map((violation) => violation.rule)).toContain(rule);
    const healed = heal(api, body);
    expect(check(api, healed)).toEqual([]);
    expect(heal(api, healed)).toBe(healed);
    expect(() => JSON.stringify(healed)).not.toThrow();
  });

  it("ends on a value that shares its parts two to the sixtieth times", () => {
    const body = { model: "m", max_tokens: 9, [historyField(api)!]: called(shared(60)) };
    expect(() => check(api, body)).not.toThrow();
    expect(() => heal(api, { ...body, extra: "\ud800" })).not.toThrow();
  });

  it("throws on no body, not even on one that cannot be read", () => {
    const unreadable = (): never => {
      throw new Error("no");
    };
    const message = { role: "user", content: "Please help" };
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const bodies = [
      Object.defineProperty({ [historyField(api)!]: [message] }, "model", { get: unreadable, enumerable: true }),
      Object.defineProperty({ model: "m" }, historyField(api)!, { get: unreadable, enumerable: true }),
      new Proxy({}, { get: unreadable, ownKeys: unreadable }),
      revoked,
    ];
    for (const body of bodies) {
      expect(check(api, body).length).toBeGreaterThan(0);
      expect(() => heal(api, body)).not.toThrow();
    }
    expect(JSON.stringify(heal(api, bodies[0]))).toContain("Please help");
  });

  it("keeps the digits of a bigint, in a text and in a call", () => {
    const said = heal(api, {
      model: "m",
      [historyField(api)!]: [{ role: "user", content: 17n }, ...called({ a: 18n })],
    });
    expect(JSON.stringify(said)).toMatch(/"17(\\n\\nx)?"/);
    expect(JSON.stringify(said).replaceAll("\\", "")).toContain('{"a":"18"}');
  });
});
