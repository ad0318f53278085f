import { afterEach, beforeEach, expect, it } from "vitest";
import type { KillAt } from "../cases/case.ts";
import { Effects } from "./effects.ts";

const TOOL = { name: "pay", description: "Pays.", parameters: {} };

let effects: Effects;
beforeEach(async () => void (effects = await Effects.start()));
afterEach(() => effects.close());

/** Two calls, at once or one after the other; what has acted and returned when the kill is due. */
async function callTwice(
  kill: KillAt | undefined,
  isParallel: boolean,
): Promise<readonly [acted: number, returned: number]> {
  let returned = 0;
  const done = new Promise<void>((resolve) => {
    effects.play({ tools: [TOOL], calls: 2, kill, reached: resolve });
    const call = async (nth: number): Promise<void> => {
      const body = JSON.stringify({ name: "pay", arguments: { nth } });
      const response = await fetch(effects.url, { method: "POST", body });
      expect(await response.text()).toContain(effects.list[nth]?.receipt);
      if (++returned === 2) resolve();
    };
    const first = call(0);
    void (isParallel ? first : Promise.resolve(first)).catch(() => undefined);
    (isParallel ? call(1) : first.then(() => call(1))).catch(() => undefined);
  });
  await done;
  if (isParallel) await expect.poll(() => effects.seen).toBe(2);
  return [effects.list.length, returned];
}

it.each([
  ["called", true, [0, 0]],
  ["called", false, [0, 0]],
  ["acted", true, [1, 0]],
  ["acted", false, [1, 0]],
  ["one_returned", true, [1, 1]],
  ["one_returned", false, [1, 1]],
  ["last_acted", true, [2, 1]],
  ["last_acted", false, [2, 1]],
  [undefined, true, [2, 2]],
  [undefined, false, [2, 2]],
] as const)(
  "at the kill %s of calls at once (%s) so many have acted and returned: %j, whatever the time is",
  async (kill, isParallel, [acted, returned]) => {
    const found = await callTwice(kill, isParallel);
    // The answer of the first of two calls at once may still be on its way.
    expect(found[0]).toBe(acted);
    expect(found[1]).toBeLessThanOrEqual(returned);
    if (!isParallel) expect(found[1]).toBe(returned);
  },
);

it("refuses what is no call of a tool, and lets it act on nothing", async () => {
  effects.play({ tools: [TOOL], calls: 2, kill: undefined, reached: () => undefined });
  for (const body of ["", "[]", "{}", `{"name":"pay"}`, `{"name":"rm","arguments":{}}`]) {
    const response = await fetch(effects.url, { method: "POST", body });
    expect([response.status, await response.text()]).toEqual([
      400,
      `expected {"name": one of pay, "arguments": an object}; found another body`,
    ]);
  }
  expect(effects.list).toEqual([]);
});
