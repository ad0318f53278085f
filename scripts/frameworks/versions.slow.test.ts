/** Old versions of what others build with. The SDKs are installed for this test, the frameworks only by the trial. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HISTORIES, measureAgents, PINNED } from "./measure.ts";

const isThere = (name: string): boolean => existsSync(join(import.meta.dirname, "../../.cache", name, "installed"));

describe("each damaged history is answered, and a valid one is sent as it is", () => {
  it("with the SDKs, back to Anthropic's 0.14 and OpenAI's 4.0", () => hold(PINNED.sdks));

  it.skipIf(!isThere(PINNED.oldest.name))("with the oldest frameworks", () => hold(PINNED.oldest));
});

async function hold(set: Parameters<typeof measureAgents>[1]): Promise<void> {
  for (const { name, api, answered, faults } of (await measureAgents(() => {}, set))?.measured ?? [])
    expect([name, api, answered.both, faults]).toEqual([name, api, HISTORIES, []]);
}
