/**
 * Steps that DBOS Transact executes, on any number of hosts: a reminder that waits, survives restarts, and is sent once.
 * Run: npm i @dbos-inc/dbos-sdk@5, then DATABASE=postgres://user@host:5432/database node examples/durable-steps.ts
 * Kill it (kill -9) and start it again, here or on another host, as often as you like.
 */
import { DBOS } from "@dbos-inc/dbos-sdk";
import { Continuity, isGone, openPostgresStore, processOwner } from "openclaw-integrity/continuity";
import { openDbosEngine } from "openclaw-integrity/continuity/dbos";

const address = process.env["DATABASE"];
if (address === undefined) throw new Error("expected DATABASE=postgres://user@host:5432/database; found none");

const continuity = new Continuity({ store: await openPostgresStore({ connectionString: address }) });
const engine = await openDbosEngine({ continuity, DBOS });
// In every process that may execute it, before DBOS.launch().
const remind = engine.step("remind", async ({ input, idempotency_key }) => {
  await DBOS.sleep(2000);
  const retries = { retriesAllowed: true, maxAttempts: 5, intervalSeconds: 1, backoffRate: 2 };
  return DBOS.runStep(() => sendMail(String(input), idempotency_key), { name: "mail", ...retries });
});
DBOS.setConfig({ name: "reminders", systemDatabaseUrl: address, executorID: processOwner(), logLevel: "warn" });
await DBOS.launch();
await DBOS.registerQueue("mails", { globalConcurrency: 2 });

// What a killed process of this machine left; what other machines left needs a function that knows those.
const recover = async (): Promise<void> => {
  const { resumed, settled, refused } = await engine.recover({ isGone });
  if (resumed.length + settled + refused.length > 0) console.log({ resumed, settled, refused });
};
await recover();
const timer = setInterval(() => void recover().catch(console.error), 10_000);

const site = await continuity.project("site");
const goal = await site.createGoal({ text: "Move the site", command_id: "goal" });
const task = await site.addTask({ goal_id: goal.goal_id, title: "Remind the users", command_id: "task" });
const outcomes = await Promise.all(
  ["ada", "bob", "cleo"].map((user) =>
    remind.run(
      "site",
      {
        step_id: `remind-${user}`,
        step_type: "non_idempotent",
        idempotency_key: `mail-${user}`,
        // The mail server recognises the key, so that DBOS may repeat the call after a crash.
        repeat: "after-unknown",
        input: user,
        task_id: task.task_id,
      },
      { queueName: "mails" },
    ),
  ),
);
console.log(outcomes); // `executed: false` for what an earlier start has done
clearInterval(timer);
await engine.settled();
await DBOS.shutdown();
await continuity.close();

/** Stands for a mail server that sends one mail for each key. */
async function sendMail(user: string, key: string | null): Promise<string> {
  return `mail ${key} to ${user}`;
}
