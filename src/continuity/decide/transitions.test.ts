import { describe, expect, it } from "vitest";
import { PROGRAM } from "../base/author.ts";
import type { Task, TaskStatus } from "../base/state.ts";
import { assertTransition, TRANSITIONS } from "./transitions.ts";

/** The allowed changes of a task's status, written a second time by hand. */
const ALLOWED = new Set([
  "todo>doing",
  "doing>blocked",
  "doing>done",
  "doing>todo",
  "blocked>doing",
  "blocked>todo",
  "done>doing",
]);
const STATUSES: readonly TaskStatus[] = ["todo", "doing", "blocked", "done"];

const task = (status: TaskStatus): Task => ({
  task_id: "t1",
  goal_id: "g1",
  title: "the title",
  status,
  acceptance_criteria: [],
  depends_on: [],
  blockers: [],
  pause_reason: null,
  evidence: null,
  created_seq: 1,
  status_seq: 1,
  updated_at: "",
  author: PROGRAM,
  status_author: PROGRAM,
});

describe("the transitions of a task", () => {
  for (const from of STATUSES) {
    for (const to of STATUSES) {
      const allowed = ALLOWED.has(`${from}>${to}`);
      it(`${from} to ${to} is ${allowed ? "allowed" : "refused, with what would be allowed"}`, () => {
        const attempt = (): void => assertTransition(task(from), to);
        if (allowed) expect(attempt).not.toThrow();
        else
          expect(attempt).toThrow(
            expect.objectContaining({
              code: "invalid-transition",
              message: expect.stringMatching(
                new RegExp(
                  `t1.*the title.*becomes ${to}; found it is ${from}\\. From ${from} it can become ${TRANSITIONS[from].join(" or ")}`,
                ),
              ),
            }),
          );
      });
    }
  }
});
