import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";

const RELEASE = "2026.9.6";
const MODES = [undefined, "followup", "collect"] as const;

let provider: StrictProvider;
let gateway: Gateway;
beforeAll(async () => {
  provider = await startProvider();
  gateway = await openGateway({
    root: join(releasesFolder(), RELEASE, "patched"),
    release: RELEASE,
    providerUrl: provider.url,
  });
  await gateway.start();
});
afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});

/** Begins a turn whose command runs on, and has a second message accepted meanwhile. */
async function keepBusy(key: string, mode: string | undefined): Promise<void> {
  provider.script({ kind: "tool", calls: [{ name: "exec", arguments: { command: `echo on ${key}; sleep 30` } }] });
  const before = provider.requests.length;
  await gateway.post(key, `send the mail of ${key}`);
  await until(() => provider.requests.length > before);
  await sleep(1000);
  await gateway.post(key, `wait, do not send that of ${key}`, mode === undefined ? {} : { queueMode: mode });
  await sleep(500);
}

/** Waits, for a minute at most; what comes next says what was missing. */
async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo() && waited < 600; waited++) await sleep(100);
}

/** How often the last request of a conversation has a text. OpenClaw goes on with others after a restart. */
function timesSent(key: string, text: string): number {
  const last = provider.requests.findLast(({ raw }) => raw.includes(`send the mail of ${key}`));
  return (last?.raw.split(text).length ?? 0) - 1;
}

// OpenClaw answers that it has accepted the message; its run then ends before it stores it.
describe.each(MODES)(
  `a message that OpenClaw ${RELEASE} has accepted while another is answered, queue mode %s`,
  (mode) => {
    it("and that a third one has interrupted is in the next request, and in each later one, once", async () => {
      const key = `agent:main:interrupted-${mode}`;
      await keepBusy(key, mode);
      await gateway.post(key, `what is the time in ${key}`, { queueMode: "interrupt" });
      await until(() => timesSent(key, `what is the time in ${key}`) > 0);
      for (const text of ["and the weather", "and the news"]) {
        await gateway.send(key, `${text} in ${key}`);
        expect(timesSent(key, `wait, do not send that of ${key}`)).toBe(1);
        expect(timesSent(key, "stopped all work")).toBe(0);
      }
    });

    it("and that a person has stopped is told to the model as unread, and to the person", async () => {
      const key = `agent:main:stopped-${mode}`;
      await keepBusy(key, mode);
      await gateway.post(key, "/stop");
      await sleep(1000);
      const { finalText } = await gateway.send(key, `where were we in ${key}`);
      expect(timesSent(key, `wait, do not send that of ${key}`)).toBe(1);
      expect(timesSent(key, "then stopped all work before you had read it")).toBe(1);
      expect(finalText).toContain(`before this message was read: "wait, do not send that of ${key}"`);
      expect((await gateway.send(key, "go on")).finalText).toMatch(/^ok \d+$/);
      expect(timesSent(key, "then stopped all work before you had read it")).toBe(1);
    });
  },
);

/** How often the gateway is killed; more than once where that is asked for. */
const KILLS = Number(process.env["UNTAKEN_KILLS"] ?? 1);

it(`messages that OpenClaw ${RELEASE} has accepted before it is killed are in the next request, once`, async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    const keys = MODES.map((mode) => `agent:main:killed-${kill}-${mode}`);
    for (const [at, key] of keys.entries()) await keepBusy(key, MODES[at]);
    // At another moment each time: OpenClaw goes on with what it has accepted.
    await sleep((kill * 397) % 2000);
    await gateway.restart();
    await Promise.all(
      keys.map(async (key) => {
        // OpenClaw may be going on with the first message by itself; this one then waits.
        await gateway.send(key, `and now, ${key}?`);
        await until(() => timesSent(key, `and now, ${key}?`) > 0);
        expect(timesSent(key, `wait, do not send that of ${key}`), key).toBe(1);
      }),
    );
  }
});
