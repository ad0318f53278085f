import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { openPostgresStore, openSqliteStore, type ContinuityStore, type LeaseRow } from "../../src/continuity/index.ts";
import { whyNoPostgres, startPostgres, type PrivatePostgres } from "../../harness/postgres.ts";
import { AgentClient, cleanUp, newStoreFile, serverEnvironment } from "./client.ts";

afterEach(cleanUp);

const STEP = { step_id: "send-1", idempotency_key: "inv-1", input: "to Ada" };

async function leaseIn(store: ContinuityStore): Promise<LeaseRow | undefined> {
  const [workflow] = await store.workflows();
  const lease = await store.lease(workflow!.workflow_id);
  await store.close();
  return lease;
}

/** Given back: it ended with its last heartbeat. */
const isFree = (lease: LeaseRow | undefined): boolean =>
  lease !== undefined && lease.lease_expires_at <= lease.heartbeat_at;

const request = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const OPENING =
  request(1, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  }) + `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`;
const call = (id: number, name: string, input: object): string => request(id, "tools/call", { name, arguments: input });

const skipped = whyNoPostgres();
const stores = [
  ["SQLite", undefined],
  ["PostgreSQL", skipped],
] as const;

describe.each(stores)("several MCP servers on one store in %s", (kind, why) => {
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

  test.skipIf(why)(
    "what one agent records, the other one sees; a step that one has begun is refused to the other until it is completed",
    async () => {
      const args = store();
      const [one, two] = [await AgentClient.start(...args), await AgentClient.start(...args)];
      const { goal_id } = await one.call("create_goal", { text: "g" });
      const { task_id } = await two.call("add_task", { goal_id, title: "t" });
      await Promise.all([
        one.call("add_task", { goal_id, title: "a" }),
        two.call("add_task", { goal_id, title: "b" }),
        one.call("update_task", { task_id, status: "doing" }),
      ]);
      // What is next is each one's own: the second one has not the task that the first one does.
      const shared = async (agent: AgentClient): Promise<unknown[]> => {
        const { seq, goals, tasks, active_task } = await agent.call("get_work");
        return [seq, goals, tasks, active_task === task_id];
      };
      const seen = await shared(one);
      expect(seen).toMatchObject([expect.any(Number), [{}], [{}, {}, {}], true]);
      expect(await shared(two)).toEqual([...seen.slice(0, 3), false]);

      expect(await one.call("step", { action: "begin", ...STEP })).toMatchObject({ status: "run", attempt_id: 1 });
      const refused = await two.ask("step", { action: "begin", ...STEP });
      expect(refused).toMatchObject({ isError: true, code: "lease-held" });
      // Who, since when, until when, and what to do.
      expect(refused.text).toContain(`/${one.transport.pid}/`);
      expect(refused.text).toMatch(/since 20\S+Z, until 20\S+Z unless .* Do NOT act\. Call again with the same fields/);
      const { open_steps, lease } = await two.call("get_work", { view: "steps" });
      expect(open_steps).toMatchObject([{ step_id: "send-1", input: '"to Ada"' }]);
      expect(lease).toMatchObject({ owner: expect.stringContaining(`/${one.transport.pid}/`) as string });
      // Neither by the open attempt nor by a resolution does the second one get in between.
      for (const input of [
        { action: "complete", step_id: "send-1", attempt_id: 1 },
        { action: "resolve", step_id: "send-1", attempt_id: 1, outcome: "not_done", why: "it seems so" },
      ])
        expect(await two.ask("step", input), input.action).toMatchObject({ isError: true, code: "lease-held" });
      expect(await one.call("step", { action: "begin", ...STEP })).toMatchObject({ status: "open", attempt_id: 1 });
      await one.call("step", { action: "complete", step_id: "send-1", attempt_id: 1, result: "sent" });
      // An agent that ends gives the lease back.
      await one.close();
      expect(await two.call("step", { action: "begin", ...STEP })).toEqual({
        status: "completed",
        step_id: "send-1",
        attempt_id: 1,
        result: "sent",
      });
    },
  );

  test.skipIf(why)(
    "an agent that is killed in the middle of a step: the next one is told that it may have run, goes on at once, and it is completed once",
    async () => {
      const args = store();
      const killed = await AgentClient.start(...args);
      const { goal_id } = await killed.call("create_goal", { text: "Send the invoices" });
      const { task_id } = await killed.call("add_task", { goal_id, title: "Send to Ada" });
      await killed.call("update_task", { task_id, status: "doing" });
      await killed.call("update_task", {
        task_id,
        where_we_left_off: "The invoice is rendered.",
        next_step: "Send invoice 1 to Ada",
      });
      await killed.call("step", { action: "begin", ...STEP, task_id });
      await killed.kill();

      const next = await AgentClient.start(...args);
      expect(await next.call("get_work")).toMatchObject({
        next: { next_step: "Send invoice 1 to Ada" },
        open_steps: [{ step_id: "send-1", attempt_id: 1, task_id }],
      });
      expect(JSON.stringify(await next.client.getPrompt({ name: "where_were_we" }))).toMatch(
        /may have run; check before repeating\): send-1, attempt 1/,
      );
      // Its token was fenced, so that it could not even complete what it began.
      expect(
        await next.ask("step", { action: "complete", step_id: "send-1", attempt_id: 1, result: "guessed" }),
      ).toMatchObject({
        isError: true,
        code: "step-not-started",
      });
      // Also under a name that it gives anew.
      for (const step_id of ["send-1", "mail to Ada"])
        expect(await next.call("step", { action: "begin", ...STEP, step_id, task_id })).toMatchObject({
          status: "open",
          step_id: "send-1",
          attempts: [{ attempt_id: 1, idempotency_key: "inv-1", task_id }],
          note: expect.stringContaining("do NOT act") as string,
        });
      const looked = { action: "resolve", step_id: "send-1", attempt_id: 1, why: "not among the sent mails" };
      await next.call("step", { ...looked, outcome: "not_done" });
      expect(await next.call("step", { action: "begin", ...STEP, task_id })).toMatchObject({
        status: "run",
        attempt_id: 2,
        earlier_attempts: 1,
      });
      await next.call("step", { action: "complete", step_id: "send-1", attempt_id: 2, result: "sent" });
      await next.kill();

      const last = await AgentClient.start(...args);
      expect(await last.call("step", { action: "begin", ...STEP, task_id })).toEqual({
        status: "completed",
        step_id: "send-1",
        attempt_id: 2,
        result: "sent",
      });
      expect(await last.call("get_work")).not.toHaveProperty("open_steps");
    },
  );

  test.skipIf(why)(
    "what was asked for right before the input ended is answered and recorded, the lease given back, and nothing but the protocol is on standard output",
    async () => {
      const args = store();
      const input =
        OPENING +
        call(2, "create_goal", { text: "g" }) +
        call(3, "step", { action: "begin", step_id: "s", idempotency_key: "s" }) +
        call(4, "update_task", { task_id: "none", status: "doing" }) +
        call(5, "create_goal", { text: "h" });
      const { status, stdout } = spawnSync(process.execPath, [MAIN, "continuity", "mcp", ...args], {
        env: serverEnvironment(),
        encoding: "utf8",
        input,
      });
      expect(status).toBe(0);
      const answers = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { id: number; result: object });
      expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4, 5]);
      expect(answers.find(({ id }) => id === 5)!.result).toMatchObject({
        content: [{ text: expect.stringContaining("goal_id") as string }],
      });
      const [name, value, , schemaName] = args;
      expect(
        isFree(
          await leaseIn(
            name === "--file"
              ? openSqliteStore({ file: value! })
              : await openPostgresStore({ connectionString: value!, schema: schemaName! }),
          ),
        ),
      ).toBe(true);
    },
  );
});

describe("how the MCP server ends", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s: the lease is given back although the client keeps its end open, and the exit code is 0",
    async (signal) => {
      const file = newStoreFile();
      const server = spawn(
        process.execPath,
        [MAIN, "continuity", "mcp", "--file", file, "--project", "p", "--lease", "7"],
        { env: serverEnvironment(), stdio: ["pipe", "pipe", "inherit"] },
      );
      let answers = "";
      server.stdout.on("data", (chunk: Buffer) => (answers += chunk.toString()));
      server.stdin.write(OPENING + call(2, "step", { action: "begin", step_id: "s", idempotency_key: "s" }));
      while (!answers.includes('"id":2')) await once(server.stdout, "data");
      const { lease_expires_at, heartbeat_at } = (await leaseIn(openSqliteStore({ file })))!;
      expect(Date.parse(lease_expires_at) - Date.parse(heartbeat_at)).toBe(7000);
      server.kill(signal);
      const [code] = (await once(server, "exit")) as [number | null];
      expect(code).toBe(0);
      expect(isFree(await leaseIn(openSqliteStore({ file })))).toBe(true);
    },
  );

  test("a line that is no JSON does not end it", async () => {
    const input = `${OPENING}this is no JSON\n${call(2, "get_work", { view: "next" })}`;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [MAIN, "continuity", "mcp", "--file", newStoreFile(), "--project", "p"],
      { env: serverEnvironment(), encoding: "utf8", input },
    );
    expect(status).toBe(0);
    expect(stdout).toContain("propose_tasks");
    expect(stderr).toContain("continuity mcp:");
  });
});
