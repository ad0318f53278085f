import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
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
  expect(patched.text).toContain("is patched, in its files.");
  expect(patched.text).toContain(
    "1 of 1 session has faults in what is stored, which the patch repairs in each request",
  );
});

test("a patch of another version counts as such in the terminal, on the page and as JSON, and not as this one", async () => {
  const root = await smallPackage("2026.9.6");
  const { folder, run } = newSessionFiles();
  writeFileSync(join(folder, "one.jsonl"), toTranscript([user("go"), says("yes"), result("toolu_lost", "of nothing")]));
  expect(cli(["apply", "--no-prove", "--path", root], newFolder(), userEnvironment(newFolder())).status).toBe(0);
  appendFileSync(join(root, "dist", "openclaw-integrity.mjs"), "// of another version\n");
  const page = join(newFolder(), "page.html");
  const terminal = run("doctor", "--path", root, "--html", page).stdout.replaceAll(/\s+/g, " ");
  const words = "OpenClaw 2026.9.6 is patched, but by another version of openclaw-integrity.";
  for (const shown of [terminal, readFileSync(page, "utf8")]) {
    expect(shown).toContain(words);
    expect(shown).not.toContain("nothing has to be done");
    expect(shown).not.toContain("so no turn fails because of them");
  }
  expect(run("doctor", "--path", root, "--json").data).toMatchObject({
    patch: { isPatched: true, isOutdated: true, sentences: [expect.stringContaining(words)] },
    openclaws: [{ patched: "outdated" }],
  });
});
