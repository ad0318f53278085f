/** What becomes of a person's messages that come close behind each other, are stopped, or are met by a kill. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import type { Gateway } from "../../harness/gateway/index.ts";
import { patience } from "../../harness/patience.ts";
import type { RecordedRequest } from "../../harness/providers/index.ts";
import type { Patched } from "./patched-gateway.ts";

const TIMEOUT_MS = 300_000;
/** The queue modes of OpenClaw 2026.9.6: its own, and two that a client asks for. */
const MODES: readonly (string | undefined)[] = [undefined, "followup", "collect"];
/** How OpenClaw 2026.9.6 refuses a message beside which another has just begun a session. */
const CHANGED = /retry the request/;

/** The last request with these words. */
function lastWith({ provider }: Patched, words: string): RecordedRequest | undefined {
  return provider.requests.findLast(({ raw }) => raw.includes(words));
}

/** How often a text is in the last request with some words. */
function timesSent(patched: Patched, words: string, text: string): number {
  return (lastWith(patched, words)?.raw.split(text).length ?? 0) - 1;
}

const once = (texts: readonly string[]): Record<string, number> => Object.fromEntries(texts.map((text) => [text, 1]));

/** Two first messages of a conversation, so many milliseconds one behind the other. */
export function firstMessages(patched: Patched, pauses: readonly number[]): void {
  // Unpatched, 5 of 14 such pairs on 2026.2.3 begin two sessions, one of which no later message is in.
  it(
    "two first messages of a conversation, one right behind the other, are in one session",
    async () => {
      const counts: Record<string, number> = {};
      for (const pause of pauses) {
        const key = `agent:main:pair-${pause}`;
        const said = [`book the table of ${key}.`, `and the room of ${key}.`];
        await Promise.all(said.map((words, n) => sleep(n * pause).then(() => posted(patched.gateway, key, words))));
        const isAsked = async (words: string): Promise<void> =>
          await vi.waitFor(() => expect(lastWith(patched, words), words).toBeDefined(), { timeout: 60_000 });
        for (const words of said) await isAsked(words);
        await patched.gateway.send(key, `when does ${key} eat?`);
        await isAsked(`when does ${key} eat?`);
        for (const words of said) counts[words] = timesSent(patched, `when does ${key} eat?`, words);
      }
      expect(counts).toEqual(once(Object.keys(counts)));
    },
    TIMEOUT_MS,
  );
}

async function posted(gateway: Gateway, key: string, words: string): Promise<unknown> {
  try {
    return await gateway.post(key, words);
  } catch (error) {
    if (!CHANGED.test(String(error))) throw error;
    return await posted(gateway, key, words);
  }
}

/** What a request says as the user: a person is told of a stopped message too, in an answer. */
function userWords({ body }: RecordedRequest): string {
  const { messages } = body as { messages: { role: string }[] };
  return JSON.stringify(messages.filter(({ role }) => role === "user"));
}

/** A message that is stopped so many milliseconds behind its acknowledgement, twice in a conversation. */
export function stoppedBehindAcknowledgement(patched: Patched, pauses: readonly number[]): void {
  it(
    "the model is told once of a message that is stopped behind its acknowledgement, and has the next",
    async () => {
      const { gateway } = patched;
      const counts: Record<string, number | string> = {};
      for (const pause of pauses) {
        const key = `agent:main:stopped-${pause}`;
        const said = [1, 2].flatMap((turn) => [`book the table of ${key}-${turn}.`, `which table has ${key}-${turn}?`]);
        for (const [stopped, next] of [said.slice(0, 2), said.slice(2)]) {
          const runId = await gateway.post(key, stopped!);
          await sleep(pause);
          await gateway.request("chat.abort", { sessionKey: key, runId });
          await gateway.send(key, next!);
        }
        await gateway.send(key, `and when does ${key} eat?`);
        const asked = patched.provider.requests.filter(({ raw }) => raw.includes(key)).map(userWords);
        const last = asked.findLast((words) => words.includes(`and when does ${key} eat?`)) ?? "";
        for (const words of said) {
          const times = last.split(words).length - 1;
          // A red run says whether the model ever had it.
          counts[words] =
            times === 1 ? 1 : `${times}; in each request: ${asked.map((one) => one.split(words).length - 1)}`;
        }
      }
      expect(counts).toEqual(once(Object.keys(counts)));
    },
    TIMEOUT_MS,
  );
}

/** A question that is stopped while its answer streams. */
export function stoppedQuestion(patched: Patched): void {
  // OpenClaw removes a question without an answer from the path, to ask it again; a stopped one it never asks again.
  it("a question that a person stops in the middle of its answer is in the next request", async () => {
    const { gateway, provider } = patched;
    const key = "agent:main:stopped-question";
    await gateway.send(key, "hello");
    provider.script({ kind: "text", text: "well, let me see ".repeat(100), pace: 200, pieces: 100 });
    const before = provider.requests.length;
    await gateway.post(key, "book the flight to Oslo");
    await until(() => provider.requests.length > before);
    await sleep(1000);
    await gateway.request("chat.abort", { sessionKey: key });
    await gateway.send(key, "no, the second one please");
    for (const text of ["hello", "book the flight to Oslo", "no, the second one please"])
      expect(provider.requests.at(-1)!.raw.split(text).length - 1, text).toBe(1);
  });
}

/** A message that is stopped before its first request, so many times, each a little later. */
export function stoppedAtStart(patched: Patched, tries: number, stepMs: number): void {
  // Unpatched, 10 of 60 such stops on 2026.2.3 are followed by all requests and commands of the turn.
  it("a message that is stopped before its first request asks for no command behind the stop", async () => {
    const { gateway, provider } = patched;
    const key = "agent:main:stopped-at-start";
    await gateway.send(key, "hello");
    provider.front(() => ({ kind: "tool", calls: [{ name: "read", arguments: { path: "a.txt" } }] }));
    for (let n = 0; n < tries; n++) {
      await gateway.post(key, `read it, ${n}`);
      await sleep(n * stepMs);
      await gateway.request("chat.abort", { sessionKey: key });
      const before = provider.requests.length;
      await sleep(300);
      // One may have been on its way.
      expect(provider.requests.length - before, `stopped after ${n * stepMs} ms`).toBeLessThanOrEqual(1);
    }
  });
}

/** A run with the words of two earlier ones in its prompt, which a message interrupts after so many milliseconds. */
export function superseded(patched: Patched, queueMode: string, pauses: readonly number[]): void {
  const words = ["first", "second", "third", "fourth", "fifth", "sixth"];
  it(
    `a question whose run is superseded, and the run that was to ask it too, is in the next request once: ${queueMode}`,
    async () => {
      const { gateway, provider } = patched;
      for (const pause of pauses) {
        const key = `agent:main:superseded-${queueMode}-${pause}`;
        const say = (word: string): string => `${word} of ${key}.`;
        await gateway.send(key, "hello");
        const before = provider.requests.length;
        provider.script({ kind: "fault", fault: "hang" });
        await gateway.post(key, say("first"));
        await until(() => provider.requests.length > before);
        await gateway.post(key, say("second"), { queueMode });
        await sleep(100);
        await gateway.post(key, say("third"), { queueMode: "interrupt" });
        await sleep(pause);
        await gateway.post(key, say("fourth"), { queueMode: "interrupt" });
        await sleep(1000);
        for (const word of ["fifth", "sixth"]) await gateway.send(key, say(word));
        // It may be queued behind the fourth, where the machine is slow.
        await vi.waitUntil(() => lastWith(patched, say("sixth")), patience(30_000));
        const counts = words.map((word) => timesSent(patched, say("sixth"), say(word)));
        expect(counts, key).toEqual(words.map(() => 1));
      }
    },
    TIMEOUT_MS,
  );
}

/** Messages that OpenClaw 2026.9.6 accepts while another is answered; their run then ends before it stores them. */
export function untaken(patched: Patched, modes = MODES): void {
  it.each(modes)(
    "a message that waits when a third one interrupts is in the next request, and in each later one, once: queue mode %s",
    async (mode) => {
      const key = `agent:main:interrupted-${mode}`;
      await keepBusy(patched, key, mode);
      await patched.gateway.post(key, `what is the time in ${key}`, { queueMode: "interrupt" });
      await until(() => timesInMails(patched, key, `what is the time in ${key}`) > 0);
      for (const text of ["and the weather", "and the news"]) {
        await patched.gateway.send(key, `${text} in ${key}`);
        expect(timesInMails(patched, key, `wait, do not send that of ${key}`)).toBe(1);
        expect(timesInMails(patched, key, "stopped all work")).toBe(0);
      }
    },
  );

  it.each(modes)(
    "a message that waits when a person stops all work is told to the model as unread, and to the person: queue mode %s",
    async (mode) => {
      const { gateway } = patched;
      const key = `agent:main:unread-${mode}`;
      await keepBusy(patched, key, mode);
      await gateway.post(key, "/stop");
      await sleep(1000);
      const { finalText } = await gateway.send(key, `where were we in ${key}`);
      expect(timesInMails(patched, key, `wait, do not send that of ${key}`)).toBe(1);
      expect(timesInMails(patched, key, "then stopped all work before you had read it")).toBe(1);
      expect(finalText).toContain(`before this message was read: "wait, do not send that of ${key}"`);
      expect((await gateway.send(key, "go on")).finalText).toMatch(/^ok \d+$/);
      expect(timesInMails(patched, key, "then stopped all work before you had read it")).toBe(1);
    },
  );
}

/** What a kill meets: how many conversations with an accepted message, and so many milliseconds behind the last one. */
export interface Kill {
  readonly conversations: number;
  readonly pauseMs: number;
}

/** A kill behind acknowledgements, the last of them right before it; where messages can wait for a run, beside those. */
export function killed(
  patched: Patched,
  { conversations, pauseMs }: Kill,
  modes: readonly (string | undefined)[],
): void {
  it(
    `messages that are acknowledged, or wait for a run, ${pauseMs} ms before a kill are in the next request once`,
    async () => {
      const { gateway } = patched;
      const keys = Array.from({ length: conversations }, (_, n) => `agent:main:accepted-${pauseMs}-${n}`);
      // The last conversation begins with the message.
      for (const key of keys.slice(1)) await gateway.send(key, "hello");
      const busy = modes.map((mode) => ({ mode, key: `agent:main:killed-${pauseMs}-${mode}` }));
      for (const { mode, key } of busy) await keepBusy(patched, key, mode);
      for (const key of keys.toReversed()) await gateway.post(key, `book the table of ${key}.`);
      if (pauseMs > 0) await sleep(pauseMs);
      await gateway.restart();
      const counts: Record<string, number> = {};
      await Promise.all([
        ...keys.map(async (key) => {
          await gateway.send(key, `which table has ${key}?`);
          await gateway.send(key, `and when does ${key} eat?`);
          // OpenClaw may be going on with an earlier message by itself; this one then waits.
          await until(() => timesSent(patched, `and when does ${key} eat?`, "and when") > 0);
          counts[key] = timesSent(patched, `and when does ${key} eat?`, `book the table of ${key}.`);
        }),
        ...busy.map(async ({ key }) => {
          await gateway.send(key, `and now, ${key}?`);
          await until(() => timesInMails(patched, key, `and now, ${key}?`) > 0);
          counts[key] = timesInMails(patched, key, `wait, do not send that of ${key}`);
        }),
      ]);
      expect(counts).toEqual(once(Object.keys(counts)));
    },
    TIMEOUT_MS,
  );
}

/** The queue modes in which a message waits for a run of a release. */
export const waitingModes = (release: string): readonly (string | undefined)[] => (release === "2026.9.6" ? MODES : []);

/** Begins a turn whose command runs on, and has a second message accepted meanwhile. */
async function keepBusy({ gateway, provider }: Patched, key: string, mode: string | undefined): Promise<void> {
  const command = `echo on ${key}; sleep 30`;
  let isBusy = false;
  // Not to the next request: it may be one of another conversation.
  provider.front(({ raw }) => {
    if (isBusy || !raw.includes(`send the mail of ${key}`)) return undefined;
    isBusy = true;
    return { kind: "tool", calls: [{ name: "exec", arguments: { command } }] };
  });
  await gateway.post(key, `send the mail of ${key}`);
  await until(() => isBusy);
  await sleep(1000);
  await gateway.post(key, `wait, do not send that of ${key}`, mode === undefined ? {} : { queueMode: mode });
  await sleep(500);
}

/** How often the last request of a conversation of {@link keepBusy} has a text. */
const timesInMails = (patched: Patched, key: string, text: string): number =>
  timesSent(patched, `send the mail of ${key}`, text);

/** Waits, for a minute at most; what comes next says what was missing. */
async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo() && waited < 600; waited++) await sleep(100);
}
