/** A valid conversation, and the faults that a kill, a limit or a program puts into what is stored of it. */
import type { Call, Step } from "./forms.ts";

const user = (text: string): Step => ({ kind: "user", text });
const assistant = (text: string, ...calls: Call[]): Step => ({ kind: "assistant", text, calls });
const result = (id: string, name: string, text: string | null): Step => ({ kind: "result", id, name, text });
const pay = (id: string, invoice: number): Call => ({ id, name: "pay", input: { invoice } });
const list = (id: string, input: unknown = { path: "/home" }, name = "ls"): Call => ({ id, name, input });

/** Two calls with results, an answer, a further call with its result, and a last question. */
export const VALID: readonly Step[] = [
  user("Pay invoices 17 and 18, please."),
  assistant("On it.", pay("c1", 17), pay("c2", 18)),
  result("c1", "pay", "paid ref AX71"),
  result("c2", "pay", "paid ref BX82"),
  assistant("Both are paid."),
  user("Now list the files."),
  assistant("", list("c3")),
  result("c3", "ls", "file CQ93.txt"),
  user("Are you there?"),
];

const without = (...at: number[]): Step[] => VALID.filter((_, index) => !at.includes(index));
const changed = (at: Readonly<Record<number, Step>>): Step[] => VALID.map((step, index) => at[index] ?? step);
function moved(from: number, to: number): Step[] {
  const steps = [...VALID];
  steps.splice(to, 0, ...steps.splice(from, 1));
  return steps;
}

const LONG = `call_${"x".repeat(80)}|fc_00|odd id`;

/** The faults by what they are; each is valid in some forms. */
export const FAULTS: Readonly<Record<string, readonly Step[]>> = {
  "results whose calls were cut off at the beginning": without(0, 1),
  "a result whose call is gone": without(6),
  "one of two results is missing": without(3),
  "a kill before the last result": without(7),
  "a kill before the last result, at the end of the list": VALID.slice(0, 7),
  "a call whose arguments were cut off": changed({ 6: assistant("", list("c3", '{"path":"/ho')) }).filter(
    (_, at) => at !== 7,
  ),
  "cut arguments and a result": changed({ 6: assistant("", list("c3", '{"path":"/ho')) }),
  "a result that is stored twice": [...VALID.slice(0, 3), VALID[2]!, ...VALID.slice(3)],
  "an id that is used again": changed({ 6: assistant("", list("c1")), 7: result("c1", "ls", "file CQ93.txt") }),
  "a result behind the answer": moved(3, 4),
  "a result before its call": moved(2, 1),
  "an answer that is stored twice": [...VALID.slice(0, 2), VALID[1]!, ...VALID.slice(2)],
  "a question between a call and its result": [...VALID.slice(0, 2), user("Hello? BETWEEN"), ...VALID.slice(2)],
  "messages that say nothing": [...VALID.slice(0, 4), assistant(""), user(""), ...VALID.slice(4)],
  "ids of another API": changed({
    1: assistant("On it.", pay(`${LONG}1`, 17), pay(`${LONG}2`, 18)),
    2: result(`${LONG}1`, "pay", "paid ref AX71"),
    3: result(`${LONG}2`, "pay", "paid ref BX82"),
  }),
  "a call without id and name": changed({
    6: assistant("", list("", { path: "/home" }, "")),
    7: result("", "", "file CQ93.txt"),
  }),
  "missing arguments and a result that is null": changed({
    6: assistant("", { id: "c3", name: "ls", input: undefined }),
    7: result("c3", "ls", null),
  }),
};

/** The words of a conversation: what is said, the values of arguments, what results say. */
export function listWords(steps: readonly Step[]): string[] {
  return steps
    .flatMap((step) => {
      if (step.kind !== "assistant") return [step.text ?? ""];
      return [step.text, ...step.calls.flatMap(({ input }) => listValues(input))];
    })
    .filter((text) => text !== "");
}

function listValues(input: unknown): string[] {
  if (typeof input === "string") return ["/ho"];
  return Object.values((input ?? {}) as object).map(String);
}
