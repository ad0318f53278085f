/**
 * Containers that are made anew while the state directory stays, with messages all the time: OpenClaw 2026.9.5 patched
 * in its image, then images of 2026.9.6 with the patch, without it, without it and read-only, and with the hook. The
 * plugin is in the state directory and keeps the patch.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { gatewayEnvironment } from "../../harness/gateway/config.ts";
import { openGateway } from "../../harness/gateway/index.ts";
import { makeHome } from "../../harness/openclaw/home.ts";
import { startProvider } from "../../harness/providers/index.ts";
import { readKept } from "../../src/patching/write/kept-record.ts";
import { readRecord } from "../../src/patching/write/record.ts";
import { build, packPackage, shell } from "./build.ts";
import { readEnvironment, parseDockerfile, service } from "./files.ts";
import { gatewayIn } from "./gateway.ts";
import {
  canMakeContainers,
  type Container,
  type Image,
  toImage,
  makeBase,
  makeContainer,
  runIn,
  startIn,
} from "./root.ts";

const ROOT = "/usr/local/lib/node_modules/openclaw";
const STATE = "/home/node/.openclaw";
const LETTERBOX = fileURLToPath(new URL("../../harness/gateway/letterbox", import.meta.url));
const CROWD = "agent:main:crowd";
const SICK = "agent:main:sick";

interface Images {
  readonly npm95: Image;
  readonly apply95: Image;
  readonly npm96: Image;
  readonly apply96: Image;
  readonly register96: Image;
  readonly owned96: Image;
}

async function images(): Promise<Images> {
  const tarball = packPackage();
  const base = makeBase();
  const { image: npm95 } = await build(base, "Dockerfile.npm", tarball, { OPENCLAW: "openclaw@2026.9.5" });
  const { image: npm96 } = await build(base, "Dockerfile.npm", tarball);
  const owned = makeContainer(npm96);
  // An image whose user may write to OpenClaw's files.
  const line = `chown -R node:node ${ROOT}`;
  expect(await runIn(owned, line, { user: "root", cwd: "/", env: {}, network: "none" })).toMatchObject({ code: 0 });
  return {
    npm95,
    npm96,
    apply95: (await build(npm95, "Dockerfile.apply", tarball)).image,
    apply96: (await build(npm96, "Dockerfile.apply", tarball)).image,
    register96: (await build(npm96, "Dockerfile.register", tarball)).image,
    owned96: toImage(owned),
  };
}

test.skipIf(!canMakeContainers())(
  "images of another release on the same state: every message is answered, and it ends patched without a hand",
  async () => {
    const made = await images();
    const provider = await startProvider();
    const home = await makeHome("containers-");
    const state = join(home, "state");
    let container: Container = makeContainer(made.apply95);
    let isReadOnly = false;
    let env: Readonly<Record<string, string>> = {};
    const inside = {
      ...gatewayEnvironment("/home/node", provider.url),
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      TMPDIR: "/tmp",
      NODE_COMPILE_CACHE: "/tmp/node-compile-cache",
      OPENCLAW_STATE_DIR: STATE,
      OPENCLAW_CONFIG_PATH: `${STATE}/openclaw.json`,
      OPENCLAW_AGENT_DIR: `${STATE}/agents/main/agent`,
      OPENCLAW_SKIP_CHANNELS: "",
      OPENCLAW_NO_RESPAWN: "",
      LETTERBOX: `${STATE}/letters`,
    };
    const options = () => ({
      user: "node" as const,
      cwd: ROOT,
      env: { ...inside, ...env },
      network: "machine" as const,
      isReadOnly,
      volumes: { [STATE]: state },
      tmpfs: isReadOnly ? service().tmpfs : [],
    });
    const root = join(made.npm95[0] ?? "", "usr/local/lib");
    const gateway = await openGateway({
      root,
      release: "2026.9.5",
      providerUrl: provider.url,
      scopes: ["operator.read", "operator.write", "operator.admin"],
      home,
      settings: {
        plugins: {
          allow: ["anthropic", "openai", "google", "letterbox"],
          load: { paths: [`${STATE}/letterbox`] },
          entries: { letterbox: { enabled: true } },
        },
        channels: { letterbox: { enabled: true, allowFrom: ["owner-1"] } },
        commands: { ownerAllowFrom: ["letterbox:owner-1"] },
      },
      launch: (command) => {
        const line = shell(["node", "dist/index.js", "gateway", "--port", String(command.port)]);
        return gatewayIn(command, startIn(container, line, options()));
      },
    });
    const file = join(state, "openclaw.json");
    const configure = (change: (text: string) => string): void => {
      writeFileSync(file, change(readFileSync(file, "utf8")));
      execFileSync("chown", ["-R", "1000:1000", state]);
    };
    await gateway.seed(SICK, readFileSync(transcriptPath("a-first-message-is-a-result"), "utf8"));
    cpSync(LETTERBOX, join(state, "letterbox"), { recursive: true });
    mkdirSync(join(state, "workspace"), { recursive: true });
    configure((text) => text.replaceAll(join(home, "workspace"), `${STATE}/workspace`).replaceAll(home, STATE));
    const install = "openclaw-integrity plugin install --global --copy --keep-patched --yes";
    const installed = await runIn(container, install, options());
    expect(installed.code, installed.text).toBe(0);
    configure((text) => {
      const config = JSON.parse(text) as { plugins: { entries: Record<string, { config: object }> } };
      const entry = config.plugins.entries["clawos-l0"]!;
      entry.config = {
        logLevel: "info",
        keepPatched: { enabled: true, restart: "exit" },
        notify: { channel: "letterbox", to: "owner" },
      };
      return JSON.stringify(config, null, 2);
    });

    const began = Date.now();
    const log: string[] = [];
    const note = (text: string): void => void log.push(`${((Date.now() - began) / 1000).toFixed(0)} s: ${text}`);
    const letters = (): string =>
      existsSync(join(state, "letters")) ? readFileSync(join(state, "letters"), "utf8") : "";
    const kept = () => readKept({ OPENCLAW_STATE_DIR: state });
    const rows = (): number => {
      using journal = new DatabaseSync(join(state, "openclaw-integrity.sqlite"), { readOnly: true });
      return Number(journal.prepare("SELECT count(*) AS count FROM checkpoints").get()?.["count"]);
    };
    const now = { isOver: false, isReplaced: false, ends: 0 };
    const sent = { answered: 0, joined: 0, again: 0, lost: 0 };
    /** As a channel does: what was not accepted is delivered again. */
    const say = async (key: string, text: string): Promise<string> => {
      for (let tries = 1; ; tries += 1) {
        try {
          const { finalText } = await gateway.send(key, text);
          // Without an end of its own it was taken into a run that OpenClaw had resumed, which answers it.
          const how = finalText === "" ? "joined" : finalText.startsWith("ok") ? "answered" : "lost";
          sent[how] += 1;
          if (how !== "answered") note(`${key}, ${text}: ${how} ${finalText.slice(0, 200)}`);
          return finalText;
        } catch (error) {
          if (tries > 120 || now.isOver) throw error;
          sent.again += 1;
          await sleep(1000);
        }
      }
    };
    const supervise = async (): Promise<void> => {
      while (!now.isOver) {
        const how = await gateway.whenEnded();
        if (now.isOver) return;
        if (!now.isReplaced) {
          // What a restart policy does: the same container, with its layer.
          now.ends += 1;
          note(`${how}; the container is started again`);
          await gateway.start();
        }
        await sleep(100);
      }
    };
    const said: string[] = [];
    const talk = async (): Promise<void> => {
      for (let nth = 1; !now.isOver; nth += 1) {
        await say(CROWD, `message ${nth}.`);
        said.push(`message ${nth}.`);
        await sleep(2000);
      }
    };
    /** Makes the container anew, speaks to a corrupt session, and waits. Returns how often the gateway ended. */
    const step = async (
      name: string,
      image: Image,
      given: { readonly isReadOnly?: boolean; readonly env?: typeof env; readonly until: () => boolean },
    ): Promise<{ readonly ends: number; readonly told: string }> => {
      const [before, ends] = [letters().length, now.ends];
      now.isReplaced = true;
      await gateway.kill();
      container = makeContainer(image);
      [isReadOnly, env] = [given.isReadOnly ?? false, given.env ?? {}];
      await gateway.start();
      now.isReplaced = false;
      note(`${name}: the gateway is ready`);
      expect(await say(SICK, `is anybody there, in ${name}?`)).toMatch(/^ok/);
      const end = Date.now() + 300_000;
      while (!given.until() && Date.now() < end) await sleep(500);
      // Nothing more may happen.
      await sleep(15_000);
      // Other letters are about the sessions.
      const lines = letters().slice(before).split("\n");
      const told = lines.filter((line) => line.includes("OpenClaw 2026")).join("\n");
      note(`${name}: ${now.ends - ends} restarts; ${told.trim() || "no letter"}`);
      note(
        `kept.json: ${JSON.stringify(kept().map(({ release, step: at, restartedAt, isReported }) => [release, at, restartedAt !== undefined, isReported]))}`,
      );
      note(
        `applied.json: ${JSON.stringify(readRecord({ OPENCLAW_STATE_DIR: state }).map(({ release, proof }) => [release, proof]))}; ${rows()} checkpoints`,
      );
      return { ends: now.ends - ends, told };
    };
    const has = (text: string): (() => boolean) => {
      const from = letters().length;
      return () => letters().slice(from).includes(text);
    };
    const atOnce = (): boolean => true;

    await gateway.start();
    const supervisor = supervise();
    let silence: unknown;
    const talking = talk().catch((error: unknown) => {
      if (!now.isOver) silence = error;
    });
    try {
      expect(await step("2026.9.5 with the patch", made.apply95, { until: atOnce })).toEqual({ ends: 0, told: "" });
      const checkpoints = rows();
      expect(await step("2026.9.6 with the patch", made.apply96, { until: atOnce })).toEqual({ ends: 0, told: "" });
      expect(kept()).toEqual([]);
      for (const name of ["2026.9.6 without the patch", "the same image once more"]) {
        const found = await step(name, made.owned96, { until: has("active again in OpenClaw 2026.9.6") });
        expect(found).toMatchObject({ ends: 1, told: expect.stringContaining("proven with corrupt sessions") });
        expect(found.told).toContain("active again");
      }
      const fixed = await step("read-only, without the patch", made.npm96, {
        isReadOnly: true,
        until: has("cannot be patched"),
      });
      expect(fixed).toMatchObject({ ends: 0, told: expect.stringContaining("not-writable") });
      expect(await step("read-only once more", made.npm96, { isReadOnly: true, until: atOnce })).toMatchObject({
        ends: 0,
        told: expect.not.stringContaining("not-writable"),
      });
      expect(
        await step("read-only, with the hook", made.register96, {
          isReadOnly: true,
          env: readEnvironment(parseDockerfile("Dockerfile.register")),
          until: atOnce,
        }),
      ).toEqual({ ends: 0, told: "" });
      expect(gateway.log()).toContain("OpenClaw 2026.9.6 runs patched from memory");
      // Found faulty by the plugin and healed in the store, before anything was said.
      expect(gateway.log()).toContain("a tool result without a call");
      expect(gateway.log()).toContain("found faulty: 1 repaired");
      // A session keeps ten: the crowd's are full early, the corrupt session has one of each container with the guard.
      expect(rows()).toBeGreaterThan(checkpoints);
      const shown = JSON.stringify(await gateway.history(SICK));
      expect(shown).toContain("is anybody there, in 2026.9.5 with the patch?");
      expect(shown).toContain("is anybody there, in read-only, with the hook?");
      const all = await gateway.request("chat.history", { sessionKey: CROWD, limit: 1000, maxChars: 500_000 });
      const crowd = (all["messages"] as object[]).map((message) => JSON.stringify(message));
      const lastAnswer = crowd.findLastIndex((message) => /"role":"assistant".*"ok/.test(message));
      const unanswered = said.filter((text) => {
        const at = crowd.findIndex((message) => message.includes('"role":"user"') && message.includes(text));
        return at === -1 || at > lastAnswer;
      });
      expect(unanswered).toEqual([]);
      expect(sent.lost).toBe(0);
      expect(silence).toBeUndefined();
    } finally {
      now.isOver = true;
      console.log(log.join("\n"), JSON.stringify(sent));
      await Promise.race([talking, sleep(30_000)]);
      await gateway.close();
      await supervisor.catch(() => undefined);
      await provider.close();
      execFileSync("rm", ["-rf", dirname(state)]);
    }
  },
  2_400_000,
);
