import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { DBOS } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import { Continuity, openPostgresStore } from "../../src/continuity/index.ts";

const HOST = fileURLToPath(new URL("dbos-host.ts", import.meta.url));
const [STEPS, KILLS] = [40, 8];
const skip = whyNoPostgres();

/** Calls of one action by one key: the first one acts, and every later one gets the first one's answer. */
const calls = new Map<string, number>();

describe.skipIf(skip)(
  `two hosts with DBOS, and a kill -9 again and again${skip === undefined ? "" : `: ${skip}`}`,
  () => {
    let server: PrivatePostgres;
    let outside: Server;
    let address: string;
    let database: pg.Pool;
    const hosts = new Set<ChildProcess>();

    beforeEach(async () => {
      calls.clear();
      server = await startPostgres();
      // Of two hosts that make DBOS's tables at once, one fails.
      await DBOS.migrate(server.url);
      outside = createServer((request, response) => {
        const action = String(request.url);
        calls.set(action, (calls.get(action) ?? 0) + 1);
        setTimeout(() => response.end(`receipt of ${action}`), 20);
      }).listen(0, "127.0.0.1");
      await once(outside, "listening");
      address = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
      database = new pg.Pool({ connectionString: server.url, max: 1 });
      database.on("connect", (client) => void client.on("error", () => undefined));
      // A connection that is ending still hears that its server stops, with nobody else to listen.
      database.on("error", () => undefined);
    });
    afterEach(async () => {
      await endAll();
      await database?.end();
      outside?.close();
      await server?.stop();
    });

    async function endAll(): Promise<void> {
      for (const child of hosts) {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill("SIGKILL");
          await once(child, "exit");
        }
        hosts.delete(child);
      }
    }

    async function count(table: string): Promise<number> {
      const { rows } = await database.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
      return Number(rows[0]!.count);
    }

    function host(steps = STEPS): { readonly child: ChildProcess; readonly done: Promise<string> } {
      const child = spawn(process.execPath, ["--no-warnings", HOST, server.url, address, String(steps)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      hosts.add(child);
      const done = new Promise<string>((resolve) => {
        createInterface(child.stdout).on("line", resolve);
        child.on("exit", () => resolve("ended"));
      });
      return { child, done };
    }

    /** Steps that the ledger calls completed, in one view with the statuses that DBOS has for them. */
    async function completedWithout(): Promise<unknown[]> {
      const { rows } = await database.query(
        `SELECT completed.step_id, work.status FROM continuity.completed_steps completed
       JOIN continuity.workflows USING (workflow_id)
       LEFT JOIN dbos.workflow_status work ON work.workflow_uuid = project_id || '/' || step_id
       WHERE work.status IS DISTINCT FROM 'SUCCESS'`,
      );
      return rows as unknown[];
    }

    it("each step acts once, both records end with its one result, and the ledger is never ahead of DBOS", async () => {
      let running = [host(), host()];
      for (let kill = 0; kill < KILLS; kill++) {
        // Neither host gets through: each kill hits another place, a reservation, a sleep, a payment, one of the commits.
        const before = calls.size;
        while (calls.size < Math.min(2 * STEPS, before + 4)) await sleep(5);
        await sleep((kill * 37) % 100);
        running[kill % 2]!.child.kill("SIGKILL");
        await once(running[kill % 2]!.child, "exit");
        expect(await completedWithout()).toEqual([]);
        running = running.with(kill % 2, host());
      }
      const expected = Array.from({ length: STEPS }, (_, at) => [
        `receipt of /reserve/key-${at}`,
        `receipt of /pay/key-${at}`,
      ]);
      for (const { done } of running) expect(await done).toBe(`done ${JSON.stringify(expected)}`);
      // The effects: one for each action and key. A call that was interrupted is repeated under the same key.
      expect([...calls.keys()].toSorted()).toEqual(
        expected
          .flat()
          .map((text) => text.slice("receipt of ".length))
          .toSorted(),
      );
      expect(await completedWithout()).toEqual([]);

      const continuity = new Continuity({ store: await openPostgresStore({ connectionString: server.url }) });
      let completed = 0;
      for (const name of ["shop 0", "shop 1"]) {
        const project = await continuity.project(name);
        const state = await project.state();
        completed += state.completed_steps;
        expect(state.open_steps).toEqual({});
        expect((await project.verify()).damages).toEqual([]);
        for await (const { event_type, data } of project.history())
          if (event_type === "step_started") expect(data).toMatchObject({ attempt_id: 1 });
      }
      expect(completed).toBe(STEPS);
      await continuity.close();
    });

    it("what a killed host left is done by the other one alone, without a call", async () => {
      const { child } = host();
      while (calls.size < 3) await sleep(5);
      child.kill("SIGKILL");
      await once(child, "exit");
      const started = await count("dbos.workflow_status");
      expect(started).toBeGreaterThan(0);
      host(0);
      const end = performance.now() + 120_000;
      while ((await count("continuity.completed_steps")) < started) {
        if (performance.now() > end) {
          const { rows } = await database.query(
            "SELECT workflow_uuid, status, executor_id, queue_name, recovery_attempts FROM dbos.workflow_status",
          );
          expect(rows, "the other host has not ended these").toEqual([]);
        }
        await sleep(50);
      }
      expect(calls.size).toBe(2 * started);
      expect(await completedWithout()).toEqual([]);
    });
  },
);
