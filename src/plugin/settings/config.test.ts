import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { readConfig } from "./config.ts";
import { defineCommand } from "../commands/command.ts";
import type { SessionMonitor } from "../sessions/session-monitor.ts";

interface Schema {
  readonly properties: Readonly<
    Record<string, { readonly default?: unknown; readonly enum?: unknown; readonly description?: string }>
  >;
}

const manifest = JSON.parse(readFileSync(new URL("../package/openclaw.plugin.json", import.meta.url), "utf8")) as {
  readonly configSchema: Schema;
};

it("what the manifest offers is what is read, with the same defaults: OpenClaw fills them in in some releases and not in others", () => {
  const { config } = readConfig();
  const own = Object.entries(manifest.configSchema.properties).filter(([key]) => !key.includes("_"));
  expect(Object.keys(config).toSorted()).toEqual(own.map(([key]) => key).toSorted());
  for (const [key, { default: standard }] of own)
    expect([key, config[key as keyof typeof config]]).toEqual([key, standard]);
});

it("the names of the plugin's document, with an underscore, mean what the others mean: OpenClaw would refuse to start over them", () => {
  const { properties } = manifest.configSchema;
  const aliases = Object.keys(properties).filter((key) => key.includes("_"));
  expect(aliases).toEqual(expect.arrayContaining(["repair_strategy", "checkpoint_interval", "log_level"]));
  for (const alias of aliases) {
    const {
      default: _default,
      description: _description,
      ...own
    } = properties[alias.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())]!;
    expect(properties[alias]).toEqual({ ...own, description: expect.stringContaining("Another name of") as string });
  }
  // OpenClaw 2026.9 has filled in the default of the other name.
  const { config, problems } = readConfig({
    repairStrategy: "remove_orphans",
    repair_strategy: "truncate",
    checkpoint_interval: 5,
    log_level: "debug",
    auto_repair: false,
  });
  expect({ config, problems }).toEqual({
    config: {
      ...readConfig().config,
      repairStrategy: "truncate",
      checkpointInterval: 5,
      logLevel: "debug",
      autoRepair: false,
    },
    problems: [],
  });
  expect(readConfig({ log_level: "loud" }).problems).toEqual([
    expect.stringContaining("logLevel: expected one of debug, info, warn, error"),
  ]);
  const both = readConfig({ logLevel: "error", log_level: "debug" });
  expect(both.config.logLevel).toBe("error");
  expect(both.problems).toEqual([expect.stringContaining("log_level: expected one name for one setting")]);
});

it("a value of a wrong kind is told in words and counts as missing: a plugin that does not start protects nobody", () => {
  const { config, problems } = readConfig({
    repairStrategy: "magic",
    checkpointInterval: 0,
    autoRepair: "yes",
    notify: { channel: "telegram" },
    logLevel: "loud",
  });
  expect(config).toEqual(readConfig().config);
  expect(problems).toHaveLength(5);
  expect(problems[0]).toBe(
    'plugins.entries.clawos-l0.config.repairStrategy: expected one of remove_orphans, reconstruct, truncate; found "magic". The default is used.',
  );
});

it.each([
  ["a sender whom OpenClaw does not know", { isAuthorizedSender: false }],
  ["an allowed sender who is not its owner", { isAuthorizedSender: true, senderId: "7" }],
  [
    "a client of the gateway that may only read and write",
    { isAuthorizedSender: true, gatewayClientScopes: ["operator.read", "operator.write"] },
  ],
])("no command answers %s, also where OpenClaw lets it through", async (_, who) => {
  const answer = async (): Promise<string> => "secret";
  const monitor = (): SessionMonitor =>
    ({ options: { stateDirectory: "/state", root: "/openclaw" } }) as SessionMonitor;
  const command = { name: "l0-status", description: "", acceptsArgs: false, answer };
  const { handler, requireAuth, requiredScopes } = defineCommand(command, monitor);
  expect({ requireAuth, requiredScopes }).toEqual({ requireAuth: true, requiredScopes: ["operator.admin"] });
  expect((await handler({ channel: "telegram", ...who })).text).toMatch(/^This command is for /);
  expect(
    await handler({ channel: "webchat", isAuthorizedSender: true, gatewayClientScopes: ["operator.admin"] }),
  ).toEqual({ text: "secret" });
});

it("no answer and no error of a command names a folder of the machine", async () => {
  const state = join(newFolder(), "state");
  mkdirSync(state);
  symlinkSync(state, `${state}-link`);
  const options = { stateDirectory: `${state}-link`, root: join(state, "openclaw") };
  const owner = { channel: "webchat", isAuthorizedSender: true, gatewayClientScopes: ["operator.admin"] };
  const said = async (answer: () => Promise<string>): Promise<string> => {
    const command = { name: "x", description: "", acceptsArgs: true, answer };
    return (await defineCommand(command, () => ({ options }) as SessionMonitor).handler(owner)).text;
  };
  expect(await said(async () => `a ${state}/a.jsonl, b ${state}-link/b.sqlite, c ${state}/openclaw/dist`)).toBe(
    "a $OPENCLAW_STATE_DIR/a.jsonl, b $OPENCLAW_STATE_DIR/b.sqlite, c (OpenClaw)/dist",
  );
  const failed = said(async () => Promise.reject(new Error(`expected ${state}-link/journal`)));
  expect(await failed).toBe("expected $OPENCLAW_STATE_DIR/journal");
});
