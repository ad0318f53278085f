import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { DUMMY_KEY, chooseModel } from "../../harness/openclaw/models.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { workerEnvironment } from "../../harness/openclaw/environment.ts";
import { refuseEverything, startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { toolSession } from "../../harness/openclaw/live.ts";
import { patience } from "../../harness/patience.ts";

// A chat with a fallback model of another provider and keys that OpenClaw keeps count of; only there do failures
// cascade.
const WORKER = fileURLToPath(new URL("../patching/chat-worker.ts", import.meta.url));
const KEY = "agent:main:telegram:dm:77";

interface Asked {
  shown: string;
  models: string[];
  /** What OpenClaw remembers of its keys' failures. */
  usage: Record<string, { cooldownUntil?: number; errorCount?: number }>;
}

/** Sends one message to a stored session of OpenClaw 2026.2.3. */
async function ask(variant: "stock" | "patched", provider: StrictProvider): Promise<Asked> {
  const home = newFolder();
  const agent = join(home, "state", "agents", "main");
  for (const path of ["agent", "sessions"]) mkdirSync(join(agent, path), { recursive: true });
  for (const path of ["tmp", "workspace"]) mkdirSync(join(home, path));
  const { transcript } = toolSession("anthropic-messages");
  const file = join(agent, "sessions", "one.jsonl");
  writeFileSync(file, transcript);
  writeFileSync(
    join(agent, "sessions", "sessions.json"),
    JSON.stringify({ [KEY]: { sessionId: "one", sessionFile: file, updatedAt: Date.now() } }),
  );
  const names = ["first", "second"];
  const providers = names.map((name) => [
    name,
    chooseModel({ api: "anthropic-messages", provider: name, model: `model-${name}` }, provider.url).config,
  ]);
  const config = {
    models: { mode: "replace", bedrockDiscovery: { enabled: false }, providers: Object.fromEntries(providers) },
    agents: {
      defaults: {
        workspace: join(home, "workspace"),
        skipBootstrap: true,
        model: { primary: "first/model-first", fallbacks: ["second/model-second"] },
      },
    },
    plugins: { enabled: false },
    tools: { allow: ["read"] },
  };
  writeFileSync(join(home, "state", "openclaw.json"), JSON.stringify(config));
  const profiles = Object.fromEntries(
    names.map((name) => [`${name}:default`, { type: "api_key", provider: name, key: DUMMY_KEY }]),
  );
  const kept = join(agent, "agent", "auth-profiles.json");
  writeFileSync(kept, JSON.stringify({ version: 1, profiles }));
  const child = fork(WORKER, [], {
    cwd: home,
    env: workerEnvironment(home, provider.url),
    execArgv: ["--no-warnings"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  try {
    child.send({
      root: join(releasesFolder(), "2026.2.3", variant, "node_modules", "openclaw"),
      key: KEY,
      text: "and now?",
    });
    const [reply] = (await once(child, "message", { signal: AbortSignal.timeout(patience(120_000)) })) as [
      { value?: string; error?: string },
    ];
    const { usageStats = {} } = JSON.parse(readFileSync(kept, "utf8")) as { usageStats?: Asked["usage"] };
    return {
      shown: reply.value ?? String(reply.error),
      models: provider.requests.map(({ body }) => String((body as { model: unknown }).model)),
      usage: usageStats,
    };
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

const inCooldown = ({ usage }: Asked): string[] =>
  Object.entries(usage)
    .filter(([, { cooldownUntil = 0, errorCount = 0 }]) => cooldownUntil > 0 || errorCount > 0)
    .map(([profile]) => profile);

describe("a refused history with a fallback model, on OpenClaw 2026.2.3", () => {
  let provider: StrictProvider;
  beforeAll(async () => (provider = await startProvider()));
  afterAll(async () => await provider.close());
  beforeEach(() => provider.reset());

  it("puts no key into cooldown and goes to no other provider: openclaw#8434, every channel dead in 30 ms", async () => {
    provider.script({ kind: "fault", fault: "400-unexpected-tool-use-id" });
    const asked = await ask("patched", provider);
    expect(asked.shown).toMatch(/^ok \d+/);
    expect(asked.models).toEqual(["model-first", "model-first"]);
    expect(inCooldown(asked)).toEqual([]);
  });

  it("does neither when every form is refused", async () => {
    provider.enforce(refuseEverything());
    const asked = await ask("patched", provider);
    expect(asked.shown).toMatch(/refuses every request of this conversation/);
    expect(asked.models).toEqual(["model-first", "model-first", "model-first"]);
    expect(inCooldown(asked)).toEqual([]);
  });

  it("unpatched puts both keys into cooldown, and the second provider gets the same body", async () => {
    provider.enforce(refuseEverything());
    const asked = await ask("stock", provider);
    expect(asked.shown).not.toContain("refuses this conversation");
    expect(asked.models).toEqual(["model-first", "model-second"]);
    expect(inCooldown(asked)).toEqual(["first:default", "second:default"]);
  });
});
