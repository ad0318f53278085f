/** `openclaw-integrity` alone, and what the commands say of a gateway that runs: one that was started before the patch is without it. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTitled } from "../../harness/gateway/titled.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { newFolder } from "../../harness/temporary.ts";
import { cli, projectWith, userEnvironment } from "./fixture.ts";

async function end(gateway: ChildProcess): Promise<void> {
  gateway.kill("SIGKILL");
  await once(gateway, "exit");
}

function asked(
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
): { status: number | null; text: string } {
  const { status, stdout, stderr } = cli(args, folder, env);
  expect(stderr).toBe("");
  const text = stdout.replaceAll(/\s+/g, " ");
  return { status, text };
}

test("without OpenClaw it says how to go on, and is no wrong usage", () => {
  const home = newFolder();
  const { status, stdout } = cli([], home, userEnvironment(home));
  expect(status).toBe(3);
  expect(stdout).toMatch(/No OpenClaw[^]*openclaw-integrity setup/);
});

test("a gateway that runs where no OpenClaw is found is no reason to say that nothing has to be done", async () => {
  const home = newFolder();
  const env = userEnvironment(home);
  mkdirSync(join(home, ".openclaw", "agents", "main", "sessions"), { recursive: true });
  await startTitled(env);
  const { status, text } = asked([], home, env);
  expect(status).toBe(3);
  expect(text).toContain("may not be protected");
  expect(text).not.toContain("nothing to do");
  const missing = cli([], home, { ...env, OPENCLAW_STATE_DIR: join(home, "mistyped") });
  expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining("mistyped")]);
});

test("it takes the options that name OpenClaw, and --json: the same as of sessions doctor", async () => {
  const home = newFolder();
  const env = userEnvironment(home);
  const { root } = await projectWith("2026.9.6");
  expect(cli(["--path", join(home, "nowhere")], home, env).stdout).toContain(
    "openclaw-integrity setup --path FOLDER\n",
  );
  mkdirSync(join(home, ".openclaw", "agents"), { recursive: true });
  const { status, data } = cli(["--json", "--path", root], home, env);
  expect({ status, data }).toMatchObject({
    status: 3,
    data: { openclaws: [{ root, patched: "no" }], next: { command: `openclaw-integrity setup --path ${root}` } },
  });
  const doctor = cli(["sessions", "doctor", "--json", "--path", root], home, env);
  expect({ ...data, ok: doctor.status === 0 }).toEqual(doctor.data);
  expect(cli(["status", "--path", root], home, env).stdout).toContain(`Run: openclaw-integrity setup --path ${root}`);
});

test("it says what runs unprotected, which session can get stuck, and what to do next, until all is well", async () => {
  const home = newFolder();
  const env = userEnvironment(home);
  const { folder, root } = await projectWith("2026.2.3");
  const sessions = join(home, ".openclaw", "agents", "main", "sessions");
  mkdirSync(sessions, { recursive: true });
  const rows = [user("go"), says("yes"), result("toolu_lost", "of nothing"), result("toolu_lost", "again")];
  writeFileSync(join(sessions, "one.jsonl"), toTranscript(rows));
  writeFileSync(
    join(sessions, "sessions.json"),
    JSON.stringify({ "agent:main:telegram:7": { sessionId: "one", updatedAt: 1 } }),
  );

  const old = await startTitled(env);
  const stock = asked([], folder, env);
  expect(stock.status).toBe(3);
  expect(stock.text).toContain("OpenClaw 2026.2.3 is not patched.");
  expect(stock.text).toContain("is NOT protected, if it runs this OpenClaw, which is not patched.");
  expect(stock.text).toMatch(/Nothing protects 1 session, .*telegram:7: .*a tool result without a call/);
  expect(stock.text).toContain("openclaw-integrity setup");
  for (const [args, words] of [
    [[], "is not patched."],
    [["status"], "is NOT protected"],
    [["sessions", "doctor"], "is NOT protected"],
  ] as const) {
    const { stdout } = cli(args, folder, { ...env, FORCE_COLOR: "1" });
    expect(stdout, args.join(" ")).toMatch(new RegExp(`\\u001b\\[31m[^\\n]*${words}`));
  }

  expect(cli(["apply", "--no-prove", "--path", root], folder, env).status).toBe(0);
  for (const args of [[], ["status"], ["sessions", "doctor"]]) {
    const { text } = asked(args, folder, env);
    expect(text, args.join(" ")).toContain(`(process ${old.pid}`);
    expect(text, args.join(" ")).toContain(
      "is NOT protected, if it runs this OpenClaw: it was started before the patch.",
    );
    expect(text, args.join(" ")).toContain("openclaw gateway restart");
  }
  expect(asked([], folder, env).text).toContain("Nothing protects 1 session");

  await end(old);
  expect(asked([], folder, env).text).toContain("The patch protects 1 session");
  const off = await startTitled({ ...env, OPENCLAW_INTEGRITY: "off" });
  expect(asked([], folder, env).text).toContain("is NOT protected: it was started with OPENCLAW_INTEGRITY=off.");
  await end(off);
  await startTitled(env);
  const good = asked([], folder, env);
  expect(good.text).toContain("is protected, if it runs this OpenClaw.");
  expect(good.text).toContain("The patch protects 1 session");
  expect(cli(["sessions", "repair", "--all", "--path", root], folder, env).status).toBe(0);
  expect(asked([], folder, env)).toMatchObject({ status: 0, text: expect.stringContaining("nothing to do") });
});
