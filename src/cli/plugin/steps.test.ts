import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { ConfigDraft } from "./config-file.ts";
import { parseJson5, type Json } from "./config-text.ts";
import type { Changes } from "./record.ts";
import { changeConfig, undoChanges, type Wanted } from "./steps.ts";

let folder = "";
beforeEach(() => {
  folder = newFolder();
});

const WANTED: Wanted = {
  folder: "/there/plugin",
  formerly: undefined,
  enables: true,
  grantsConversations: true,
  continuity: false,
  timeTravel: false,
  files: false,
  keepPatched: false,
};
const file = (): string => join(folder, "openclaw.json");
const put = (config: Json, name = "openclaw.json"): void =>
  writeFileSync(join(folder, name), JSON.stringify(config, null, 2));
const read = (name = "openclaw.json"): Json => parseJson5(readFileSync(join(folder, name), "utf8"));

function install(wanted: Partial<Wanted> = {}): Changes {
  const draft = new ConfigDraft(file());
  const changes = changeConfig(draft, { ...WANTED, ...wanted });
  draft.save();
  return changes;
}

function uninstall(changes: Changes): void {
  const draft = new ConfigDraft(file());
  undoChanges(draft, changes);
  draft.save();
}

test.each<readonly [string, Json]>([
  ["nothing", {}],
  ["empty objects", { plugins: { load: { paths: [] }, entries: {} } }],
  [
    "other plugins",
    {
      plugins: {
        allow: ["other"],
        load: { paths: ["/other"] },
        entries: { other: { enabled: true } },
        slots: { memory: "none" },
      },
      tools: {},
    },
  ],
  ["settings of the plugin alone", { plugins: { entries: { "clawos-l0": { config: { logLevel: "info" } } } } }],
  [
    "an entry of the plugin, turned off",
    {
      plugins: {
        entries: {
          "clawos-l0": { enabled: false, hooks: { allowConversationAccess: false }, config: { logLevel: "info" } },
        },
      },
    },
  ],
])("taking it out gives the value back that was there before: %s", (_, config) => {
  for (const tools of [{}, { continuity: true }, { timeTravel: true }, { continuity: true, timeTravel: true }]) {
    put(config);
    uninstall(install(tools));
    expect(read()).toEqual(config);
  }
});

test("the tools for unfinished work are turned on beside what the plugin's config says, also in an installation that is there", () => {
  put({ plugins: { entries: { "clawos-l0": { config: { logLevel: "info" } } } } });
  install();
  expect(install({ continuity: true }).steps).toEqual([
    expect.objectContaining({
      do: "set",
      key: ["plugins", "entries", "clawos-l0", "config", "continuity", "enabled"],
      after: true,
    }),
  ]);
  expect(read()).toMatchObject({
    plugins: {
      entries: { "clawos-l0": { enabled: true, config: { logLevel: "info", continuity: { enabled: true } } } },
    },
  });
});

test("the tools of time travel are turned on by themselves", () => {
  put({});
  install({ timeTravel: true });
  expect(read()).toMatchObject({
    plugins: { entries: { "clawos-l0": { enabled: true, config: { timeTravel: { enabled: true } } } } },
  });
  expect(JSON.stringify(read())).not.toContain("continuity");
});

test("a list of what is allowed gets the id, an empty one must not: it would turn all other plugins off", () => {
  for (const [allow, becomes] of [
    [["other"], ["other", "clawos-l0"]],
    [["clawos-l0"], ["clawos-l0"]],
    [[], []],
  ] as const) {
    put({ plugins: { allow } });
    install();
    expect(read()).toMatchObject({ plugins: { allow: becomes } });
  }
});

test("what the user changes in between stays", () => {
  put({ plugins: { allow: ["other"] } });
  const changes = install();
  put({
    ...(read() as object),
    tools: { allow: ["read"] },
    plugins: {
      ...((read() as { plugins: object }).plugins as object),
      allow: ["other", "clawos-l0", "more"],
      slots: { memory: "none" },
    },
  } as Json);
  uninstall(changes);
  expect(read()).toEqual({
    tools: { allow: ["read"] },
    plugins: { allow: ["other", "more"], slots: { memory: "none" } },
  });
});

test("settings of the plugin go with it: early releases refuse a config with an entry of a plugin that is not there", () => {
  put({});
  const changes = install();
  put({ plugins: { entries: { "clawos-l0": { enabled: true, config: { logLevel: "info" } } } } });
  uninstall(changes);
  expect(read()).toEqual({});
});

test("an empty object or list that OpenClaw's own command took away is there again", () => {
  put({ plugins: { load: { paths: [] }, entries: {} } });
  const changes = install();
  put({ plugins: {} });
  uninstall(changes);
  expect(read()).toEqual({ plugins: { load: { paths: [] }, entries: {} } });
});

test("what is included from one file is changed in that file, and lists of several files are read as one", () => {
  put({ gateway: {}, plugins: { $include: "./plugins.json5" } });
  put({ allow: ["other"] }, "plugins.json5");
  const changes = install();
  expect(read()).toEqual({ gateway: {}, plugins: { $include: "./plugins.json5" } });
  expect(read("plugins.json5")).toMatchObject({
    allow: ["other", "clawos-l0"],
    load: { paths: ["/there/plugin"] },
    entries: { "clawos-l0": { enabled: true } },
  });
  uninstall(changes);
  expect(read("plugins.json5")).toEqual({ allow: ["other"] });
  put({ $include: ["./plugins.json5"], plugins: { allow: ["other"] } });
  put({ plugins: { allow: ["clawos-l0"] } }, "plugins.json5");
  expect(install().steps.map(({ key }) => key.join("."))).not.toContain("plugins.allow");
});

test("twice is once, and a new folder takes the old one's place", () => {
  put({});
  install();
  expect(install().steps).toEqual([]);
  install({ folder: "/elsewhere/plugin", formerly: "/there/plugin" });
  expect(read()).toMatchObject({ plugins: { load: { paths: ["/elsewhere/plugin"] } } });
});

test.each<readonly [string, Json, RegExp]>([
  ["plugins-off", { plugins: { enabled: false } }, /plugins\.enabled: false/],
  ["plugin-denied", { plugins: { deny: ["clawos-l0"] } }, /plugins\.deny/],
  ["config-unreadable", { plugins: "none" }, /not an object/],
])("a decision against it is respected: %s", (code, config, words) => {
  put(config);
  expect(() => install()).toThrow(expect.objectContaining({ code, message: expect.stringMatching(words) }));
  expect(read()).toEqual(config);
});

test("a config that is changed at the same time is not overwritten", () => {
  put({});
  const draft = new ConfigDraft(file());
  changeConfig(draft, WANTED);
  put({ gateway: {} });
  expect(() => draft.save()).toThrow(expect.objectContaining({ code: "config-changed" }));
  expect(read()).toEqual({ gateway: {} });
});
