/** Real gateways of a stock OpenClaw with NODE_OPTIONS alone: what a corrupt session gets, and who knows of it. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { asOperator, OWNERS_ENTRY, settingsWithPeople } from "../../harness/gateway/people.ts";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { registerEnvironment } from "../../harness/openclaw/register.ts";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";
import type { Release } from "../../src/patching/base/releases.ts";
import { cli, type Run } from "../cli/fixture.ts";

const KEY = "agent:main:sick";
const OPERATOR = ["operator.read", "operator.write", "operator.admin"];

/** In a stock release that only NODE_OPTIONS patches. */
export function registered(release: Release): void {
  describe(`OpenClaw ${release}, started with NODE_OPTIONS`, () => {
    cases(release);
  });
}

function cases(release: Release): void {
  let root: string;
  let provider: StrictProvider;
  let gateway: Gateway;
  let before: string;

  beforeAll(async () => {
    root = (await ensureRelease(release)).stock;
    before = stampFiles(root);
    provider = await startProvider();
    const { settings, env } = settingsWithPeople(join(root, "dist"), [OWNERS_ENTRY], { logLevel: "info" });
    gateway = await openGateway({
      root: join(root, "..", ".."),
      release,
      providerUrl: provider.url,
      scopes: OPERATOR,
      settings,
      env: { ...env, LETTERBOX: newFolder(), ...registerEnvironment() },
    });
    await gateway.seed(KEY, readFileSync(transcriptPath("d-crash-tail"), "utf8"));
    await gateway.start();
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
  });

  const command = (...args: string[]): Run =>
    cli([...args, "--path", root, "--json"], newFolder(), {
      ...process.env,
      NODE_OPTIONS: "",
      HOME: newFolder(),
      OPENCLAW_STATE_DIR: gateway.stateDir,
    });

  it("answers a corrupt session, heals its requests, and says once that it runs patched", async () => {
    const { finalText } = await gateway.send(KEY, "hello");
    expect(finalText).toMatch(/^ok/);
    expect(gateway.log()).toMatch(/\[openclaw-integrity\] healed request .*missing_tool_result/);
    const said = gateway
      .log()
      .split("\n")
      .filter((line) => line.includes("patched from memory"));
    expect(said).toEqual([expect.stringContaining(`OpenClaw ${release} runs patched from memory`)]);
    expect(gateway.log()).not.toContain("WITHOUT the patch");
  });

  it("is known to status, verify and the plugin while it runs, and not when it is dead", async () => {
    const { status, data } = command("status");
    expect(status, "the next start is not patched").toBe(3);
    expect(data).toMatchObject({
      ok: false,
      installations: [
        {
          state: "stock",
          fate: "patched",
          way: "register",
          startsPatched: false,
          sentence: expect.stringContaining("one gateway runs patched in memory; a start without `"),
          register: { running: [{ root, release }] },
        },
      ],
    });
    expect(command("verify")).toMatchObject({ status: 0, data: { way: "register", cached: "same" } });
    expect(await asOperator(gateway, KEY, "/l0-status")).toContain("Core patch: active, from memory");
    await gateway.kill();
    expect(command("status")).toMatchObject({ status: 3, data: { installations: [{ fate: "never" }] } });
    expect(command("verify")).toMatchObject({ status: 1, data: { code: "not-patched" } });
  });

  it("has changed no file of OpenClaw", () => {
    expect(stampFiles(root)).toBe(before);
  });

  it("takes the patch from the cache at the next start", async () => {
    const entries = (): string[] => {
      const folder = join(gateway.stateDir, "integrity", "register");
      return readdirSync(folder).map((name) => `${name} ${statSync(join(folder, name)).ctimeMs}`);
    };
    const kept = entries();
    await gateway.start();
    expect((await gateway.send(KEY, "and now?")).finalText).toMatch(/^ok/);
    expect(entries()).toEqual(kept);
    expect(kept).toHaveLength(1);
    expect(stampFiles(root)).toBe(before);
  });
}

/**
 * Size and time of change of all files. Not their ctime, which another test changes that links them; and not the mark
 * that OpenClaw itself removes when it is started the first time.
 */
function stampFiles(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.endsWith(".openclaw-lifecycle-pending"))
    .map((file) => `${file} ${statSync(file).size} ${statSync(file).mtimeMs}`)
    .toSorted()
    .join("\n");
}
