import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { chosenReleases } from "./chosen-releases.ts";
import { cli, userEnvironment } from "./fixture.ts";

const KEY = "agent:main:main";
const SICK = toTranscript([
  user("a first question"),
  says("a first answer"),
  result("toolu_lost", "of nothing"),
  user("and?"),
  says("a second answer"),
]);

// A repair must never fail a run or lose what it writes.
describe.each(chosenReleases(BASE_RELEASES))(
  "with the gateway of OpenClaw $release at work on a session that has faults",
  ({ release, root }) => {
    const openclawRoot = join(root, "node_modules", "openclaw");
    let provider: StrictProvider;
    let gateway: Gateway;
    beforeEach(async () => {
      provider = await startProvider();
      gateway = await openGateway({ root, release, providerUrl: provider.url });
      await gateway.seed(KEY, SICK);
      await gateway.start();
    });
    afterEach(async () => {
      await gateway.close();
      await provider.close();
    });

    test("repairs are refused until it has answered, the run goes on, and nothing of it is lost", async () => {
      const repair = () =>
        cli(["sessions", "repair", KEY, "--path", openclawRoot, "--json"], newFolder(), {
          ...userEnvironment(newFolder()),
          OPENCLAW_STATE_DIR: gateway.stateDir,
        });
      provider.script({ kind: "tool", calls: [{ name: "exec", arguments: { command: "sleep 8 && echo finished" } }] });
      const { length } = provider.requests;
      const sent = gateway.send(KEY, "do it");
      while (provider.requests.length === length) await sleep(20);
      // The command keeps this process, and with it the provider, from answering.
      await sleep(2000);
      const during = [repair(), repair()];
      expect(during[0]).toMatchObject({ status: 1, data: { ok: false, code: "session-busy" } });
      for (const { data } of during) expect(["session-busy", undefined]).toContain(data["code"]);
      expect((await sent).error).toBeUndefined();
      // 2026.9.6 says for a moment longer that it is at work.
      let after = repair();
      for (let tries = 0; tries < 20 && after.data["code"] === "session-busy"; tries++) after = repair();
      expect(after).toMatchObject({ status: 0, data: { ok: true } });
      const next = await gateway.send(KEY, "and then?");
      expect(next.error).toBeUndefined();
      const raw = provider.requests.at(-1)!.raw;
      for (const text of ["a first question", "a second answer", "do it", "finished", "and then?"])
        expect(raw).toContain(text);
      expect(raw).not.toContain("toolu_lost");
    });
  },
);
