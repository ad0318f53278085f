/** Agents as processes, tested by the kit: those that conform, and those that do one thing wrong. */
import { spawn, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { patience } from "../../harness/patience.ts";
import { makeCases, testAgent, type AgentReport, type Form } from "../../src/conformance/index.ts";

const AGENTS = join(import.meta.dirname, "agents");
const LIMIT_MS = patience(60_000);
const hasPython = spawnSync("python3", ["--version"]).status === 0;

interface Playing {
  readonly only?: string;
  readonly form?: Form;
  readonly limitMs?: number;
}

function play(command: readonly string[], { only = "", form = "chat", limitMs = LIMIT_MS }: Playing = {}) {
  const cases = makeCases(form).filter(({ id }) => id.includes(only));
  expect(cases.length).toBeGreaterThan(0);
  return testAgent({ cases, command, limitMs });
}

const node = (file: string, ...args: string[]): string[] => [
  process.execPath,
  "--no-warnings",
  join(AGENTS, file),
  ...args,
];
const small = (manner: string, playing: Playing): Promise<AgentReport> =>
  play(node("small-agent.mjs", manner), playing);

/** The faults of the cases, by kind. */
const listFaults = ({ cases }: AgentReport): Record<string, string[]> =>
  Object.fromEntries(
    cases
      .filter(({ faults }) => faults.length > 0)
      .map(({ id, faults }) => [id.split("/")[1], faults.map(({ kind }) => kind)]),
  );

it("an agent over OpenAI's SDK with healingFetch and durableTool conforms: else the kit asks for what nobody can do", async () => {
  const report = await play(node("sdk-agent.ts", "healed"));
  expect(listFaults(report)).toEqual({});
  expect(report).toMatchObject({ conforms: true, passed: makeCases("chat").length, failed: 0, skipped: 0 });
  // Healed before the provider could refuse anything.
  expect(report.cases.filter(({ refused }) => refused > 0).map(({ id }) => id)).toEqual([]);
});

it("the same agent without them is refused what is damaged, and each kill before the last result", async () => {
  const report = await play(node("sdk-agent.ts", "plain"));
  const failed = report.cases.filter(({ outcome }) => outcome === "failed");
  expect(new Set(failed.flatMap(({ faults }) => faults.map(({ kind }) => kind)))).toEqual(new Set(["refused"]));
  expect(failed.filter(({ kind }) => kind === "damaged")).toHaveLength(17);
  expect(failed.filter(({ kind }) => kind === "killed")).toHaveLength(5);
  expect(failed).toHaveLength(22);
  expect(failed[0]!.faults[0]!.detail).toMatch(/^HTTP 400: .*role 'tool'/);
});

it.skipIf(!hasPython)("an agent in Python, of its standard library alone, is driven, killed and judged", async () => {
  const report = await play(["python3", join(AGENTS, "agent.py")], { form: "anthropic" });
  const passed = report.cases.filter(({ outcome }) => outcome === "passed").map(({ kind }) => kind);
  const count = (kind: string): number => passed.filter((one) => one === kind).length;
  expect([count("healthy"), count("recorded"), count("broken"), count("damaged"), count("killed")]).toEqual([
    2, 3, 3, 1, 2,
  ]);
});

describe("an agent that is refused nothing fails where it", () => {
  it("says of a call that has acted, or may have, that it was cancelled", async () => {
    expect(listFaults(await small("cancels", { only: "one-of-two-results" }))).toEqual({
      "one-of-two-results-is-missing": ["false_outcome"],
    });
    expect(listFaults(await small("cancels", { only: "of-two-calls-has-acted" }))).toEqual({
      "a-kill-when-the-first-of-two-calls-has-acted": ["false_outcome"],
    });
  });

  it("says of a call that has not acted that it is done", async () => {
    expect(listFaults(await small("claims", { only: "before-a-call-acts" }))).toEqual({
      "a-kill-before-a-call-acts": ["false_outcome", "false_outcome"],
    });
  });

  it("makes open calls once more", async () => {
    expect(listFaults(await small("repeats", { only: "of-two-calls-has-acted" }))).toEqual({
      "a-kill-when-the-first-of-two-calls-has-acted": ["repeated_effect"],
    });
    expect(listFaults(await small("repeats", { only: "one-of-two-results" }))).toEqual({
      "one-of-two-results-is-missing": ["repeated_effect"],
    });
  });

  it("sends less than the conversation", async () => {
    expect(listFaults(await small("forgets", { only: "a-valid-conversation" }))).toEqual({
      "a-valid-conversation": ["lost_words", "changed"],
    });
    expect(listFaults(await small("forgets", { only: "both-calls-have-returned" }))).toEqual({
      "a-kill-when-both-calls-have-returned": ["lost_words", "untold_effect", "untold_effect"],
    });
  });

  it("does not hand on what the model says", async () => {
    expect(listFaults(await small("mumbles", { only: "healthy" }))).toEqual({
      "a-valid-conversation": ["no_answer"],
      "a-turn-with-two-calls": ["no_answer"],
    });
  });

  it("goes round in a circle", async () => {
    const report = await small("circles", { only: "a-valid-conversation", limitMs: patience(10_000) });
    expect(report.cases[0]!.faults).toEqual([{ kind: "no_answer", detail: "it made more than 100 requests" }]);
  });

  it("never ends", async () => {
    const report = await small("hangs", { only: "a-valid-conversation", limitMs: 3000 });
    expect(report.cases[0]!.faults).toEqual([{ kind: "no_answer", detail: "it ran longer than 3 seconds" }]);
  });

  it("and else conforms in these cases: what is judged is not the way it is written", async () => {
    for (const only of ["healthy", "killed", "one-of-two-results"])
      expect(listFaults(await small("shrugs", { only }))).toEqual({});
  });
});

describe("an agent does the kit no harm that", () => {
  it("says fifty megabytes before its answer", async () => {
    expect(listFaults(await small("chats", { only: "a-valid-conversation" }))).toEqual({});
  });

  it("leaves a process behind, which holds its output and is ended", async () => {
    const before = countProcesses();
    expect(listFaults(await small("forks", { only: "a-valid-conversation" }))).toEqual({});
    await expect.poll(countProcesses, { timeout: patience(5000) }).toBe(before);
  });

  it("sends the provider what is no request", async () => {
    expect(listFaults(await small("garbage", { only: "a-valid-conversation" }))).toEqual({});
  });
});

describe("an agent that is a server", () => {
  it("is started, killed and started again by its command", async () => {
    const port = await findPort();
    const report = await testAgent({
      cases: makeCases("chat").filter(({ kind }) => kind === "healthy" || kind === "killed"),
      command: node("server-agent.mjs", String(port), "shrugs"),
      url: new URL(`http://127.0.0.1:${port}/turn`),
      limitMs: LIMIT_MS,
    });
    expect(listFaults(report)).toEqual({});
    expect(report.passed).toBe(9);
  });

  it("is started again where it has ended by itself: the cases behind that are not its fault", async () => {
    const port = await findPort();
    const report = await testAgent({
      cases: makeCases("chat").filter(({ kind }) => kind === "healthy" || kind === "recorded"),
      command: node("server-agent.mjs", String(port), "dies"),
      url: new URL(`http://127.0.0.1:${port}/`),
      limitMs: LIMIT_MS,
    });
    expect(listFaults(report)).toEqual({ "a-turn-with-two-calls": ["refused"] });
  });

  it("is not killed where the kit has not started it", async () => {
    const [port, providerPort] = [await findPort(), await findPort()];
    const server = spawn(process.execPath, [join(AGENTS, "server-agent.mjs"), String(port), "shrugs"], {
      stdio: "ignore",
    });
    try {
      const url = new URL(`http://127.0.0.1:${port}/`);
      await expect
        .poll(
          () =>
            fetch(url).then(
              () => true,
              () => false,
            ),
          { timeout: LIMIT_MS },
        )
        .toBe(true);
      const cases = makeCases("chat").filter(({ kind }) => kind !== "damaged");
      const report = await testAgent({ cases, command: [], url, providerPort, limitMs: LIMIT_MS });
      expect(report).toMatchObject({ conforms: true, passed: 7, skipped: 7 });
      expect(server.exitCode).toBe(null);
      await expect(testAgent({ cases, command: ["true"], url, limitMs: LIMIT_MS })).rejects.toThrow("to be free for");
    } finally {
      server.kill();
    }
  });

  it("that is not there has not been tested", async () => {
    const url = new URL(`http://127.0.0.1:${await findPort()}/`);
    const options = { cases: makeCases("chat"), url, limitMs: LIMIT_MS };
    await expect(testAgent({ ...options, command: [] })).rejects.toThrow(
      /^expected an agent that listens at .*; found none\. Start/,
    );
    await expect(testAgent({ ...options, command: [process.execPath, "-e", "process.exit(3)"] })).rejects.toThrow(
      "found none: it ended with exit code 3.",
    );
  });
});

describe("an agent that cannot be tested is not said to fail", () => {
  it("where its command is not there", () =>
    expect(play(["no-such-command"])).rejects.toThrow("found no-such-command: spawn no-such-command ENOENT. Name the"));

  it("where it asks no model", () =>
    expect(small("exits", {})).rejects.toThrow("found none; its output has not the model's answer. The agent has to"));

  it("where the provider's port is taken", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const options = { cases: makeCases("chat"), command: ["true"], limitMs: LIMIT_MS, providerPort: port };
    await expect(testAgent(options)).rejects.toThrow("EADDRINUSE");
    server.close();
  });
});

it("nothing of an agent's words stays in the folder for temporary files", async () => {
  const list = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("test-agent-"));
  const before = list();
  await small("shrugs", { only: "healthy" });
  await expect(small("exits", {})).rejects.toThrow("expected a request");
  expect(list().filter((name) => !before.includes(name))).toEqual([]);
});

/** A port that is free now. */
async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The children of the agent "forks". */
function countProcesses(): number {
  return spawnSync("ps", ["-eo", "args"], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => line.includes("setInterval(() => {}, 1000)")).length;
}
