import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { patience } from "../../harness/patience.ts";

const START = fileURLToPath(new URL("./main.ts", import.meta.url));
const folder = newFolder();

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

function start(...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    // Its own folder for temporary files, so that what is left behind is seen.
    const env = { ...process.env, TMPDIR: folder, NO_COLOR: "1" };
    execFile(process.execPath, [START, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

test("runs two cases through the real OpenClaw, unpatched and patched", { timeout: patience(300_000) }, async () => {
  const json = join(folder, "report.json");
  const { code, stdout } = await start(
    "--only",
    "^(h-blank-user-text|j-thinking-is-no-string)$",
    "--release",
    "2026.2.3",
    "--api",
    "anthropic",
    "--json",
    json,
  );
  expect(stdout).toMatch(/Thinking is no +measured +anthropic +bricked +answered +4\u00a0×\u00a0a part that/);
  expect(stdout).toMatch(/Blank user text +#72899 +anthropic +answered +answered +a message with/);
  expect(stdout).toMatch(/stock +bricked 1 of 2 · answered 1/);
  expect(stdout).toMatch(/patched +answered 2 of 2 · no real content lost/);
  expect(code).toBe(0);
  const report = JSON.parse(readFileSync(json, "utf8")) as {
    releases: { runs: { variant: string; answered: string }[] }[];
  };
  const outcomes = report.releases[0]!.runs.map(({ variant, answered }) => `${variant} ${answered}`);
  expect(outcomes.toSorted()).toEqual(["patched both", "patched both", "stock both", "stock none"]);
});

test(
  "runs a transcript of the user's own, prints JSON alone, and leaves nothing behind",
  { timeout: patience(300_000) },
  async () => {
    const { code, stdout } = await start(
      transcriptPath("l-no-header"),
      "--release",
      "2026.2.3",
      "--api",
      "chat",
      "--no-stock",
      "--json",
    );
    expect(JSON.parse(stdout)).toMatchObject({
      transcript: { name: "l-no-header.jsonl", damage: ["no header: OpenClaw treats the session as new"] },
      releases: [{ runs: [{ api: "openai-completions", variant: "patched", answered: "both" }] }],
    });
    expect(code).toBe(0);
    // Node's cache of compiled code is shared by all drivers on purpose.
    expect(readdirSync(folder).filter((name) => name.startsWith("openclaw-"))).toEqual([]);
  },
);

test(
  "gives up turns without blaming the patch when there is no time for them",
  { timeout: patience(300_000) },
  async () => {
    const { code, stdout } = await start("--release", "2026.2.3", "--only", "^d-crash-tail$", "--patience", "0.001");
    expect(stdout).toMatch(/Crash tail .* timed out +timed out/);
    expect(stdout).not.toContain("Failed with the patch");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("nothing is said about the patch");
    expect(code).toBe(3);
  },
);

test("ends with 2 and without running anything when it cannot be used like that", async () => {
  const missing = await start(join(folder, "missing.jsonl"));
  expect(missing).toMatchObject({ code: 2, stdout: "" });
  expect(missing.stderr).toMatch(/expected a transcript in .*missing\.jsonl; found no such file/);
  const nothing = await start("--only", "no-such-case");
  expect(nothing).toMatchObject({ code: 2, stdout: "" });
  expect(nothing.stderr).toMatch(/found none for \/no-such-case\/i/);
  const nowhere = await start("--json", join(folder, "missing", "report.json"));
  expect(nowhere).toMatchObject({ code: 2, stdout: "" });
  expect(nowhere.stderr).toMatch(/expected a folder for .*report\.json/);
});
