/** What one project's step makes of broken histories, and of those that real providers accepted. */
import { makeRequests } from "../../../harness/lists/forms.ts";
import { listViolations } from "../../../harness/providers/index.ts";
import { isObject } from "../../../src/transcript/json/json.ts";
import type { Message } from "./formats.ts";
import { loadAccepted, loadBroken, type Given } from "./histories.ts";
import type { Subject } from "./subjects.ts";

/** How many histories ended how; of each kind the sum is how many there are. */
export interface Deeds {
  readonly broken: { whole: number; lossy: number; refused: number; thrown: number };
  readonly accepted: { same: number; changed: number; lossy: number; thrown: number };
}

/** Gives the step every history. Strict servers judge, by the rules of the API that the form is rendered for. */
export async function tellDeeds(subject: Subject): Promise<Deeds> {
  const broken = { whole: 0, lossy: 0, refused: 0, thrown: 0 };
  for (const given of loadBroken()) broken[await judgeBroken(subject, given)]++;
  const accepted = { same: 0, changed: 0, lossy: 0, thrown: 0 };
  for (const given of loadAccepted()) accepted[await judgeAccepted(subject, given)]++;
  return { broken, accepted };
}

async function judgeBroken(subject: Subject, { messages, words }: Given): Promise<keyof Deeds["broken"]> {
  const asked: readonly Message[] = [...messages, { role: "user", content: "Go on." }];
  let requests: ReturnType<typeof makeRequests>;
  try {
    requests = render(subject, await subject.run(subject.from(structuredClone(asked))));
  } catch {
    return "thrown";
  }
  if (requests.some(([api, body]) => listViolations(api, body).length > 0)) return "refused";
  const sent = JSON.stringify(requests);
  return words.every((word) => sent.includes(JSON.stringify(word.trim()).slice(1, -1))) ? "whole" : "lossy";
}

async function judgeAccepted(subject: Subject, { messages }: Given): Promise<keyof Deeds["accepted"]> {
  const before = listStatements(render(subject, subject.from(structuredClone(messages))));
  let after: readonly string[];
  try {
    after = listStatements(render(subject, await subject.run(subject.from(structuredClone(messages)))));
  } catch {
    return "thrown";
  }
  if (before.length === after.length && before.every((one, at) => one === after[at])) return "same";
  const left = new Map<string, number>();
  for (const one of after) left.set(one, (left.get(one) ?? 0) + 1);
  const isLost = before.some((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count === 0;
  });
  return isLost ? "lossy" : "changed";
}

function render(subject: Subject, history: unknown): ReturnType<typeof makeRequests> {
  return makeRequests(subject.form, (subject.plain?.(history) ?? history) as readonly unknown[]);
}

/**
 * What is said, one text, call or result each: neighbours of one role that are joined say the same, and so does a call
 * under another id that its result has too.
 */
function listStatements(requests: ReturnType<typeof makeRequests>): readonly string[] {
  const ids = new Map<unknown, string>();
  const nameId = (id: unknown): string => {
    if (!ids.has(id)) ids.set(id, `id ${ids.size + 1}`);
    return ids.get(id)!;
  };
  const statements: string[] = [];
  const waiting: [role: string, value: unknown][] = requests
    .map(([, body]): [string, unknown] => ["", body["messages"] ?? body["input"]])
    .toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [role, value] = next;
    if (typeof value === "string") statements.push(...value.split("\n").map((line) => `${role}: ${line}`));
    else if (Array.isArray(value)) waiting.push(...value.map((one): [string, unknown] => [role, one]).toReversed());
    else if (isObject(value)) {
      const speaker = typeof value["role"] === "string" ? value["role"] : role;
      const { content, tool_calls: calls, text, output, type } = value;
      const id = value["tool_call_id"] ?? value["call_id"] ?? value["id"];
      const said = id === undefined ? speaker : `${speaker} ${nameId(id)}`;
      const called = value["function"] ?? (type === "function_call" ? [value["name"], value["arguments"]] : undefined);
      if (called !== undefined) statements.push(`${said}: ${JSON.stringify(called)}`);
      waiting.push([speaker, calls], [said, output], [said, text], [said, content]);
    }
  }
  return statements.filter((one) => !one.endsWith(": "));
}
