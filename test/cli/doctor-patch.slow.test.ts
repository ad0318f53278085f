import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { newFolder } from "../../harness/temporary.ts";
import { cli, newSessionFiles, smallPackage, userEnvironment } from "./fixture.ts";

test("the doctor says first whether OpenClaw is patched and how, what faults mean under it, and commands for that OpenClaw", async () => {
  const root = await smallPackage("2026.9.6");
  const { folder, run } = newSessionFiles();
  writeFileSync(join(folder, "one.jsonl"), toTranscript([user("go"), says("yes"), result("toolu_lost", "of nothing")]));
  const doctor = () => {
    const { status, stdout } = run("doctor", "--path", root);
    return { status, text: stdout.replaceAll(/\s+/g, " ") };
  };
  const stock = doctor();
  expect(stock).toMatchObject({ status: 3, text: expect.stringContaining("is not patched") });
  expect(stock.text).toContain("a provider can refuse every turn of a session with the faults below");
  expect(stock.text).toContain(`openclaw-integrity sessions repair --path ${root} one`);
  const place = ["--path", root, "--json"];
  expect(cli(["apply", "--no-prove", ...place], newFolder(), userEnvironment(newFolder())).status).toBe(0);
  const patched = doctor();
  expect(patched.text).toContain("is patched: its files are changed (apply).");
  expect(patched.text).toContain(
    "1 of 1 session has faults in what is stored, which the patch repairs in each request",
  );
});
