/** `setup --rehearse --switch`, with npm and the registry: the global OpenClaw is the next one afterwards, and patched. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { newFolder } from "../../harness/temporary.ts";
import { status } from "../../src/patching/apply.ts";
import { cli, smallTarball, userEnvironment } from "./fixture.ts";

const ID = "11111111-1111-4111-8111-111111111111";

it("rehearses, then runs the very npm command that it prints, and patches and proves what npm has installed", async () => {
  const home = newFolder();
  const env = userEnvironment(home);
  const tarball = await smallTarball((folder) => {
    const file = join(folder, "package.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"2026.9.6"', '"2026.9.5"'));
  });
  execFileSync("npm", ["install", "--global", tarball], { env, cwd: home, stdio: "ignore" });
  const root = join(home, ".npm-global", "lib", "node_modules", "openclaw");
  const sessions = join(home, ".openclaw", "agents", "main", "sessions");
  mkdirSync(sessions, { recursive: true });
  copyFileSync(transcriptPath("a-first-message-is-a-result"), join(sessions, `${ID}.jsonl`));
  writeFileSync(
    join(sessions, "sessions.json"),
    JSON.stringify({ "agent:main:main": { sessionId: ID, updatedAt: 1 } }),
  );

  const options = ["--global", "--rehearse", "2026.9.6", "--switch", "--json"];
  const { status: code, data } = cli(["setup", ...options], home, env);
  expect(data).toMatchObject({
    ok: true,
    action: "switched",
    release: "2026.9.5",
    next: "2026.9.6",
    verdict: "fine",
    switch: "npm install --global openclaw@2026.9.6",
  });
  expect(code).toBe(0);
  expect(status(root)).toMatchObject({ release: "2026.9.6", state: "patched" });
}, 3_000_000);
