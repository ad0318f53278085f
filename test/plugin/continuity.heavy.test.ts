import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Continuity, openSqliteStore } from "../../src/continuity/index.ts";
import { TOOL_NAMES } from "../../src/continuity-tools/project-name.ts";
import { openGateway, type Gateway } from "../../harness/gateway/index.ts";
import { BASE_RELEASES, releasesFolder } from "../../harness/openclaw/releases.ts";
import { startProvider, type RecordedRequest, type StrictProvider, type Step } from "../../harness/providers/index.ts";
import { asOperator, OWNERS_ENTRY, settingsWithPeople } from "../../harness/gateway/people.ts";
import { toolResults } from "./tool-results.ts";

const WORK = "agent:main:work";
const OTHER = "agent:main:other";
const OLD = "agent:main:old";
const OPERATOR = ["operator.read", "operator.write", "operator.admin"];
const LEFT_OFF = "The letter is written and signed; the envelope lies on the desk.";
const NEXT_STEP = "Put the letter into the blue envelope, and nothing else.";
/** How a briefing begins. */
const HEADING = "Recorded work of project";
const STEP = { step_id: "post-letter", idempotency_key: "post-letter" };
const DAY_MS = 24 * 60 * 60 * 1000;

// An agent's work survives a kill -9 of the gateway.
describe.each(BASE_RELEASES)("the recorded work of an agent in a real gateway of OpenClaw %s", (release) => {
  const root = join(releasesFolder(), release, "stock");
  const isCurrent = release === "2026.9.6";
  let provider: StrictProvider;
  let gateway: Gateway;

  beforeAll(async () => {
    provider = await startProvider();
    const config = { continuity: { enabled: true } };
    const { settings, env } = settingsWithPeople(
      join(root, "node_modules", "openclaw", "dist"),
      [OWNERS_ENTRY],
      config,
    );
    // A search in front of tools, as that release has by default, must not hide ours.
    const tools = { ...(isCurrent && { toolSearch: true }) };
    gateway = await openGateway({
      root,
      release,
      providerUrl: provider.url,
      scopes: OPERATOR,
      env,
      settings: { ...settings, tools },
      tools: ["read", "exec", "clawos-l0"],
    });
    await recordOldWork();
    await gateway.start();
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
  });

  /** What somebody left three days ago. */
  async function recordOldWork(): Promise<void> {
    const continuity = new Continuity({
      store: openSqliteStore({ file: file() }),
      author: { entry: "openclaw", name: OLD },
      now: () => Date.now() - 3 * DAY_MS,
    });
    const project = await continuity.project(OLD);
    const { goal_id } = await project.createGoal({ text: "Move house" });
    const { task_id } = await project.addTask({ goal_id, title: "Book a van" });
    await project.startTask({ task_id });
    await continuity.close();
  }

  const file = (): string => join(gateway.stateDir, "openclaw-continuity.sqlite");
  const call = (name: string, input: object): Step => ({
    kind: "tool",
    calls: [{ name: `continuity_${name}`, arguments: input }],
  });

  /** Sends a message that the model answers with these calls, one request for each; gives what the tools answered. */
  async function turn(
    key: string,
    text: string,
    ...steps: Step[]
  ): Promise<{ requests: RecordedRequest[]; answers: Record<string, unknown>[] }> {
    const before = provider.requests.length;
    provider.script(...steps);
    await gateway.send(key, text);
    await answered(key, text);
    const requests = provider.requests.slice(before);
    return { requests, answers: toolResults(requests.at(-1)!).slice(-steps.length) };
  }

  /**
   * A message that comes while another run ends is answered in a run of its own, whose end its sender is not told of.
   */
  async function answered(key: string, text: string): Promise<void> {
    await until(async () => {
      const shown = (await gateway.history(key)).map((message) => JSON.stringify(message));
      const asked = shown.findLastIndex((message) => message.includes(text));
      return (
        asked >= 0 &&
        asked < shown.length - 1 &&
        /"role":"assistant".*ok \d+|ok \d+.*"role":"assistant"/.test(shown.at(-1)!)
      );
    });
  }

  let task_id: string;

  it("the model is offered every tool, and records a goal and its tasks with them", async () => {
    const {
      requests,
      answers: [goal],
    } = await turn(WORK, "please post my letter", call("create_goal", { text: "Post the letter", priority: 5 }));
    expect(
      offered(requests[0]!)
        .filter((name) => name.startsWith("continuity_"))
        .toSorted(),
    ).toEqual(TOOL_NAMES.toSorted());
    expect(requests[0]!.raw).not.toContain(HEADING);
    const goal_id = String(goal?.["goal_id"]);
    const {
      answers: [first, second],
    } = await turn(
      WORK,
      "in two parts",
      call("add_task", { goal_id, title: "Fill the envelope" }),
      call("add_task", { goal_id, title: "Go to the post office" }),
    );
    expect(second).toMatchObject({ status: "todo" });
    task_id = String(first?.["task_id"]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it("the gateway is killed in mid-step, and the first run after it is told where it was, what comes next and what may have run", async () => {
    provider.script(
      call("update_task", { task_id, status: "doing" }),
      call("update_task", {
        task_id,
        where_we_left_off: LEFT_OFF,
        next_step: NEXT_STEP,
        needed_context_refs: ["desk/envelope"],
      }),
      call("step", { action: "begin", ...STEP, task_id }),
      { kind: "fault", fault: "hang" },
    );
    const lost = gateway.send(WORK, "go on").catch(() => "lost");
    await until(() => provider.requests.at(-1)?.fault === "hang");
    await gateway.kill();
    expect(await lost).toBe("lost");
    provider.reset();
    await gateway.start();

    // 2026.9.6 takes up an interrupted turn by itself: then that run is the first.
    if (isCurrent) await answered(WORK, "go on");
    else await turn(WORK, "where were we?");
    const [first] = provider.requests;
    for (const told of [
      "The process was restarted since",
      String.raw`Where we left off: \"${LEFT_OFF}\"`,
      String.raw`Next step: \"${NEXT_STEP}\"`,
      "desk/envelope",
      "may have run; check before repeating): post-letter, attempt 1",
    ]) {
      expect(first!.raw).toContain(told);
    }
    const {
      requests: [next],
    } = await turn(WORK, "are you sure?");
    expect(next!.raw).toContain(String.raw`Next step: \"${NEXT_STEP}\"`);
    expect(next!.raw).not.toContain("restarted since");
    expect(times(next!.raw, HEADING)).toBe(1);
    // It is the conversation's own.
    expect(next!.raw).not.toContain("[by ");
    // What is cached before the conversation stays as it was.
    expect(JSON.stringify((next!.body as { system?: unknown }).system)).not.toContain(HEADING);
  });

  it("the agent's own question gives exactly the recorded next step, and a step that may have happened is found out about, is done once and never again", async () => {
    const { answers } = await turn(
      WORK,
      "then go on",
      call("get_work", { view: "next" }),
      call("step", { action: "begin", ...STEP, task_id }),
      call("step", {
        action: "resolve",
        step_id: STEP.step_id,
        attempt_id: 1,
        outcome: "not_done",
        why: "the letter lies on the desk",
      }),
      call("step", { action: "begin", ...STEP, task_id }),
      call("step", { action: "complete", step_id: STEP.step_id, attempt_id: 2, result: "posted at noon" }),
      call("step", { action: "begin", ...STEP, task_id }),
    );
    expect(answers).toMatchObject([
      { next_step: NEXT_STEP, where_we_left_off: LEFT_OFF, task_id },
      { status: "open", attempts: [{ attempt_id: 1 }] },
      { status: "not_done" },
      { status: "run", attempt_id: 2, earlier_attempts: 1 },
      { status: "completed" },
      { status: "completed", attempt_id: 2, result: "posted at noon" },
    ]);
  });

  it("no transcript holds what was put into a prompt", async () => {
    const stored = JSON.stringify(await gateway.stored(WORK));
    expect(stored).toContain("are you sure?");
    expect(stored).not.toContain(HEADING);
    expect(stored).not.toContain("restarted since");
  });

  it("another conversation is told nothing of it and finds nothing", async () => {
    const {
      requests,
      answers: [work],
    } = await turn(OTHER, "what are we at?", call("get_work", {}));
    for (const secret of [HEADING, LEFT_OFF, NEXT_STEP, "Post the letter", "Fill the envelope", task_id])
      for (const { raw } of requests) expect(raw).not.toContain(secret);
    expect(work).toEqual({
      seq: 0,
      project_id: OTHER,
      next: { kind: "propose_tasks", note: expect.stringContaining("Propose tasks to the user") as string },
    });
    const {
      answers: [refused],
    } = await turn(OTHER, "try it", call("update_task", { task_id, status: "doing" }));
    expect(JSON.stringify(refused)).toMatch(/expected the id of a task of project agent:main:other/);
  });

  it("work that has rested for three days is asked about and not gone on with", async () => {
    const {
      requests: [request],
    } = await turn(OLD, "good morning");
    expect(request!.raw).toContain("Book a van");
    expect(request!.raw).toContain("do NOT continue it by yourself");
  });

  it("/l0-status counts it and tells none of it", async () => {
    const status = await asOperator(gateway, OTHER, "/l0-status");
    expect(status).toMatch(/^Recorded work: 2 projects .* not done \(2 being done, 0 blocked, 1 to do\)$/m);
    expect(status).not.toMatch(/letter|van/);
  });
});

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50);
}

function times(text: string, part: string): number {
  return text.split(part).length - 1;
}

function offered({ body }: RecordedRequest): string[] {
  return (body as { tools: { name: string }[] }).tools.map(({ name }) => name);
}
