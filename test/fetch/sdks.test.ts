/** The SDKs of Anthropic and OpenAI with a healing fetch in their `fetch` option, against the strict provider. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FAULTS, VALID } from "../../harness/lists/faults.ts";
import { RENDER } from "../../harness/lists/forms.ts";
import {
  noToolBlocksAtAll,
  refuseEverything,
  startProvider,
  type StrictProvider,
} from "../../harness/providers/index.ts";
import { healingFetch } from "../../src/fetch/index.ts";

let provider: StrictProvider;
beforeAll(async () => void (provider = await startProvider()));
beforeEach(() => provider.reset());
afterAll(() => provider.close());

type Ask = (steps: typeof VALID, heals: boolean) => Promise<string>;

const options = (heals: boolean): object => ({
  apiKey: "k",
  maxRetries: 0,
  ...(heals && { fetch: healingFetch() }),
});
const anthropic = (heals: boolean): Anthropic => new Anthropic({ baseURL: provider.url, ...options(heals) });
const openai = (heals: boolean): OpenAI => new OpenAI({ baseURL: `${provider.url}/v1`, ...options(heals) });

/** How many of the damaged histories are answered as they are, and how a program asks. */
const SDKS: Record<string, [number, Ask]> = {
  "Anthropic, whole": [
    1,
    async (steps, heals) => {
      const messages = RENDER.anthropic(steps) as unknown as Anthropic.MessageParam[];
      const answer = await anthropic(heals).messages.create({ model: "claude-test", max_tokens: 9, messages });
      return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    },
  ],
  "Anthropic, streamed": [
    1,
    async (steps, heals) => {
      const messages = RENDER.anthropic(steps) as unknown as Anthropic.MessageParam[];
      return await anthropic(heals).messages.stream({ model: "claude-test", max_tokens: 9, messages }).finalText();
    },
  ],
  "Chat Completions, streamed": [
    0,
    async (steps, heals) => {
      const messages = RENDER.chat(steps) as unknown as OpenAI.ChatCompletionMessageParam[];
      let text = "";
      for await (const piece of await openai(heals).chat.completions.create({ model: "gpt-5", messages, stream: true }))
        text += piece.choices[0]?.delta.content ?? "";
      return text;
    },
  ],
  "Responses, whole": [
    3,
    async (steps, heals) => {
      const input = RENDER.responses(steps) as unknown as OpenAI.Responses.ResponseInput;
      return (await openai(heals).responses.create({ model: "gpt-5", input })).output_text;
    },
  ],
};

describe.each(Object.entries(SDKS))("%s", (_name, [answeredAsItIs, ask]) => {
  const faults = Object.entries(FAULTS);

  it("answers each damaged history with one request, and fewer of them without", async () => {
    let plain = 0;
    for (const [fault, steps] of faults) {
      plain += await ask(steps, false).then(
        () => 1,
        () => 0,
      );
      const before = provider.requests.length;
      expect(await ask(steps, true), fault).toMatch(/^ok \d+$/);
      expect(provider.requests.length - before, fault).toBe(1);
    }
    // docs/library.md has these numbers.
    expect([plain, faults.length]).toEqual([answeredAsItIs, 17]);
  });

  it("is answered where the model takes no calls, and throws the SDK's error where it takes nothing", async () => {
    provider.enforce(noToolBlocksAtAll());
    expect(await ask(VALID, true)).toMatch(/^ok \d+$/);
    provider.enforce(refuseEverything());
    const told = (heals: boolean): Promise<string> => ask(VALID, heals).then(String, ({ message }: Error) => message);
    expect(await told(true)).toBe(await told(false));
    expect(await told(true)).toContain("400");
  });
});
