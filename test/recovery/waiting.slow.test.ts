import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { OWNER, OWNERS_ENTRY, say, settingsWithPeople } from "../../harness/gateway/people.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { patience } from "../../harness/patience.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";

const RELEASE = "2026.2.3";
/** How OpenClaw treats a message that comes while another is answered. */
const MODES = ["collect", "followup", "steer", "steer-backlog"] as const;

let provider: StrictProvider;
let gateway: Gateway;
/** The commands that turns are still to be answered with, by the key of the conversation. */
const commands = new Map<string, string>();
/** Not in a conversation with a longer key. A message that a kill met before its run has no id behind it. */
const asksFor = (key: string): RegExp => new RegExp(`send the mail of ${key}(?![-\\w])`);

beforeAll(async () => {
  provider = await startProvider();
  provider.front(({ raw }) => {
    const [key, command] = [...commands].find(([one]) => asksFor(one).test(raw)) ?? [];
    if (key === undefined) return undefined;
    commands.delete(key);
    return { kind: "tool", calls: [{ name: "exec", arguments: { command, yieldMs: 60_000 } }] };
  });
  const root = join(releasesFolder(), RELEASE, "patched");
  // A stop on a channel empties the queue; one of a client of the gateway does not.
  const { settings, env } = settingsWithPeople(join(root, "node_modules", "openclaw", "dist"), [OWNERS_ENTRY]);
  gateway = await openGateway({
    root,
    release: RELEASE,
    providerUrl: provider.url,
    scopes: ["operator.read", "operator.write", "operator.admin"],
    settings,
    env: { ...env, LETTERBOX: join(newFolder(), "letters") },
  });
  await gateway.start();
});
afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});

/** Begins a turn whose command runs for a time, and has two more messages accepted meanwhile. */
async function keepBusy(key: string, mode: string, seconds = 30): Promise<void> {
  await setMode(key, mode);
  commands.set(key, `echo on ${key}; sleep ${seconds}`);
  await gateway.post(key, `send the mail of ${key}`);
  await until(() => !commands.has(key));
  await sleep(500);
  for (const text of waitingTexts(key)) {
    await gateway.post(key, text);
    // OpenClaw acknowledges a message before it queues it: on a slow machine the next one would overtake it.
    await sleep(patience(300));
  }
}

/** Sets how messages are queued in a conversation, as its owner, who alone may. */
async function setMode(key: string, mode: string): Promise<void> {
  expect(await say(gateway, OWNER, `/queue ${mode}`, key)).toContain(mode);
}

function waitingTexts(key: string): [string, string] {
  return [`wait, do not send that of ${key}`, `write to Ada about ${key}`];
}

/** Waits, for a minute at most; what comes next says what was missing. */
async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo() && waited < 600; waited++) await sleep(100);
}

/** The messages of the person in the last request of a conversation, and the notes to the model, which go as such. */
function lastRequest(key: string): string {
  const last = provider.requests.findLast(({ raw }) => asksFor(key).test(raw));
  const { messages = [] } = JSON.parse(last?.raw ?? "{}") as { messages?: { role: string }[] };
  return JSON.stringify(messages.filter(({ role }) => role === "user"));
}

/** How often the last request of a conversation has a text. */
function timesSent(key: string, text: string): number {
  return lastRequest(key).split(text).length - 1;
}

/** Where the last request of a conversation has each of the texts; each once, or it throws. */
function findPlaces(key: string, texts: readonly string[]): number[] {
  for (const text of texts) expect(timesSent(key, text), `${text} in ${lastRequest(key)}`).toBe(1);
  return texts.map((text) => lastRequest(key).indexOf(text));
}

function expectInOrder(key: string, texts: readonly string[]): void {
  const places = findPlaces(key, texts);
  expect(places, key).toEqual(places.toSorted((one, other) => one - other));
}

describe.each(MODES)(`messages that wait for a run of OpenClaw ${RELEASE}, queue mode %s`, (mode) => {
  it("are told to the model as unread, and to the person, where a person has stopped all work", async () => {
    const key = `agent:main:stopped-${mode}`;
    await keepBusy(key, mode);
    await say(gateway, OWNER, "/stop", key);
    await sleep(1000);
    const { finalText } = await gateway.send(key, `where were we in ${key}`);
    expectInOrder(key, [...waitingTexts(key), `where were we in ${key}`]);
    expect(timesSent(key, "then stopped all work before you had read it")).toBe(2);
    expect(finalText).toMatch(
      /You stopped the work before these messages were read: ".*wait, do not.*", ".*write to Ada/,
    );
    expect((await gateway.send(key, "go on")).finalText).toMatch(/^ok \d+$/);
    expect(timesSent(key, "then stopped all work before you had read it")).toBe(2);
  });
});

it(`messages that wait for a run of OpenClaw ${RELEASE} are taken once by it where nothing comes between, and not again after a restart`, async () => {
  const all = MODES.map((mode) => ({ mode, key: `agent:main:taken-${mode}` }));
  await Promise.all(all.map(({ mode, key }) => keepBusy(key, mode, 4)));
  await until(() => all.every(({ key }) => waitingTexts(key).every((text) => timesSent(key, text) > 0)));
  await sleep(3000);
  const times = (): [string, number[]][] =>
    all.map(({ mode, key }) => [mode, waitingTexts(key).map((text) => timesSent(key, text))]);
  const before = times();
  // With the backlog OpenClaw itself gives a message twice: at once, and behind the run.
  for (const [mode, counts] of before) if (mode !== "steer-backlog") expect(counts, mode).toEqual([1, 1]);
  await gateway.restart();
  await Promise.all(all.map(({ key }) => gateway.send(key, `and now, ${key}?`)));
  expect(times()).toEqual(before);
});

it("messages that wait when a third one interrupts the run are each in a request once", async () => {
  const keys = MODES.map((mode) => `agent:main:interrupted-${mode}`);
  await Promise.all(
    keys.map(async (key, at) => {
      await keepBusy(key, MODES[at]!);
      await setMode(key, "interrupt");
      await gateway.post(key, `what is the time in ${key}`);
      await until(() => timesSent(key, `what is the time in ${key}`) > 0);
    }),
  );
  await sleep(5000);
  for (const key of keys) {
    await gateway.send(key, `and the weather in ${key}`);
    findPlaces(key, [...waitingTexts(key), `what is the time in ${key}`]);
  }
});

/** How often the gateway is killed; more than once where that is asked for. */
const KILLS = Number(process.env["WAITING_KILLS"] ?? 1);

it(`messages that wait when OpenClaw ${RELEASE} is killed are in the next request, once and in order`, async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    const keys = MODES.map((mode) => `agent:main:killed-${kill}-${mode}`);
    await Promise.all(keys.map((key, at) => keepBusy(key, MODES[at]!)));
    // At another moment each time.
    await sleep((kill * 397) % 2000);
    await gateway.restart();
    await Promise.all(
      keys.map(async (key) => {
        await gateway.send(key, `and now, ${key}?`);
        expectInOrder(key, [`send the mail of ${key}`, ...waitingTexts(key), `and now, ${key}?`]);
        await gateway.send(key, "go on");
        findPlaces(key, waitingTexts(key));
      }),
    );
  }
});
