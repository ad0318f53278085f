import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { asOperator, OWNERS_ENTRY, settingsWithPeople } from "../../harness/gateway/people.ts";
import { BASE_RELEASES, releasesFolder } from "../../harness/openclaw/releases.ts";
import { carriedIn, MAY_TRAVEL, tobe, TOOLS } from "../../harness/openclaw/travelling.ts";
import { startProvider, type RecordedRequest, type Step, type StrictProvider } from "../../harness/providers/index.ts";
import { journalFile } from "../../src/journal/index.ts";
import { openCatalog } from "../../src/store/index.ts";
import { toolResults } from "../plugin/tool-results.ts";

const KEY = "agent:main:plumber";
const OPERATOR = ["operator.read", "operator.write", "operator.admin"];
const OLD_STEP = "Ask for the invoice";
const NEW_STEP = "Call the bank";

// A move takes the conversation back and the recorded work not: an agent that is not told so pays again.
describe.each(BASE_RELEASES)("recorded work behind a move in a real gateway of OpenClaw %s", (release) => {
  let provider: StrictProvider;
  let gateway: Gateway;
  let [invoice, payment] = ["", ""];

  beforeAll(async () => {
    provider = await startProvider();
    const root = join(releasesFolder(), release, "patched");
    const config = { ...MAY_TRAVEL, continuity: { enabled: true } };
    const dist = join(root, "node_modules", "openclaw", "dist");
    const { settings, env } = settingsWithPeople(dist, [OWNERS_ENTRY], config);
    gateway = await openGateway({
      root,
      release,
      providerUrl: provider.url,
      scopes: OPERATOR,
      env,
      settings: { ...settings, tools: { ...(release === "2026.9.6" && { toolSearch: true }) } },
      tools: [...TOOLS, "clawos-l0"],
    });
    await gateway.start();
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
  });

  const toolCall = (name: string, input: object): { name: string; arguments: object } => ({
    name: `continuity_${name}`,
    arguments: input,
  });
  const step = (name: string, input: object): Step => ({ kind: "tool", calls: [toolCall(name, input)] }) as Step;

  /** Sends a message that the model answers with these calls, one request for each. */
  async function turn(text: string, ...steps: Step[]): Promise<RecordedRequest[]> {
    const before = provider.requests.length;
    provider.script(...steps);
    await gateway.send(KEY, text);
    return provider.requests.slice(before);
  }
  const answerIn = (requests: readonly RecordedRequest[]): Record<string, unknown> =>
    toolResults(requests.at(-1)!).at(-1)!;

  it("the agent records work, moves, and the request behind the move holds the work as it is then, what of it stays, and what is out of date", async () => {
    const goal = answerIn(await turn("the plumber wants money", step("create_goal", { text: "Pay the plumber" })));
    const task = async (title: string): Promise<string> =>
      String(answerIn(await turn(title, step("add_task", { goal_id: goal["goal_id"], title })))["task_id"]);
    invoice = await task("Get the invoice");
    payment = await task("Transfer the money");
    await turn(
      "begin",
      step("update_task", { task_id: invoice, status: "doing", next_step: OLD_STEP, where_we_left_off: "nothing yet" }),
      step("get_work", { view: "next" }),
    );
    const requests = await turn(
      "go on",
      step("step", { action: "begin", step_id: "mail-17", idempotency_key: "mail-17" }),
      step("step", { action: "complete", step_id: "mail-17", attempt_id: 1, result: "sent" }),
      step("update_task", { task_id: invoice, status: "done", why: "it came" }),
      step("step", {
        action: "begin",
        step_id: "pay-17",
        idempotency_key: "invoice-17",
        task_id: payment,
      }),
      {
        kind: "tool",
        calls: [
          tobe("turn:-1", "the bank is closed"),
          // Of the same batch: what the move tells must be read behind it.
          toolCall("update_task", {
            task_id: payment,
            status: "doing",
            next_step: NEW_STEP,
            where_we_left_off: "the bank is closed",
          }),
        ],
      } as Step,
    );
    expect(provider.requests.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    const behind = requests.at(-1)!;
    // What is left is no longer in the request but for what the carryover tells.
    expect(behind.raw).toContain(OLD_STEP);
    expect(toolResults(behind)).toHaveLength(5);
    const carried = carriedIn(behind);
    expect(carried).toContain(`> Next step: "${NEW_STEP}"`);
    expect(carried).toMatch(new RegExp(`^\\[Out of date: .*:\\]\n> - task ${invoice}: "${OLD_STEP}"\n\n`, "m"));
    expect(carried).toContain(`> - task ${invoice}, "Get the invoice": done\n`);
    expect(carried).toContain(`> - step mail-17, key "mail-17": completed in attempt 1\n`);
    expect(carried).toMatch(/^> - step pay-17, key "invoice-17": attempt 1 .* may have acted: find out/m);
    // 2026.9.6 stores the key of a call as ***: the ledger has it.
    expect(carried).toMatch(
      /^> - continuity_step action "begin", step_id "pay-17", idempotency_key "(invoice-17|\*\*\*)"/m,
    );
  });

  it("after a kill -9 the next turn goes on from there", async () => {
    await gateway.kill();
    await gateway.start();
    const requests = await turn("where are we?");
    expect(requests.at(-1)!.status).toBe(200);
    expect(carriedIn(requests.at(-1)!)).toContain(`> Next step: "${NEW_STEP}"`);
  });

  it("a person takes the conversation back before all of it: the next request tells what was recorded there", async () => {
    await asOperator(gateway, KEY, "/rewind");
    const shown = await asOperator(gateway, KEY, "/rewind root");
    expect(shown).toContain("/rewind root yes");
    expect(await asOperator(gateway, KEY, "/rewind root yes")).toContain("The conversation continues");
    const requests = await turn("let us begin anew");
    const carried = carriedIn(requests.at(-1)!);
    expect(carried).toContain("The operator took the conversation back");
    expect(carried).toMatch(/^> - step pay-17, key "invoice-17": attempt 1 .* may have acted: find out/m);
    expect(carried).toContain(`> - task ${payment}, "Transfer the money": doing\n`);
    expect(carried).toContain(`> Next step: "${NEW_STEP}"`);
    expect(carried).not.toContain("Out of date");
  });

  it("the tool that acts in a step is cut off by a kill -9: the next process is told that it was started, and so is a copy of the conversation", async () => {
    const pay = { action: "begin", step_id: "pay-18", idempotency_key: "invoice-18" };
    const acts: Step = { kind: "tool", calls: [{ name: "exec", arguments: { command: "sleep 60" } }] };
    provider.script(step("step", pay), acts);
    const lost = gateway.send(KEY, "pay the other one").catch(() => "lost");
    while (!isUnderWay("exec")) await sleep(50);
    await gateway.kill();
    expect(await lost).toBe("lost");
    provider.reset();
    provider.script(step("step", pay));
    await gateway.start();
    // 2026.9.6 takes up an interrupted turn by itself.
    if (release !== "2026.9.6") await gateway.send(KEY, "what became of it?");
    const begun = (): Record<string, unknown> | undefined =>
      provider.requests.flatMap(toolResults).find((answer) => "attempts" in answer);
    while (begun() === undefined || !(await isAnswered())) await sleep(50);

    const told = /exec of \S+ was started, and no end is known \(no proof/;
    expect(provider.requests[0]!.raw).toMatch(told);
    expect(begun()).toMatchObject({ status: "open", attempts: [{ attempt_id: 1 }] });
    expect((begun()!["attempts"] as { evidence: string }[])[0]!.evidence).toMatch(told);

    const said = await asOperator(gateway, KEY, "/timeline fork turn:-1");
    expect(said).toContain("A new conversation begins");
    const catalog = openCatalog(gateway.stateDir);
    const copies = catalog
      .list()
      .sessions.map((session) => JSON.stringify(catalog.read(session).rows))
      .filter((rows) => rows.includes("The operator has made this conversation"));
    catalog.close();
    expect(copies).toHaveLength(1);
    expect(copies[0]).toMatch(
      /step pay-18, key [^,]*invoice-18[^,]*: attempt 1 was begun .* before you do it; calls since/,
    );
    expect(copies[0]).toMatch(told);
  });

  async function isAnswered(): Promise<boolean> {
    return /ok \d+/.test(JSON.stringify((await gateway.history(KEY)).at(-1)));
  }

  function isUnderWay(toolName: string): boolean {
    const journal = new DatabaseSync(journalFile(gateway.stateDir), { readOnly: true });
    try {
      const open = "SELECT 1 FROM tool_cycles WHERE tool_name = ? AND state = 'executing'";
      return journal.prepare(open).get(toolName) !== undefined;
    } finally {
      journal.close();
    }
  }
});
