/** The commands on recorded work where there is none, or where it cannot be read. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { asContinuityError } from "../../src/continuity/sql/sqlite.ts";
import { continuityFile } from "../../src/continuity-tools/index.ts";
import { runHere } from "./in-process.ts";

const COMMANDS = ["status", "next", "history", "export", "verify"];

test("a state directory that is not there, or is a file, is refused by all of them, as JSON too", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "file"), "x");
  for (const state of [join(folder, "nowhere"), join(folder, "file")])
    for (const command of COMMANDS)
      expect(await runHere(state, ["continuity", command, "--json"])).toMatchObject({
        status: 1,
        stderr: "",
        data: { ok: false, code: "state-missing", message: expect.stringContaining(state) },
      });
});

test("in a state directory without a store, status says so, and the others refuse, as JSON too", async () => {
  const state = newFolder();
  expect(await runHere(state, ["continuity", "status"])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("no work has been recorded yet"),
  });
  for (const command of COMMANDS.slice(1))
    expect(await runHere(state, ["continuity", command, "--json"])).toMatchObject({
      status: 1,
      data: { ok: false, code: "not-found" },
    });
  expect(await runHere(state, ["continuity", "export"])).toMatchObject({ status: 1, stdout: "", data: {} });
});

test("what the system refuses is named truly, for commands that only read", async () => {
  const denied = Object.assign(new Error("EACCES: permission denied, stat '/s'"), {
    code: "EACCES",
    syscall: "stat",
    path: "/s",
  });
  const { message } = asContinuityError(denied, "/s") as Error;
  expect(message).toContain("found /s: no permission (EACCES). Run it as the user that it belongs to");
  expect(message).not.toMatch(/written|room on the disk/);
  // SQLite says "unable to open database file" for each of these.
  const state = newFolder();
  mkdirSync(continuityFile(state, "openclaw"));
  const { data } = await runHere(state, ["continuity", "status", "--json"]);
  expect(data["message"]).toContain("found a directory. Move the directory away");
});

test.skipIf(process.getuid?.() === 0)("a store of another user's is named as such", async () => {
  const state = newFolder();
  writeFileSync(continuityFile(state, "openclaw"), "");
  chmodSync(continuityFile(state, "openclaw"), 0);
  const { data } = await runHere(state, ["continuity", "status", "--json"]);
  expect(data["message"]).toContain("no permission (EACCES)");
});
