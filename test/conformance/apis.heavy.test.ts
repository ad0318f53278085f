/** The library over the kit: an agent with healingFetch and a durable tool conforms on each API, whenever it saves. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { patience } from "../../harness/patience.ts";
import { type Form, makeCases, testAgent } from "../../src/conformance/index.ts";

const AGENT = join(import.meta.dirname, "agents/fetch-agent.mjs");
const FORMS: readonly Form[] = ["anthropic", "chat", "responses", "gemini", "converse"];

it.each(FORMS.flatMap((form) => ["each", "end"].map((saves) => [form, saves] as const)))(
  "%s, saves at %s: no request is refused, and none says of a call what is not so",
  async (form, saves) => {
    const command = [process.execPath, "--no-warnings", AGENT, saves];
    const { cases } = await testAgent({ cases: makeCases(form), command, limitMs: patience(60_000) });
    expect(cases.filter(({ outcome, refused }) => outcome !== "passed" || refused > 0)).toEqual([]);
  },
);
