/**
 * Updates for real, from npm: a patched gateway of 2026.9.5 that answers messages all the time is updated to 2026.9.6.
 * The test starts the gateway again when it ends, as its supervisor does.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { gatewayEnvironment } from "../../harness/gateway/config.ts";
import { openGateway } from "../../harness/gateway/index.ts";
import { settingsWithPeople } from "../../harness/gateway/people.ts";
import { startProvider } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";
import { apply, status } from "../../src/patching/apply.ts";
import { manifestIn } from "../../src/patching/find/package.ts";
import { userEnvironment } from "../cli/fixture.ts";

const SICK = "agent:main:sick";
const CROWD = ["agent:main:one", "agent:main:two"];
const SCOPES = ["operator.read", "operator.write", "operator.admin"];

/**
 * `npm install` replaces the files under the running gateway. `openclaw update` refuses while a gateway that is no
 * service of its own has the database open, so the supervisor stops the gateway for it.
 */
const UPDATES = ["npm install --global openclaw@2026.9.6", "openclaw update --tag 2026.9.6 --yes"] as const;

it.each(UPDATES)(
  "%s, with messages all the time: none is lost, and it ends patched without a hand",
  async (command) => {
    const folder = newFolder();
    const home = newFolder();
    const prefix = join(folder, "prefix");
    const npm = { ...userEnvironment(home), npm_config_prefix: prefix };
    execFileSync("npm", ["install", "--global", "openclaw@2026.9.5", "--loglevel=error"], { env: npm });
    const openclaw = join(prefix, "lib", "node_modules", "openclaw");
    apply(openclaw);
    const provider = await startProvider();
    const letters = join(folder, "letters");
    const config = { logLevel: "info", keepPatched: { enabled: true }, notify: { channel: "letterbox", to: "owner" } };
    const { settings, env } = settingsWithPeople(join(openclaw, "dist"), ["letterbox:owner-1"], config);
    const supervised = { ...env, LETTERBOX: letters, OPENCLAW_NO_RESPAWN: "", OPENCLAW_SUPERVISOR_MODE: "external" };
    const gateway = await openGateway({
      root: join(prefix, "lib"),
      release: "2026.9.5",
      providerUrl: provider.url,
      scopes: SCOPES,
      settings,
      env: supervised,
    });
    await gateway.seed(SICK, readFileSync(transcriptPath("a-first-message-is-a-result"), "utf8"));
    await gateway.start();
    const log: string[] = [];
    const began = Date.now();
    const note = (text: string): void => void log.push(`${((Date.now() - began) / 1000).toFixed(1)} s: ${text}`);
    const now = { isOver: false, isStopped: false };
    let starts = 0;
    const supervisor = (async () => {
      while (!now.isOver) {
        note(`the gateway ended: ${await gateway.whenEnded()}`);
        while (now.isStopped && !now.isOver) await sleep(100);
        if (now.isOver) return;
        await gateway.start();
        starts += 1;
        note(`the gateway is ready again, with OpenClaw ${manifestIn(openclaw)?.version}`);
      }
    })();
    const sent = { answered: 0, again: 0, lost: 0 };
    const waiting = new Set<string>();
    /** As a channel does: what was not accepted is delivered again. */
    const talk = async (key: string): Promise<void> => {
      for (let nth = 1; !now.isOver; nth += 1) {
        const text = `message ${nth} of ${key}`;
        for (;;) {
          try {
            const { finalText } = await gateway.send(key, text);
            waiting.delete(key);
            if (finalText.startsWith("ok")) sent.answered += 1;
            else sent.lost += 1;
            if (!finalText.startsWith("ok")) note(`${text}: ${finalText.slice(0, 200)}`);
            break;
          } catch (error) {
            sent.again += 1;
            if (!waiting.has(key)) note(`${text} waits: ${String(error).slice(0, 120)}`);
            waiting.add(key);
            await sleep(1000);
          }
        }
        await sleep(3000);
      }
    };
    const talking = [...CROWD, SICK].map(talk);
    const told = (): string => (existsSync(letters) ? readFileSync(letters, "utf8") : "");
    try {
      await sleep(10_000);
      expect(status(openclaw).state).toBe("patched");
      const before = sent.lost;
      note(`${command} begins`);
      const shell = {
        ...npm,
        ...gatewayEnvironment(dirname(gateway.stateDir), provider.url),
        npm_config_prefix: prefix,
      };
      const [program = "", ...args] = command.split(" ");
      now.isStopped = program === "openclaw";
      if (now.isStopped) await gateway.kill();
      const updated = await promisify(execFile)(
        program === "npm" ? "npm" : process.execPath,
        program === "npm" ? args : [join(openclaw, "openclaw.mjs"), ...args],
        { env: shell, timeout: 900_000, maxBuffer: 2 ** 26 },
      );
      note(`it has ended: ${updated.stdout.trim().split("\n").at(-1)}`);
      note(`OpenClaw ${manifestIn(openclaw)?.version}, ${status(openclaw).state}`);
      expect(status(openclaw)).toMatchObject({ release: "2026.9.6", state: "stock" });
      if (!now.isStopped) await gateway.kill();
      now.isStopped = false;
      const end = Date.now() + 400_000;
      while (!told().includes("active again") && Date.now() < end) await sleep(500);
      note("over");
      expect(told()).toContain("active again in OpenClaw 2026.9.6");
      expect(status(openclaw)).toMatchObject({ release: "2026.9.6", state: "patched" });
      await sleep(15_000);
      expect(sent.lost - before).toBe(0);
    } finally {
      now.isOver = true;
      console.log(log.join("\n"), JSON.stringify({ ...sent, starts }), told());
      await Promise.race([Promise.all(talking), sleep(30_000)]);
      await gateway.close();
      await supervisor.catch(() => undefined);
      await provider.close();
    }
  },
  2_400_000,
);
