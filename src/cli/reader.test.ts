import { afterEach, expect, test } from "vitest";
import {
  OWN_COMMANDS,
  ownCommand,
  writeCommandsFor,
  setStoreForPrintedCommands,
} from "../base/commands/own-command.ts";
import { storeWords } from "../continuity-tools/store-words.ts";
import { program } from "./program.ts";
import { toReader } from "./reader.ts";

const NPX = { npm_command: "exec", npm_config_user_agent: "npm/11.0.0 node/v24" };

afterEach(() => {
  writeCommandsFor({ starter: "npx " });
  setStoreForPrintedCommands([]);
});

test("a printed command keeps the OpenClaw that was chosen, and the way in which it was started", () => {
  writeCommandsFor(toReader({}, {}));
  expect(ownCommand("apply")).toBe("openclaw-integrity apply");
  writeCommandsFor(toReader({ global: true }, {}));
  expect(ownCommand("apply")).toBe("openclaw-integrity apply --global");
  expect(ownCommand("apply", { path: "/other" })).toBe("openclaw-integrity apply --path /other");
  expect(ownCommand("sessions scan")).toBe("openclaw-integrity sessions scan");
  // The full stop of a sentence behind it changes nothing.
  expect(ownCommand("apply", { path: "." })).toBe("openclaw-integrity apply --path ./");
  expect(ownCommand("apply", { path: "a/.." })).toBe("openclaw-integrity apply --path a/../");
  writeCommandsFor(toReader({ path: "/a folder" }, NPX));
  expect(ownCommand("apply")).toBe("npx openclaw-integrity apply --path '/a folder'");
  expect(ownCommand("apply", { path: "/other" })).toBe("npx openclaw-integrity apply --path /other");
  writeCommandsFor(toReader({ global: true }, { npm_config_user_agent: "pnpm/11" }));
  expect(ownCommand("sessions repair", { argument: "-one", options: ["--agent", "a b"] })).toBe(
    "pnpm exec openclaw-integrity sessions repair --global --agent 'a b' -- -one",
  );
  expect(ownCommand("timeline rewind", { argument: ["a b", "-one"] })).toBe(
    "pnpm exec openclaw-integrity timeline rewind --global -- 'a b' -one",
  );
});

test("a command on recorded work is for the store that was opened, unless its text names another one", () => {
  setStoreForPrintedCommands(storeWords({ file: "a b.sqlite", project: "-p" }));
  expect(ownCommand("continuity resolve")).toBe(
    "npx openclaw-integrity continuity resolve --file 'a b.sqlite' --project -p",
  );
  expect(ownCommand("continuity confirm", { options: ["--project", "other"] })).toBe(
    "npx openclaw-integrity continuity confirm --file 'a b.sqlite' --project other",
  );
  expect(ownCommand("continuity resolve", { options: ["--store", "mcp"] })).toBe(
    "npx openclaw-integrity continuity resolve --store mcp",
  );
  expect(ownCommand("purge")).toBe("npx openclaw-integrity purge");
  setStoreForPrintedCommands(storeWords({ postgres: "postgres://u:secret@h/d", schema: "s", anchor: "/a" }));
  expect(ownCommand("continuity verify")).toBe(
    "npx openclaw-integrity continuity verify --postgres 'postgres://u:***@h/d' --schema s --anchor /a",
  );
});

test("each command that a text names is there, and takes --path and --global or not, as its texts say", () => {
  for (const [name, takesOpenClaw] of Object.entries(OWN_COMMANDS)) {
    let found = program;
    for (const word of name.split(" ")) found = found.commands.find((command) => command.name() === word)!;
    const options = found.options.map(({ long }) => long);
    expect([name, options.includes("--path"), options.includes("--global")]).toEqual([
      name,
      takesOpenClaw,
      takesOpenClaw,
    ]);
  }
});

test("in a gateway or a library, where nobody knows the reader's shell, npx finds the command", () => {
  expect(ownCommand("sessions list")).toBe("npx openclaw-integrity sessions list");
});
