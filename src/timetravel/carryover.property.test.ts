import fc from "fast-check";
import { expect, test } from "vitest";
import { Talk } from "../../harness/arbitrary/talk.ts";
import { unquoted } from "../base/quoted.ts";
import { buildCarryover } from "./carryover.ts";
import { canGoTo } from "./closed.ts";
import { History, textOfNode } from "./history.ts";
import { resolveTarget } from "./target.ts";

/** What happens next in a session; a number chooses a place or how it happens. */
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("asks" as const), words: fc.string({ unit: "binary" }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("calls" as const), words: fc.string() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("answers" as const), words: fc.string() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("moves" as const), place: fc.nat(1000) }) },
  fc.record({ kind: fc.constantFrom("system" as const, "killed" as const, "failed" as const, "command" as const) }),
);

/** What a model reads on the way to the present end, without the reminders of what was answered. */
function view(history: History): string {
  return history
    .path()
    .map((node) =>
      node.role === "note" ? unquoted(`> ${textOfNode(node).replaceAll("> - <", "> - ")}`) : textOfNode(node),
    )
    .join("\n");
}

// The plain model: what was asked is open until the next answer; moves, kills, reports and commands change nothing.
test("no word of a person that nobody has answered is missing, whatever moves are made; the text depends on the rows only", () => {
  let moves = 0;
  fc.assert(
    fc.property(fc.array(event, { minLength: 2, maxLength: 40 }), (events) => {
      const talk = new Talk();
      let open: string[] = [];
      for (const [nth, next] of events.entries()) {
        switch (next.kind) {
          case "asks":
            open.push(`<${nth}>${next.words.toWellFormed()}<end ${nth}>`);
            talk.says(open.at(-1)!);
            break;
          case "calls":
            talk.calls("exec", { command: next.words });
            break;
          case "answers":
            talk.answers(`answer ${next.words}`);
            open = [];
            break;
          case "system":
            talk.system();
            break;
          case "killed":
            talk.killed("exec", { command: `killed ${nth}` });
            break;
          case "failed":
            talk.message("assistant", [{ type: "text", text: "half" }], { stopReason: "error" });
            break;
          case "command":
            talk.command(`/timeline ${nth}`);
            break;
          case "moves": {
            const before = talk.history();
            const places = before.nodes().filter((node) => canGoTo(before, node));
            const target = resolveTarget(before, places[next.place % (places.length + 1)]?.id ?? "root");
            const { leaf } = talk;
            const at = talk.entries.length;
            const text = talk.moves(target, `note ${nth}`);
            moves += 1;
            // Made again from a copy of the rows it is the same.
            const departed = new History(structuredClone(talk.entries.slice(0, at + 2)), `e${at + 1}`);
            expect(buildCarryover(departed, target, `note ${nth}`).text).toBe(text);
            expect(text).toContain(`note ${nth}`);
            expect(leaf).not.toBe(talk.leaf);
            break;
          }
        }
        const seen = view(talk.history());
        for (const words of open) expect(seen).toContain(words.trim());
      }
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) },
  );
  expect(moves).toBeGreaterThan(100);
});

test("turns are counted alike before and after a move to the end of a turn", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("asks", "calls", "answers", "system"), { maxLength: 30 }),
      fc.nat(),
      (events, n) => {
        const talk = new Talk();
        for (const [nth, next] of events.entries()) {
          if (next === "asks") talk.says(`question ${nth}`);
          else if (next === "calls") talk.calls("exec", { command: `${nth}` });
          else if (next === "answers") talk.answers(`answer ${nth}`);
          else talk.system();
        }
        talk.says("the last question");
        const before = talk.history();
        const open = buildCarryover(before, resolveTarget(before, "root"), "x").questionIds.length;
        const asked = `turn:-${1 + (n % open)}`;
        const target = resolveTarget(before, asked);
        talk.moves(target, "a note");
        // Of the messages that came along, the first one stands where it stood.
        expect(resolveTarget(talk.history(), asked).nodeId).toBe(target.nodeId);
      },
    ),
  );
});
