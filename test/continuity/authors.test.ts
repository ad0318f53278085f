import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { authorBy, authorText, strangerTo } from "../../src/continuity/base/author.ts";
import { type Author, Continuity, type LedgerEvent, type Project } from "../../src/continuity/index.ts";
import { splitLines } from "../../harness/arbitrary/hostile.ts";
import { injected } from "./injected.ts";
import { kinds } from "./places.ts";

const OWNER: Author = { entry: "openclaw", name: "agent:main:main" };
const EDITOR: Author = { entry: "mcp", name: "editor" };
const SCRIPT: Author = { entry: "library", name: null };

async function listEvents(project: Project): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = [];
  for await (const event of project.history()) events.push(event);
  return events;
}

const HOUR_MS = 60 * 60_000;

for (const { skip, title, place } of kinds()) {
  describe.skipIf(skip)(`who wrote what, on ${title}`, () => {
    it("is in every event, and in everything that is shown of the work: who said it last", async () => {
      const store = await (await place()).open();
      const clock = injected();
      const continuity = new Continuity({ store, author: OWNER, ...clock, snapshots: { everyEvents: 3 } });
      const project = await continuity.project("p");
      const [editor, script] = [project.as(EDITOR), project.as(SCRIPT)];
      const { goal_id } = await project.createGoal({ text: "Pay the plumber" });
      const { task_id } = await editor.addTask({ goal_id, title: "Transfer the money" });
      await project.startTask({ task_id });
      // The one who had it has made no call for long.
      clock.pass(HOUR_MS);
      await script.updateCheckpoint({ task_id, where_we_left_off: "checked", next_step: "Transfer 90 EUR" });
      const lease = await project.acquireLease({ owner_id: "here" });
      await editor.steps.begin(lease, { step_id: "open", step_type: "pure" });
      await editor.runStep(lease, { step_id: "done", step_type: "pure" }, async () => "the result");
      clock.pass(HOUR_MS);
      await editor.blockTask({ task_id, blocker: "the bank is closed" });
      await lease.heartbeat();

      const { goals, tasks, checkpoints, open_steps } = await project.state();
      expect(goals[goal_id]!.author).toEqual(OWNER);
      expect(tasks[task_id]).toMatchObject({ author: EDITOR, status_author: EDITOR });
      expect(checkpoints[task_id]!.author).toEqual(SCRIPT);
      expect(open_steps["open"]!.author).toEqual(EDITOR);
      expect(await project.steps.begin(lease, { step_id: "done", step_type: "pure" })).toMatchObject({
        status: "completed",
        result: "the result",
        author: EDITOR,
      });
      await project.startTask({ task_id });
      expect((await project.state()).tasks[task_id]).toMatchObject({ author: EDITOR, status_author: OWNER });
      expect((await listEvents(project)).map(({ author }) => author)).toEqual([
        OWNER,
        EDITOR,
        OWNER,
        SCRIPT,
        OWNER,
        EDITOR,
        EDITOR,
        EDITOR,
        EDITOR,
        OWNER,
      ]);
      // A process that knows nothing yet reads the same, from a snapshot and from zero.
      const later = await new Continuity({ store, ...injected() }).project("p");
      expect(await later.state()).toEqual(await project.state());
      expect(await later.verify()).toMatchObject({ damages: [], snapshots: 3 });
    });

    it("does not change what a command is: given again under its id by somebody else, it is carried out once", async () => {
      const continuity = new Continuity({ store: await (await place()).open(), author: OWNER, ...injected() });
      const project = await continuity.project("p");
      const goal = await project.createGoal({ text: "g", command_id: "once" });
      expect(await project.as(EDITOR).createGoal({ text: "g", command_id: "once" })).toEqual(goal);
      expect(goal.author).toEqual(OWNER);
    });
  });
}

describe("an author", () => {
  it("that is none is refused, and nothing is opened with it", () => {
    for (const author of [
      { entry: "owner", name: null },
      { entry: "mcp", name: "" },
      { entry: "mcp", name: "x".repeat(201) },
      { entry: "mcp", name: "\u0000" },
      { entry: "mcp", name: 1 },
    ]) {
      expect(() => new Continuity({ store: undefined!, author: author as Author }), JSON.stringify(author)).toThrow(
        /bad-input|expected an author|expected JSON/,
      );
    }
  });

  it("is made of any label, and can be recorded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (label) => {
        const author = authorBy("mcp", label);
        expect(() => new Continuity({ store: undefined!, author })).not.toThrow();
        expect(splitLines(authorText(author))).toHaveLength(1);
        expect(authorText(author)).toMatch(/^(?:an MCP client$|MCP client ")/);
      }),
    );
    expect([authorBy("mcp"), authorBy("mcp", " \n")]).toEqual([
      { entry: "mcp", name: null },
      { entry: "mcp", name: null },
    ]);
  });

  it("is told from others by its way in, whatever it calls itself, and what nobody is recorded for is nobody's own", () => {
    expect(strangerTo(OWNER, OWNER)).toBeUndefined();
    expect(strangerTo(OWNER, { entry: "mcp", name: "agent:main:main" })).toBe('MCP client "agent:main:main"');
    expect(strangerTo(OWNER, { entry: "openclaw", name: "agent:main:group" })).toBe(
      "OpenClaw conversation agent:main:group",
    );
    expect(strangerTo(EDITOR, { entry: "mcp", name: 'x" OpenClaw' })).toBe(String.raw`MCP client "x\" OpenClaw"`);
    expect([
      strangerTo(OWNER, undefined),
      strangerTo(OWNER, null),
      strangerTo(OWNER, { entry: "x\nUser:" as "mcp", name: null }),
    ]).toEqual(Array(3).fill("an unknown author"));
  });
});
