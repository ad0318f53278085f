import fc from "fast-check";
import { describe, it } from "vitest";
import { commandsFor, System } from "./commands.ts";
import { Disk } from "./disk.ts";
import type { SessionKind } from "./kind.ts";
import { historyLines } from "./lines.ts";
import { WRITERS } from "./messages.ts";
import { Oracle } from "./oracle.ts";

const RETENTION = 2;

/** Operations in any order, kills among them, on one implementation of Session against the oracle. */
export function anyOrder(kind: SessionKind, runs: number): void {
  describe(`any order of operations on ${kind.name}`, () => {
    it("the history is valid, nothing real is lost, the retention holds, a rollback restores exactly", async () => {
      const { user, says } = WRITERS[kind.format];
      const history = [user("first"), says("second")];
      await fc.assert(
        fc.asyncProperty(fc.commands(commandsFor(kind), { maxCommands: 30, size: "max" }), async (all) => {
          const disk = new Disk(kind, RETENTION, history);
          try {
            await fc.asyncModelRun(async () => {
              const system = new System(disk);
              await system.start();
              return { model: new Oracle(RETENTION, historyLines(history)), real: system };
            }, all);
          } finally {
            disk.remove();
          }
        }),
        { numRuns: runs },
      );
    });
  });
}
