import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { loadCorpus, transcriptPath } from "../../harness/corpus/case.ts";
import { assistant, result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { inputHash, journalFile, openJournal } from "../journal/index.ts";
import { fileSummary, readFileRows } from "../store/catalog/files.ts";
import { openCatalog } from "../store/index.ts";
import { readOrigin } from "../transcript/origin.ts";
import { UNKNOWN_OUTCOME } from "../transcript/json/text.ts";
import { toConversation, repairStored, type RepairedSession } from "./index.ts";

const call = (id: string) => assistant({ type: "toolCall", id, name: "read", arguments: {} }, "toolUse");

let folder: string;
let file: string;
beforeEach(() => {
  folder = newFolder();
  file = join(folder, "s.jsonl");
});

async function repairIt(): Promise<RepairedSession> {
  const catalog = openCatalog(folder);
  try {
    return await repairStored(catalog, fileSummary(file), { stateDirectory: folder, root: () => "" });
  } finally {
    catalog.close();
  }
}
const stored = () =>
  toConversation(readFileRows(fileSummary(file)), { sessionId: "s" }).messages as Record<string, unknown>[];
const text = (message: unknown): unknown => (message as { content: { text: unknown }[] }).content[0]!.text;

/** A tool that was called, and what came of it before the process died. */
function journalled(callId: string, state: "pending" | "executing" | "recording"): void {
  const journal = openJournal(journalFile(folder));
  const [id] = journal.cycles.pending([{ sessionId: "s", callId, toolName: "read", inputHash: inputHash({}) }]);
  if (state !== "pending") journal.cycles.start(id!);
  if (state === "recording")
    journal.cycles.record(id!, { content: [{ type: "text", text: "paid 40 EUR" }], details: {}, isError: false });
  journal.close();
}

describe("a call whose result is not stored", () => {
  it("gets the real one from the journal where it has it, so that a reader without the patch sees it too", async () => {
    writeFileSync(file, toTranscript([user("pay"), call("toolu_1"), user("well?"), says("I do not know")]));
    journalled("toolu_1", "recording");
    expect(await repairIt()).toMatchObject({ action: "repaired", after: { violations: [], openCalls: 0 } });
    expect(stored().map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "user", "assistant"]);
    expect(text(stored()[2])).toBe("paid 40 EUR");
    expect(readOrigin(stored()[2])).toEqual({});
    expect(await repairIt()).toMatchObject({ action: "sound" });
  });

  it("gets words on what may have happened where nobody knows, marked as ours, and the real result in their place once it is known", async () => {
    writeFileSync(file, toTranscript([user("pay"), call("toolu_1"), user("well?"), says("I do not know")]));
    expect(await repairIt()).toMatchObject({ action: "repaired", after: { violations: [] } });
    expect(text(stored()[2])).toBe(UNKNOWN_OUTCOME);
    expect(readOrigin(stored()[2])).toEqual({ result: "unknown" });
    expect(await repairIt()).toMatchObject({ action: "sound" });
  });

  it("is told to have been interrupted, or not to have begun, where the journal knows that", async () => {
    for (const [state, outcome] of [
      ["executing", "interrupted"],
      ["pending", "not_started"],
    ] as const) {
      writeFileSync(file, toTranscript([user("pay"), call(`toolu_${state}`), user("well?"), says("I do not know")]));
      journalled(`toolu_${state}`, state);
      await repairIt();
      expect(readOrigin(stored()[2])).toEqual({ result: outcome });
    }
  });

  it("is left open where nothing is said behind it: its turn may be under way", async () => {
    const open = toTranscript([user("pay"), call("toolu_1")]);
    writeFileSync(file, open);
    journalled("toolu_1", "executing");
    expect(await repairIt()).toMatchObject({ action: "sound", before: { openCalls: 1 } });
    writeFileSync(file, toTranscript([result("toolu_lost", "of nothing"), user("pay"), call("toolu_1")]));
    expect(await repairIt()).toMatchObject({ action: "repaired", after: { openCalls: 1, violations: [] } });
    expect(readFileSync(file, "utf8")).not.toContain(UNKNOWN_OUTCOME);
  });
});

it.each(loadCorpus().map(({ id, report }) => [id, report] as const))(
  "%s (%s) is repaired once: the next scan finds nothing to repair again",
  async (id) => {
    writeFileSync(file, readFileSync(transcriptPath(id)));
    await repairIt();
    expect((await repairIt()).action).not.toBe("repaired");
  },
);
