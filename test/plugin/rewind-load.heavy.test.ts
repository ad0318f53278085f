import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { asOperator, OWNERS_ENTRY, settingsWithPeople } from "../../harness/gateway/people.ts";
import { toTranscript } from "../../harness/openclaw/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { patience } from "../../harness/patience.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { makeMessages, PLACE, wordsIn } from "../../harness/openclaw/travelling.ts";

const RELEASE = "2026.9.6";
const REWOUND = "agent:main:rewound";
const HUGE = "agent:main:huge";
/** More than the gateway moves by itself. */
const HUGE_CHARACTERS = 6 * 1024 * 1024;
const OTHERS = Array.from({ length: 10 }, (_, nth) => `agent:main:other-${nth}`);

describe(`/rewind in a gateway of OpenClaw ${RELEASE} in which ten other conversations go on`, () => {
  let provider: StrictProvider;
  let gateway: Gateway;

  beforeAll(async () => {
    provider = await startProvider();
    const root = join(releasesFolder(), RELEASE, "patched");
    const { settings, env } = settingsWithPeople(join(root, "node_modules", "openclaw", "dist"), [OWNERS_ENTRY]);
    gateway = await openGateway({
      root,
      release: RELEASE,
      providerUrl: provider.url,
      settings,
      env,
      scopes: ["operator.read", "operator.write", "operator.admin"],
    });
    const messages = makeMessages("anthropic-messages");
    const padding = Array.from({ length: 40 }, (_, nth) => ({
      ...messages.at(nth % 2 === 0 ? 0 : -1)!,
      content: [{ type: "text", text: `padding ${nth} ${"x".repeat(HUGE_CHARACTERS / 40)}` }],
    }));
    await gateway.seed(HUGE, toTranscript([...messages, ...padding]));
    for (const key of [REWOUND, ...OTHERS]) await gateway.seed(key, toTranscript(makeMessages("anthropic-messages")));
    await gateway.start();
    for (const key of OTHERS) await gateway.send(key, "warm");
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
  });

  it("no message of another conversation is refused, none waits for a lock, and the next message goes on from the place", async () => {
    const refused: string[] = [];
    const times: Record<string, number[]> = { alone: [], "under load": [] };
    let over = new AbortController();
    const talk = async (key: string): Promise<void> => {
      for (const { signal } = over; !signal.aborted; await sleep(1_000)) {
        const answer = await gateway.send(key, "and on").then(({ finalText }) => finalText, String);
        if (!answer.startsWith("ok")) refused.push(`${key}: ${answer}`);
      }
    };
    for (const [load, keys] of [
      ["alone", []],
      ["under load", OTHERS],
    ] as const) {
      over = new AbortController();
      const talking = Promise.all(keys.map(talk));
      for (let nth = 0; nth < 4; nth++) {
        const isBack = nth % 2 === 0;
        const since = performance.now();
        await asOperator(gateway, REWOUND, `/rewind ${isBack ? PLACE.firstAnswer : PLACE.thirdAnswer}`);
        const answer = await asOperator(gateway, REWOUND, "/rewind yes");
        times[load]!.push(Math.round(performance.now() - since));
        expect(answer).toContain("The conversation continues ");
        const next = `next-${load}-${nth}`;
        expect((await gateway.send(REWOUND, next)).finalText).toMatch(/^ok/);
        const request = provider.requests.findLast(({ raw }) => raw.includes(next));
        expect(wordsIn(request, ["question-one", "question-three"])).toEqual(
          isBack ? ["question-one"] : ["question-one", "question-three"],
        );
      }
      over.abort();
      await talking;
    }
    console.log(`/rewind, in milliseconds: ${JSON.stringify(times)}`);
    expect(refused).toEqual([]);
    // OpenClaw tells of every wait above 100 ms; a loaded machine makes some by itself.
    const waits = [...gateway.log().matchAll(/slow SQLite coordinator lock wait[^\n]*?elapsedMs=(\d+)/g)];
    expect(Math.max(0, ...waits.map(([, ms]) => Number(ms)))).toBeLessThan(patience(500));
  });

  it("a conversation of megabytes, which a process of its own moves: no message of another one is refused", async () => {
    const refused: string[] = [];
    const over = new AbortController();
    const talking = Promise.all(
      OTHERS.map(async (key) => {
        for (const { signal } = over; !signal.aborted; await sleep(1_000)) {
          const answer = await gateway.send(key, "and on").then(({ finalText }) => finalText, String);
          if (!answer.startsWith("ok")) refused.push(`${key}: ${answer}`);
        }
      }),
    );
    const since = performance.now();
    await asOperator(gateway, HUGE, `/rewind ${PLACE.firstAnswer}`);
    const shown = performance.now();
    const answer = await asOperator(gateway, HUGE, "/rewind yes");
    console.log(
      `/rewind of ${HUGE_CHARACTERS} characters under load: preview ${Math.round(shown - since)} ms, move ${Math.round(performance.now() - shown)} ms`,
    );
    expect(answer).toContain("The conversation continues ");
    expect((await gateway.send(HUGE, "next-huge")).finalText).toMatch(/^ok/);
    over.abort();
    await talking;
    const request = provider.requests.findLast(({ raw }) => raw.includes("next-huge"));
    expect(wordsIn(request, ["question-one", "question-three", "padding 1"])).toEqual(["question-one"]);
    expect(refused).toEqual([]);
  });
});
