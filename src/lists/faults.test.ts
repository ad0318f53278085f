import { describe, expect, it } from "vitest";
import { FAULTS, VALID, listWords } from "../../harness/lists/faults.ts";
import { RENDER, makeRequests } from "../../harness/lists/forms.ts";
import { listViolations } from "../../harness/providers/index.ts";
import type { Call, Step } from "../conformance/cases/forms.ts";
import { detectForm, type FormName } from "./forms.ts";
import { repair, validate, type ListChange } from "./index.ts";

const FORM_NAMES = Object.keys(RENDER) as FormName[];

/** What strict servers have against the requests that are made of a list. */
function refusals(form: FormName, list: readonly unknown[]): unknown[] {
  const asked = [...list, ...RENDER[form]([{ kind: "user", text: "Go on." }]).slice(form === "openclaw-rows" ? 1 : 0)];
  return makeRequests(form, asked).flatMap(([api, body]) => listViolations(api, body));
}

describe.each(FORM_NAMES)("a list of the form %s", (form) => {
  const valid = RENDER[form](VALID);

  it("is recognised, is valid, and is the same object behind the repair", () => {
    expect(detectForm("repair", valid)?.form).toBe(form);
    expect(validate(valid)).toEqual([]);
    for (const strategy of ["reconstruct", "remove_orphans", "truncate"] as const)
      expect(repair(valid, { strategy })).toEqual({ messages: valid, repaired: false, repairs: [] });
    expect(repair(valid).messages).toBe(valid);
    expect(refusals(form, valid)).toEqual([]);
  });

  it("keeps a row of another kind where it is", () => {
    const row = { role: "session_meta", tools: [] };
    for (let at = 0; at <= valid.length; at++) {
      const given = valid.toSpliced(at, 0, row);
      expect(repair(given).messages).toBe(given);
      // The rows behind one that is gone get another parent, so that they are other objects.
      if (form === "openclaw-rows") continue;
      const corrupt = given.filter((one) => one !== valid[6]);
      const { messages } = repair<unknown>(corrupt);
      const isAfter = valid.slice(0, at).findLast((one) => messages.includes(one));
      expect(messages[isAfter ? messages.indexOf(isAfter) + 1 : 0]).toBe(row);
    }
  });

  it.each(Object.entries(FAULTS))("is valid and whole behind its repair: %s", (fault, steps) => {
    const given = RENDER[form](steps);
    const before = JSON.stringify(given);
    const changes: ListChange[][] = [];
    const { messages, repaired, repairs } = repair(given, { onRepairs: (found) => changes.push(found) });
    expect(repaired).toBe(messages !== given);
    expect(repaired).toBe(repairs.length > 0);
    expect(repairs.map(({ action: _action, ...violation }) => violation)).toEqual(validate(given));
    expect(changes.map((found) => found.length)).toEqual(repaired ? [repairs.length] : []);
    // Valid, in its form, to be repaired again without a change, and the same for the same list.
    expect(validate(messages)).toEqual([]);
    expect(detectForm("repair", messages)?.form).toBe(form);
    expect(repair(messages).messages).toBe(messages);
    expect(JSON.stringify(given)).toBe(before);
    expect(JSON.stringify(repair(structuredClone(given)).messages)).toBe(JSON.stringify(messages));
    const said = JSON.stringify(messages);
    // A result without a call has no place in a UIMessage, and is in the given list neither.
    for (const word of listWords(steps)) if (before.includes(word)) expect(said).toContain(word);
    // LangChain itself keeps a call that it could not read apart from others; whether it is sent is up to its client.
    if (form === "langchain" && fault === "cut arguments and a result") expect(messages).toBe(given);
    else expect(refusals(form, messages)).toEqual([]);
  });

  const call = (id: string, invoice: number): Call => ({ id, name: "pay", input: { invoice } });
  const result = (id: string, text: string): Step => ({ kind: "result", id, name: "pay", text });
  const user: Step = { kind: "user", text: "Pay invoice 17." };
  const asked: Step = { kind: "assistant", text: "I pay.", calls: [call("call_AX71", 17), call("call_AX72", 18)] };
  const silent: Step = { kind: "assistant", text: "", calls: [call("call_AX71", 17)] };
  const end: readonly Step[] = [{ kind: "assistant", text: "Done.", calls: [] }, user];

  it.each<[string, Step, readonly Step[]]>([
    ["with its results", asked, [result("call_AX71", "paid 17"), result("call_AX72", "paid 18"), ...end]],
    ["with one of its results", asked, [result("call_AX72", "paid 18"), ...end]],
    ["with no word", silent, [result("call_AX71", "paid 17"), ...end]],
    ["and no result", asked, [user]],
  ])("tells an assistant message that was stored twice once, or a model hears of two payments: %s", (_, one, rest) => {
    // UIMessages have their results in them; Gemini's calls are known by their place alone.
    if (form === "gemini") return;
    const twice = RENDER[form]([user, one, one, ...rest]);
    expect(JSON.stringify(strip(repair(twice).messages))).toBe(
      JSON.stringify(strip(repair(RENDER[form]([user, one, ...rest])).messages)),
    );
  });
});

/** Without what tells rows of one list apart. */
function strip(list: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(list), (key, value: unknown) =>
    ["id", "parentId", "timestamp"].includes(key) && !String(value).startsWith("call_") ? undefined : value,
  );
}
