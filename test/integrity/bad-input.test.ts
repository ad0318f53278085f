/** Arguments that cannot be used: each is refused at once, with what was expected, what was found and what to do. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSessionIntegrity,
  cycleMessages,
  IntegrityError,
  JsonlSession,
  MemorySession,
  openJournal,
  openSoundJournal,
  type Journal,
  type SessionIntegrity,
} from "../../src/integrity/index.ts";

let journal: Journal;
let integrity: SessionIntegrity;
let folder: string;
beforeEach(() => {
  journal = openJournal(":memory:");
  integrity = createSessionIntegrity({ journal });
  folder = mkdtempSync(join(tmpdir(), "bad-input-"));
});
afterEach(() => {
  journal.close();
  rmSync(folder, { recursive: true });
});

type Any = never;
const session = () => new MemorySession({ id: "s", messages: [{ role: "user", content: "Hello" }] });
const use = { type: "tool_use", id: "toolu_1", name: "exec", input: {} } as const;
const tool = { execute: () => "ran" };

const IS_TOLD = /^expected .+; found .+\. .+\.$/s;
async function refused(work: () => unknown, code: string, words: RegExp): Promise<void> {
  const error = await Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(IntegrityError);
  expect(error).toMatchObject({ code, message: expect.stringMatching(IS_TOLD) as string });
  expect((error as Error).message).toMatch(words);
}

const METHODS = [
  "validate",
  "checkpoint",
  "checkpoints",
  "executeToolCycle",
  "handleError",
  "repair",
  "rollback",
  "reset",
  "recover",
  "guardCall",
] as const;

describe.each(METHODS)("%s", (method) => {
  const call = (given: unknown): unknown =>
    (integrity[method] as (...all: unknown[]) => unknown)(given, ...(method === "guardCall" ? [() => 1] : [use, tool]));

  it.each([undefined, null, 5, "s", [], {}, { id: "s" }, { id: "s", format: "anthropic", messages: "none" }])(
    "refuses %j in place of a session",
    (given) => refused(() => call(given), "bad-input", /a session/),
  );

  it("refuses an own session without its methods, and names one", () =>
    refused(() => call({ id: "s", format: "anthropic", messages: [] }), "bad-input", /without a method append/));
});

it("refuses null in place of options", async () => {
  const methods: [string, (...all: Any[]) => unknown, unknown[]][] = [
    ["validate", integrity.validate, []],
    ["executeToolCycle", integrity.executeToolCycle, [use, tool]],
    ["repair", integrity.repair, []],
    ["rollback", integrity.rollback, ["id"]],
    ["reset", integrity.reset, []],
    ["guardCall", integrity.guardCall, [() => 1]],
  ];
  for (const [name, method, given] of methods)
    await refused(
      () => method(...([session(), ...given, null] as Any[])),
      "bad-input",
      new RegExp(`options of ${name}`),
    );
});

it("refuses operations, strategies, signals, functions and ids that are none", async () => {
  for (const operation of ["x", undefined, null, 5])
    await refused(
      () => integrity.checkpoint(session(), operation as Any),
      "bad-input",
      /tool_cycle, compaction, api_call, manual/,
    );
  await refused(
    () => integrity.repair(session(), { strategy: "x" as Any }),
    "bad-input",
    /remove_orphans, reconstruct, truncate/,
  );
  for (const signal of [5, null, {}])
    await refused(
      () => integrity.executeToolCycle(session(), use, tool, { signal: signal as Any }),
      "bad-input",
      /AbortSignal/,
    );
  await refused(
    () => integrity.executeToolCycle(session(), use, tool, { thrown: "x" as Any }),
    "bad-input",
    /roll_back, record/,
  );
  for (const send of [5, undefined, {}])
    await refused(() => integrity.guardCall(session(), send as Any), "bad-input", /send\(messages, gate\)/);
  for (const id of [undefined, null, 5]) {
    await refused(() => integrity.rollback(session(), id as Any), "bad-input", /id of a checkpoint/);
    await refused(() => integrity.checkpoints(session()).commit(id as Any), "bad-input", /id of a checkpoint/);
  }
});

it("refuses sessions and instances that cannot work", async () => {
  for (const options of [undefined, null, {}, { id: "" }, { id: 5 }])
    await refused(() => new MemorySession(options as Any), "bad-input", /an id of the session/);
  await refused(() => new MemorySession({ id: "s", messages: "Hello" as Any }), "bad-input", /a list of messages/);
  await refused(() => new MemorySession({ id: "s", store: {} as Any }), "bad-input", /MemoryStore/);
  const file = JsonlSession.create(join(folder, "s.jsonl"), { format: "anthropic" });
  for (const one of [session(), file])
    for (const change of ["append", "replaceMessages"] as const)
      await refused(
        () => one[change]({ role: "user", content: "Hello" } as Any),
        "bad-input",
        /a list of messages; found an object/,
      );
  for (const options of [undefined, null, {}, { journal: null }, { journal: {} }])
    await refused(() => createSessionIntegrity(options as Any), "bad-config", /an open journal/);
  for (const [options, words] of [
    [{ config: null }, /`config`/],
    [{ config: "x" }, /`config`/],
    [{ onEvent: 5 }, /`onEvent`/],
    [{ log: 5 }, /`log`/],
  ] as const)
    await refused(() => createSessionIntegrity({ journal, ...options } as Any), "bad-config", words);
});

it("refuses a history without a format or messages for cycleMessages", async () => {
  for (const target of [undefined, null, {}, { format: "anthropic" }])
    await refused(() => cycleMessages(target as Any, use, []), "bad-input", /form of the messages|a list of messages/);
});

describe("a journal", () => {
  it("without a name, or with null in place of options, is refused", () => {
    for (const open of [openJournal, openSoundJournal]) {
      expect(() => open("")).toThrow(/^expected the path of a journal, or ":memory:" .*; found an empty text/);
      expect(() => open(":memory:", null as Any)).toThrow(/^expected an object with the options of openJournal/);
    }
  });

  it("that was closed is told as such", async () => {
    journal.close();
    const closed = { code: "closed", message: expect.stringMatching(/which this program has closed/) as string };
    await expect(integrity.executeToolCycle(session(), use, tool)).rejects.toMatchObject(closed);
    await expect(integrity.recover(session())).rejects.toMatchObject(closed);
    await expect(integrity.checkpoint(session(), "manual")).rejects.toMatchObject(closed);
    await expect(integrity.guardCall(session(), async () => 1)).rejects.toMatchObject(closed);
  });

  it("whose later pages are garbage opens, and stops no start of a program that opens it with openSoundJournal", async () => {
    const file = join(folder, "journal.sqlite");
    const whole = openJournal(file);
    const library = createSessionIntegrity({ journal: whole });
    for (let at = 0; at < 20; at++)
      await library.executeToolCycle(
        new MemorySession({ id: `s${at}` }),
        { ...use, id: `toolu_${at}` },
        { execute: () => "x".repeat(3000) },
      );
    whole.close();
    const bytes = readFileSync(file);
    for (let at = 4096; at < bytes.length; at++) bytes[at] = (at * 31) & 255;
    writeFileSync(file, bytes);

    const damaged = openJournal(file);
    await expect(createSessionIntegrity({ journal: damaged }).recover(session())).rejects.toMatchObject({
      code: "damaged",
    });
    damaged.close();

    const moved: string[] = [];
    for (let start = 0; start < 2; start++) {
      const sound = openSoundJournal(file, { onSetAside: (to) => moved.push(to) });
      expect(await createSessionIntegrity({ journal: sound }).recover(session())).toEqual({ recovered: [] });
      sound.close();
    }
    expect(moved).toHaveLength(1);
    expect(readFileSync(moved[0]!)).toEqual(bytes);
    expect(readdirSync(folder)).toHaveLength(2);
  });
});
