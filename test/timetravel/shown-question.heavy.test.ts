/** What a person sees of a question that the agent's move has left behind, and that no model gets it twice. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { pluginSettings } from "../../harness/gateway/plugin-settings.ts";
import { makeHome, toTranscript } from "../../harness/openclaw/index.ts";
import { startLive, type Live } from "../../harness/openclaw/live.ts";
import { BASE_RELEASES, releasesFolder } from "../../harness/openclaw/releases.ts";
import { MAY_TRAVEL, makeMessages, PLACE, tobe, TOOLS, wordsIn } from "../../harness/openclaw/travelling.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { patience } from "../../harness/patience.ts";
import { shownQuestion } from "./shown-question-cases.ts";

const KEY = "agent:main:main";

describe.each(BASE_RELEASES)(
  "after a move of the agent in OpenClaw %s",
  (release) => {
    let provider: StrictProvider;
    let home: string;
    let gateway: Gateway;
    const open = (variant: "patched" | "stock"): Promise<Gateway> => {
      const root = join(releasesFolder(), release, variant);
      const settings = pluginSettings(join(root, "node_modules", "openclaw", "dist"), MAY_TRAVEL);
      return openGateway({ root, release, providerUrl: provider.url, settings, tools: TOOLS, home });
    };
    const shown = async (): Promise<string> =>
      JSON.stringify((await gateway.history(KEY)).filter(({ role }) => role === "user"));
    /** A gateway that has just started may refuse a turn while it tidies its database. */
    const answered = async (text: string): Promise<string> => {
      for (let nth = 0; nth < 3; nth++) {
        const { finalText } = await gateway.send(KEY, text);
        if (finalText !== "") return finalText;
      }
      return "";
    };
    const times = (text: string | undefined, word: string): number => (text ?? "").split(word).length - 1;

    beforeEach(async () => {
      provider = await startProvider();
      home = await makeHome(`shown-${release}-`);
      gateway = await open("patched");
      await gateway.seed(KEY, toTranscript(makeMessages("anthropic-messages")));
      await gateway.start();
    });
    afterEach(async () => {
      await gateway.close();
      await provider.close();
    });

    it("several moves, a new turn and the unpatched OpenClaw on the same store: each question is seen, and sent once", async () => {
      provider.script(
        { kind: "tool", calls: [tobe(PLACE.secondAnswer, "note-one")] },
        { kind: "tool", calls: [tobe(PLACE.firstAnswer, "note-two")] },
        { kind: "text", text: "answered" },
      );
      const { finalText } = await gateway.send(KEY, "question-four");
      expect(finalText).toMatch(/^answered\s+\[The agent went back in this conversation, 2 times, [^\n]*\]$/);
      expect(times(await shown(), "question-four")).toBeGreaterThanOrEqual(1);
      await gateway.kill();
      gateway = await open("stock");
      await gateway.start();
      expect(times(await shown(), "question-four")).toBeGreaterThanOrEqual(1);
      expect((await gateway.send(KEY, "question-five")).finalText).toMatch(/^ok/);
      const last = provider.requests.at(-1);
      expect(last?.status).toBe(200);
      expect(wordsIn(last, ["question-one", "question-two", "note-two", "answered", "question-five"])).toEqual([
        "question-one",
        "note-two",
        "answered",
        "question-five",
      ]);
      expect(times(last?.raw, "question-four")).toBe(1);
    });

    it.each(["patched", "stock"] as const)(
      "a kill behind the move and a restart %s: the question is seen, and no request has it twice",
      async (variant) => {
        provider.script(
          { kind: "tool", calls: [tobe(PLACE.firstAnswer, "note-one")] },
          { kind: "fault", fault: "hang" },
        );
        const sent = gateway.send(KEY, "question-four").catch(() => undefined);
        await expect.poll(() => provider.requests.length, { timeout: patience(60_000) }).toBe(2);
        await sleep(500);
        await gateway.kill();
        await sent;
        provider.reset();
        gateway = await open(variant);
        await gateway.start();
        expect(times(await shown(), "question-four")).toBeGreaterThanOrEqual(1);
        // 2026.9.6 goes on with the interrupted turn by itself, and queues what is said meanwhile.
        if (release === "2026.9.6")
          await expect
            .poll(() => gateway.log(), { timeout: patience(90_000) })
            .toContain("main-session restart recovery terminal");
        expect(await answered("question-five")).toMatch(/ok/);
        for (const { raw, status } of provider.requests) {
          expect(status).toBe(200);
          expect(times(raw, "question-four")).toBe(1);
          expect(times(raw, "note-one")).toBe(1);
        }
      },
    );
  },
  patience(300_000),
);

// The patched one: rows.slow.test.ts.
describe("OpenClaw 2026.9.6 without the patch", () => {
  const live = {} as Live;
  beforeAll(async () => void Object.assign(live, await startLive("2026.9.6", "stock")));
  afterAll(() => live.close());
  shownQuestion(live);
});
