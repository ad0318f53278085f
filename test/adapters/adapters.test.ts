/** What each adapter gives its framework; scripts/frameworks has the frameworks themselves. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { FAULTS, VALID, listWords } from "../../harness/lists/faults.ts";
import { RENDER, makeRequests } from "../../harness/lists/forms.ts";
import { listViolations } from "../../harness/providers/index.ts";
import { repair, type ListChange } from "../../src/lists/index.ts";
import { ADAPTERS, Message } from "./forms.ts";

// The package is not among what this project installs: the data goes through the adapter, no class of LangChain's.
vi.mock("@langchain/core/messages", () => ({
  mapStoredMessagesToChatMessages: (stored: object[]) => stored.map((one) => new Message(one)),
}));

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 100);
const ask = { kind: "user", text: "Go on." } as const;

describe.each(ADAPTERS)("$name", ({ form, repair: adapt }) => {
  it("gives a valid list as it is, or a framework would send or store another one", async () => {
    const valid = RENDER[form](VALID);
    const onRepairs = vi.fn();
    expect(await adapt(valid, { onRepairs })).toBe(valid);
    const empty: object[] = [];
    expect(await adapt(empty, { onRepairs })).toBe(empty);
    expect(onRepairs).not.toHaveBeenCalled();
  });

  it.each(Object.entries(FAULTS))("gives what providers take, and says so: %s", async (fault, steps) => {
    const given = RENDER[form]([...steps, ask]);
    const before = JSON.stringify(given);
    const told: ListChange[][] = [];
    const repaired = await adapt(given, { onRepairs: (changes) => told.push(changes) });
    expect(JSON.stringify(given)).toBe(before);
    const refusals = makeRequests(form, repaired).flatMap(([api, body]) => listViolations(api, body));
    // LangChain itself keeps a call that it could not read apart from others; whether it is sent is up to its client.
    if (form === "langchain" && fault === "cut arguments and a result") expect(repaired).toBe(given);
    else expect(refusals).toEqual([]);
    expect(repaired).toMatchObject(repair(given).messages);
    expect(repaired).toHaveLength(repair(given).messages.length);
    expect(told.length).toBe(repaired === given ? 0 : 1);
    expect(await adapt(repaired)).toBe(repaired);
    const unchanged = new Set(given.map((row) => JSON.stringify(row)));
    for (const row of repaired) if (unchanged.has(JSON.stringify(row))) expect(given).toContain(row);
  });

  it("removes results without a call where it is told to", async () => {
    const steps = FAULTS["a result whose call is gone"]!;
    const repaired = await adapt(RENDER[form]([...steps, ask]), { strategy: "remove_orphans" });
    expect(JSON.stringify(repaired)).not.toContain("CQ93");
  });

  it("leaves rows of which it knows nothing, where repair ends the framework's run with a TypeError", async () => {
    const unknown = [{ role: "session_meta", tools: [] }, { kind: "note" }];
    const list: object[] = form === "langchain" ? unknown.map((data) => ({ type: "of-an-extension", data })) : unknown;
    expect(() => repair(list)).toThrow(TypeError);
    expect(await adapt(list)).toBe(list);
  });

  it("loses no word of a list that was cut, repeated and moved, and gives it the second time as it is", async () => {
    const edit = fc.tuple(fc.constantFrom("drop", "repeat", "move"), fc.nat(), fc.nat());
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 5 }), async (edits) => {
        const given = edits.reduce<object[]>((list, [kind, at, to]) => {
          const row = list[at % list.length];
          if (row === undefined) return list;
          const rest = list.toSpliced(at % list.length, kind === "repeat" ? 0 : 1);
          return kind === "drop" ? rest : rest.toSpliced(to % (rest.length + 1), 0, structuredClone(row));
        }, RENDER[form](VALID));
        const asked = [...given, ...RENDER[form]([ask])];
        const before = JSON.stringify(asked);
        const repaired = await adapt(asked);
        const said = JSON.stringify(repaired);
        for (const word of listWords(VALID)) if (before.includes(word)) expect(said).toContain(word);
        expect(makeRequests(form, repaired).flatMap(([api, body]) => listViolations(api, body))).toEqual([]);
        expect(await adapt(repaired)).toBe(repaired);
      }),
      { numRuns: RUNS },
    );
  });
});
