/**
 * Several agents and a person on one project: who does which task, told by real servers, and taken over by nobody
 * unseen.
 */
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import { AgentClient, cleanUp, newStoreFile, serverEnvironment } from "./client.ts";

afterEach(cleanUp);

/** What a person gets who pastes the command that a text offers, with the password that no text tells. */
function pasted(text: string, postgres?: PrivatePostgres): { readonly status: number | null; readonly said: string } {
  const [, command] = /`(?:npx )?openclaw-integrity ([^`]+)`/.exec(text) ?? [];
  if (command === undefined) throw new Error(`no command in: ${text}`);
  const whole = command.replace(/--postgres \S+/, () => `--postgres '${postgres?.url}'`);
  const { status, stdout, stderr } = spawnSync("sh", ["-c", `"${process.execPath}" "${MAIN}" ${whole}`], {
    encoding: "utf8",
    env: serverEnvironment(),
  });
  return { status, said: stdout + stderr };
}

const askBriefing = async (agent: AgentClient): Promise<string> => {
  const [message] = (await agent.client.getPrompt({ name: "where_were_we" })).messages;
  return (message!.content as { readonly text: string }).text;
};

const start = (name: string, args: readonly string[]): Promise<AgentClient> => AgentClient.startWith({ name, args });
/** A goal with tasks of these titles. */
const tasks = async (agent: AgentClient, ...titles: readonly string[]): Promise<string[]> => {
  const { goal_id } = await agent.call("create_goal", { text: "Ship 1.0" });
  const ids: string[] = [];
  for (const title of titles) ids.push(String((await agent.call("add_task", { goal_id, title }))["task_id"]));
  return ids;
};

/** On a store of that kind; where the machine has none of it they are left out. */
export function claims(kind: "SQLite" | "PostgreSQL"): void {
  describe(`agents of one project on ${kind}`, () => {
    cases(kind);
  });
}

function cases(kind: "SQLite" | "PostgreSQL"): void {
  const why = kind === "SQLite" ? undefined : whyNoPostgres();
  let postgres: PrivatePostgres | undefined;
  let schema = 0;
  beforeAll(async () => {
    if (kind === "PostgreSQL" && why === undefined) postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());
  const store = (): string[] =>
    kind === "SQLite"
      ? ["--file", newStoreFile(), "--project", "p"]
      : ["--postgres", postgres!.url, "--schema", `s${++schema}`, "--project", "p"];
  test.skipIf(why)("do not do each other's work, and the one who is refused is told who does it", async () => {
    const args = store();
    // Two of one name: the name that a client gives itself does not make them one agent.
    const [a, b] = [await start("agent", args), await start("agent", args)];
    const [mails, log] = (await tasks(a, "Email the 400 customers", "Write the changelog")) as [string, string];
    await a.call("update_task", { task_id: mails, status: "doing" });
    expect(await b.call("get_work", { view: "next" })).toMatchObject({ task_id: log });
    for (const input of [
      { status: "doing" },
      { status: "done" },
      { status: "dropped", why: "not wanted" },
      { where_we_left_off: "x", next_step: "y" },
    ]) {
      const refused = await b.ask("update_task", { task_id: mails, ...input });
      expect(refused).toMatchObject({ isError: true, code: "claim-held" });
      expect(refused.text).toMatch(
        /found MCP client "agent" \(session .*\) holds it since .*free from .* on\. Do NOT do it/,
      );
    }
    const step = { action: "begin", step_id: "m", idempotency_key: "m", task_id: mails };
    expect(await b.ask("step", step)).toMatchObject({ code: "claim-held" });
    await b.call("update_task", { task_id: log, status: "doing" });
    expect(await a.call("get_work", { view: "next" })).toMatchObject({ task_id: mails });
    expect(await b.call("get_work", { view: "next" })).toMatchObject({ task_id: log });
    expect(await askBriefing(b)).toMatch(
      new RegExp(`^Done by others, leave it to them: task ${mails} \\(MCP client "agent"`, "m"),
    );
  });

  test.skipIf(why)(
    "are told once when a person frees a task by the command in the refusal, and the task is free then",
    async () => {
      const args = store();
      const [a, b] = [await start("A", args), await start("B", args)];
      const [task_id] = (await tasks(a, "Email the customers")) as [string];
      await a.call("update_task", { task_id, status: "doing" });
      expect(await b.call("get_work", { view: "next" })).toMatchObject({ kind: "propose_tasks", held: [{ task_id }] });
      const { text } = await b.ask("update_task", { task_id, status: "doing" });
      expect(pasted(text, postgres)).toMatchObject({ status: 0 });
      const [told] = (await a.call("get_work"))["claims"] as string[];
      expect(told).toMatch(
        /is not yours any more since .*: a person decided it; nobody has it now\. Do not go on with it/,
      );
      expect((await a.call("get_work"))["claims"]).toBeUndefined();
      await b.call("update_task", { task_id, status: "doing" });
      expect(await a.ask("update_task", { task_id, status: "done" })).toMatchObject({ code: "claim-held" });
      expect(await askBriefing(a)).not.toContain("is not yours any more");
    },
  );

  test.skipIf(why)("lose a task by making no call, not by the life of their process; both are told once", async () => {
    const args = [...store(), "--claim", "1"];
    const [a, b] = [await start("A", args), await start("B", args)];
    const [task_id] = (await tasks(a, "Email the customers")) as [string];
    await a.call("update_task", { task_id, status: "doing" });
    let taken: { readonly text: string; readonly isError: boolean };
    do {
      await sleep(100);
      taken = await b.ask("update_task", { task_id, status: "doing" });
    } while (taken.isError);
    expect(JSON.parse(taken.text)).toMatchObject({
      claims: [expect.stringMatching(/is yours since .*: MCP client "A" .* had it and made no call for long/)],
    });
    expect(await askBriefing(a)).toMatch(
      /is not yours any more since .*: you had made no call for long; MCP client "B"/,
    );
    expect(await askBriefing(a)).not.toContain("is not yours any more");
    expect(await askBriefing(b)).not.toContain("is yours since");
  });

  test.skipIf(why)(
    "hold a task over a kill -9 of their server: their next one goes on, and nobody else does",
    async () => {
      const args = store();
      const [a, b] = [await start("A", args), await start("B", args)];
      const [task_id] = (await tasks(a, "Email the customers")) as [string];
      await a.call("update_task", { task_id, status: "doing" });
      await a.kill();
      expect(await b.ask("update_task", { task_id, status: "doing" })).toMatchObject({ code: "claim-held" });
      const again = await start("A", args);
      expect(await again.call("get_work", { view: "next" })).toMatchObject({ task_id });
      await again.call("update_task", { task_id, status: "done", why: "sent" });
    },
  );

  test.skipIf(why)("do not lock others out by a step that they forgot, and a person needs not wait", async () => {
    const args = [...store(), "--claim", "1", "--lease", "1"];
    const step = { action: "begin", step_id: "pay-1", idempotency_key: "k" };
    const [a, b] = [await start("A", args.slice(0, -4)), await start("B", args)];
    await a.call("step", step);
    expect(await b.ask("step", { ...step, step_id: "other", idempotency_key: "o" })).toMatchObject({
      code: "lease-held",
    });
    const resolve = [
      "resolve",
      ...args.slice(0, -4),
      "--outcome",
      "completed",
      "--reason",
      "the bank shows it",
      "pay-1",
    ];
    const person = spawnSync(process.execPath, [MAIN, "continuity", ...resolve], {
      encoding: "utf8",
      env: serverEnvironment(),
    });
    expect(person.status).not.toBe(0);
    expect(pasted(person.stderr, postgres)).toMatchObject({ status: 0 });
    // One that forgets as well, and whose claim is short: others wait for that time only.
    await b.call("step", { ...step, step_id: "pay-2", idempotency_key: "k2" });
    let begun: { readonly text: string; readonly isError: boolean };
    do {
      await sleep(200);
      begun = await a.ask("step", { ...step, step_id: "pay-3", idempotency_key: "k3" });
    } while (begun.isError);
    expect(JSON.parse(begun.text)).toMatchObject({ status: "run" });
  });
}
