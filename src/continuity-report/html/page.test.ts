import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  authorBy,
  Continuity,
  type ContinuityStore,
  type LedgerEvent,
  openSqliteStore,
  type Project,
  type Task,
} from "../../continuity/index.ts";
import { byNeed, eachProject, eventText, namesFor, type PageProject, toStatus, renderWorkPage } from "../index.ts";

const NOW = Date.parse("2026-11-24T12:00:00Z");

/** A store in which `text` stands wherever something is recorded. */
async function storeWith(text: string): Promise<{ continuity: Continuity; store: ContinuityStore }> {
  const store = openSqliteStore({ file: ":memory:" });
  const continuity = new Continuity({ store, now: () => NOW, author: authorBy("mcp", text) });
  for (const name of ["one", `${text.slice(0, 150).toWellFormed()} two`]) {
    const project = await continuity.project(name);
    const { goal_id } = await project.createGoal({ text });
    await project.createGoal({ text, priority: 3 });
    for (let nth = 0; nth < 2; nth++) {
      const { task_id } = await project.addTask({ goal_id, title: text, acceptance_criteria: [text] });
      await project.startTask({ task_id });
      if (nth === 1) await project.blockTask({ task_id, blocker: text });
      await project.updateCheckpoint({
        task_id,
        where_we_left_off: text,
        next_step: text,
        needed_context_refs: [text],
        blockers: [text],
      });
    }
    const lease = await project.acquireLease({ owner_id: text });
    const step = {
      // A cut may leave half of a character, which no store takes.
      step_id: text.slice(0, 100).toWellFormed(),
      step_type: "non_idempotent",
      idempotency_key: text,
      input: text,
    } as const;
    await project.steps.fail(lease, await project.steps.begin(lease, step), text, { mayHaveActed: true });
  }
  return { continuity, store };
}

async function listEvents(project: Project): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = [];
  for await (const event of project.history()) events.push(event);
  return events;
}

async function pageWith(text: string, tasks?: number): Promise<string> {
  const opened = await storeWith(text);
  const found: Parameters<typeof renderWorkPage>[0]["projects"][number][] = [];
  await eachProject(opened, NOW, async (one) => {
    if ("code" in one) return void found.push(one);
    const events: PageProject["events"][number][] = [];
    const all = await listEvents(one.project);
    const names = await namesFor(one.project, one.state, all);
    for (const event of all) events.push({ ...event, text: eventText(event, names) });
    const many = tasks === undefined ? one.status.tasks : Array<Task>(tasks).fill(one.status.tasks[0]!);
    found.push({ status: { ...one.status, tasks: many }, state: one.state, events });
  });
  found.push({ needs: "damaged", project_id: text, workflow_id: text, code: "damaged", message: text });
  await opened.continuity.close();
  return renderWorkPage({ place: text, at: NOW, projects: byNeed(found, toStatus), store: ["--file", text] });
}

/** The elements of a page, without what is different for each store. */
function toSkeleton(page: string): string[] {
  return [...page.replace(/<style>.*?<\/style>/s, "").matchAll(/<[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => tag !== "<br>" && !tag.startsWith("<meta http-equiv"));
}

const HOSTILE = [
  `</script><img src=x onerror=alert(1)>`,
  `" onmouseover="alert(1)`,
  `</style><style>*{display:none}`,
  `</td></tr></table><h1>x</h1>`,
  `\u202eevil\u2066 \u0007\u001b[2J`,
  `&lt;b&gt; <!-- ]]>`,
  `javascript:alert(1)`,
  `שלום ${"עולם ".repeat(10)}`,
];

describe("nothing recorded can act on the page, or change what stands around it", () => {
  it.each(HOSTILE)("%j", async (text) => {
    const page = await pageWith(text);
    expect(toSkeleton(page)).toEqual(toSkeleton(await pageWith("plain")));
    for (const character of "\u202e\u2066\u0007\u001b") expect(page).not.toContain(character);
    expect(page).not.toMatch(/<script|<img|<link|<iframe/);
  });

  it("whatever the text is", async () => {
    const plain = toSkeleton(await pageWith("plain"));
    const part = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom(...HOSTILE, "<", ">", '"', "&", "\n"),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (parts) => {
        const text = parts.join("").replaceAll("\u0000", "").toWellFormed();
        fc.pre(text.trim() !== "" && text.length < 190);
        expect(toSkeleton(await pageWith(text))).toEqual(plain);
      }),
      { numRuns: 20 },
    );
  });
});

describe("the page", () => {
  it("loads nothing: its policy permits its own style sheet only", async () => {
    const page = await pageWith("text");
    const style = /<style>(.*?)<\/style>/s.exec(page)![1]!;
    const hash = createHash("sha256").update(style).digest("base64");
    expect(page).toContain(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`);
    expect(style).not.toMatch(/url\(|@import/);
    expect(page).not.toMatch(/\s(?:src|style|on\w+)=/);
  });

  it("has headings in their order, and a name and column headings for each table", async () => {
    const page = await pageWith("text");
    const levels = [...page.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    for (const [at, level] of levels.entries()) if (at > 0) expect(level).toBeLessThanOrEqual(levels[at - 1]! + 1);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of page.matchAll(/<table aria-labelledby="([^"]+)">\n<thead><tr><th scope="col"/g))
      expect(ids).toContain(id);
    expect(page.match(/<table/g)!.length).toBe(
      page.match(/<table aria-labelledby="[^"]+">\n<thead><tr><th scope="col"/g)!.length,
    );
    for (const [, id] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id);
  });

  it("shows the state of a step that may have run, and the command that lists it, in this store", async () => {
    const page = await pageWith("text");
    expect(page).toContain("A step may have run, and nobody is executing it.");
    expect(page).toContain("continuity resolve --file text --project one</code>");
  });

  it("lists three thousand tasks folded, and cuts a text of a hundred thousand characters", async () => {
    const many = await pageWith("text", 3000);
    expect(
      many.match(/<details class="group"><summary><h3 id="p\d-tasks">Tasks <span class="count">3,000/g),
    ).toHaveLength(2);
    const project = {
      needs: "damaged",
      project_id: "p",
      workflow_id: null,
      code: "damaged",
      message: "x".repeat(100_000),
    } as const;
    const page = renderWorkPage({ place: "store", at: NOW, projects: [project], store: [] });
    expect(page).toContain("… <small>(100,000 characters)</small>");
    expect(page.length).toBeLessThan(25_000);
  });
});

it("names tasks that the state no longer has from the ledger", async () => {
  const { continuity } = await storeWith("text");
  const project = await continuity.project("one");
  const { active_task } = await project.activeWork();
  await project.completeTask({ task_id: active_task!.task_id });
  const events = await listEvents(project);
  const names = await namesFor(project, await project.state(), events);
  const started = events.find(({ event_type }) => event_type === "task_started")!;
  expect(eventText(started, names)).toBe("started: text");
  expect(eventText(started, new Map())).toBe(`started: ${String(started.data["task_id"])}`);
  await continuity.close();
});
