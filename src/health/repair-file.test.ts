import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { anyHistory, corruptHistory } from "../../harness/arbitrary/history.ts";
import { result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { fileSummary, readFileRows } from "../store/catalog/files.ts";
import { openCatalog, restoreFile } from "../store/index.ts";
import { isObject } from "../transcript/json/json.ts";
import { toConversation, examine, repairStored } from "./index.ts";
import { mend } from "./mend.ts";
import type { RepairedSession, RepairStoredOptions } from "./repair.ts";

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 60);

let folder: string;
let file: string;
beforeEach(() => {
  folder = newFolder();
  file = join(folder, "s.jsonl");
});

const repairIt = (options: Partial<RepairStoredOptions> = {}): Promise<RepairedSession> => {
  const root = (): string => {
    throw new Error("a file needs no OpenClaw");
  };
  return repairStored(openCatalog(folder), fileSummary(file), { stateDirectory: folder, root, ...options });
};
const conversation = () => toConversation(readFileRows(fileSummary(file)), { sessionId: "s" });

/** What OpenClaw may have written between two messages, and what of it a model is sent. */
const between = fc.constantFrom(
  { type: "custom_message", customType: "note", content: "between", display: true },
  { type: "branch_summary", fromId: "root", summary: "elsewhere" },
  { type: "model_change", provider: "anthropic", modelId: "m" },
  { type: "custom", customType: "cache", data: {} },
  undefined,
  undefined,
);

function makeRows(messages: readonly unknown[], others: readonly unknown[]): Record<string, unknown>[] {
  const entries = messages.flatMap((message, at) => [
    { type: "message", message },
    ...(others[at] === undefined ? [] : [others[at] as object]),
  ]);
  const rows = entries.map((entry, at) => ({
    ...entry,
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    timestamp: new Date(at * 1000).toISOString(),
  }));
  return [{ type: "session", version: 3, id: "s", timestamp: "2026-02-05T00:00:00.000Z", cwd: "/" }, ...rows];
}

describe("the repair of a transcript file", () => {
  it("OpenClaw's own reply at the end gets its parent in place: no copy for each chat command", async () => {
    const rows = makeRows([user("heron"), says("yes")], []);
    const reply = { type: "message", id: "r", message: { ...says("status"), stopReason: "injected" } };
    writeFileSync(file, [...rows, reply].map((row) => `${JSON.stringify(row)}\n`).join(""));
    const { ino } = statSync(file);
    await repairIt();
    expect(conversation().messages).toEqual([user("heron"), says("yes"), reply.message]);
    expect(statSync(file).ino).toBe(ino);
    expect(readdirSync(folder)).toEqual(["s.jsonl"]);
  });

  it("any history: the conversation is as the rules have it, what stood between stands there, every row is still in the file, twice changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          anyHistory,
          corruptHistory.map(({ messages }) => messages),
        ),
        fc.array(between, { maxLength: 12 }),
        async (messages, others) => {
          writeFileSync(
            file,
            makeRows(messages, others)
              .map((row) => `${JSON.stringify(row)}\n`)
              .join(""),
          );
          const before = conversation();
          const rows = readFileRows(fileSummary(file)).rows;
          const { action, after } = await repairIt();
          const repaired = conversation();
          // Turns that failed are left out by OpenClaw, and are no reason to touch a session.
          const expected =
            action === "sound"
              ? before.messages.map((message) => JSON.stringify(message))
              : conversationAfter(before.messages);
          expect(repaired.messages.map((message) => JSON.stringify(message))).toEqual(expected);
          expect(othersIn(repaired.path)).toEqual(othersIn(before.path));
          const old = new Set(before.path.map(({ id }) => id));
          expect(pairsSplitIn(repaired.path).filter(({ id }) => !old.has(id))).toEqual([]);
          if (action === "repaired")
            expect(after).toEqual(examine(readFileRows(fileSummary(file)), { sessionId: "s" }));
          const stored = new Set(readFileRows(fileSummary(file)).rows.map((row) => JSON.stringify(row)));
          if (before.entries.length === 0) expect(rows.filter((row) => !stored.has(JSON.stringify(row)))).toEqual([]);
          const bytes = readFileSync(file, "utf8");
          expect((await repairIt()).action).not.toBe("repaired");
          expect(readFileSync(file, "utf8")).toBe(bytes);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("an archive of the file as it was lies beside it, and brings it back byte for byte", async () => {
    writeFileSync(file, toTranscript([user("go"), says("yes"), result("toolu_lost", "of nothing")]), { mode: 0o600 });
    const bytes = readFileSync(file, "utf8");
    const { action, archive, before, after, repairs } = await repairIt();
    expect({
      action,
      before: before.violations.length,
      after: after?.violations,
      repairs: repairs.map((each) => each.action),
    }).toEqual({ action: "repaired", before: 1, after: [], repairs: ["remove_orphan"] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toHaveLength(2);
    restoreFile({ archive: archive! });
    expect(readFileSync(file, "utf8")).toBe(bytes);
  });

  it("a dry run changes nothing and makes nothing", async () => {
    writeFileSync(file, toTranscript([user("go"), result("toolu_lost", "of nothing")]));
    const bytes = readFileSync(file, "utf8");
    expect(await repairIt({ dryRun: true })).toMatchObject({
      action: "would-repair",
      repairs: [{ action: "remove_orphan" }],
    });
    expect(readFileSync(file, "utf8")).toBe(bytes);
    expect(readdirSync(folder)).toEqual(["s.jsonl"]);
  });

  it("a file without a header, with lines that are no JSON and a last one cut off can be loaded again", async () => {
    const [, ...rows] = toTranscript([user("go"), says("yes")])
      .trimEnd()
      .split("\n");
    writeFileSync(file, [rows[0], "no JSON", rows[1], '{"type":"mess'].join("\n"));
    expect(await repairIt()).toMatchObject({
      action: "repaired",
      before: { unreadable: 1, torn: 13, entries: ["missing_header"] },
      after: { unreadable: 0, torn: 0, entries: [], messages: 2 },
    });
  });

  it("a last line that is whole and was not ended stays one", async () => {
    writeFileSync(file, toTranscript([user("go"), result("toolu_lost", "of nothing")]).trimEnd());
    expect(await repairIt()).toMatchObject({ action: "repaired", after: { messages: 1, violations: [] } });
  });

  it("a transcript that is a link stays one, and what it leads to is repaired", async () => {
    const elsewhere = join(folder, "elsewhere");
    writeFileSync(elsewhere, toTranscript([user("go"), result("toolu_lost", "of nothing")]));
    symlinkSync(elsewhere, file);
    expect(await repairIt()).toMatchObject({ action: "repaired" });
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, "utf8").split("\n").length).toBe(5);
  });

  it("each strategy does what it says", async () => {
    const history = toTranscript([
      user("go"),
      says("yes"),
      result("toolu_lost", "of something"),
      user("and?"),
      says("no"),
    ]);
    const lengths: number[] = [];
    for (const strategy of ["remove_orphans", "reconstruct", "truncate"] as const) {
      writeFileSync(file, history);
      lengths.push((await repairIt({ strategy })).after!.messages);
    }
    expect(lengths).toEqual([4, 6, 2]);
  });

  it("is refused while OpenClaw answers in the session, and changes nothing", async () => {
    writeFileSync(file, toTranscript([user("go"), result("toolu_lost", "of nothing")]));
    const bytes = readFileSync(file, "utf8");
    writeFileSync(`${file}.lock`, JSON.stringify({ pid: process.ppid, createdAt: new Date().toISOString() }));
    await expect(repairIt()).rejects.toMatchObject({ code: "session-busy" });
    expect(readFileSync(file, "utf8")).toBe(bytes);
    expect(existsSync(`${file}.lock`)).toBe(true);
  });
});

function conversationAfter(messages: readonly unknown[]): string[] {
  // Put into a form that OpenClaw reads, as every row is.
  const { messages: readable } = toConversation(
    { rows: makeRows(mend(messages, "remove_orphans").messages, []), unreadable: 0, torn: 0 },
    { sessionId: "s" },
  );
  return readable.map((message) => JSON.stringify(message));
}

function othersIn(path: readonly Record<string, unknown>[]): unknown[] {
  return path
    .filter(({ type, customType }) => type !== "message" && customType !== "openclaw-integrity")
    .map(({ id: _id, parentId: _parent, timestamp: _time, ...rest }) => rest);
}

/** Entries that a model is sent and that stand between a call and its result. */
function pairsSplitIn(path: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return path.filter(
    ({ type }, at) =>
      (type === "custom_message" || type === "branch_summary") &&
      isResult(path.slice(at).find(({ message }) => message !== undefined)),
  );
}

function isResult(entry: Record<string, unknown> | undefined): boolean {
  return isObject(entry?.["message"]) && entry["message"]["role"] === "toolResult";
}
