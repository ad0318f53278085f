import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { withWholePath } from "../../src/guard/history/rewrite.ts";
import { storeTreatments } from "../../src/guard/history/store-treatments.ts";
import type { SessionManager } from "../../src/guard/openclaw/session.ts";
import { treatMessage, type Treatment } from "../../src/recovery/forms/treatment.ts";
import { healthyFrom } from "../../harness/arbitrary/history.ts";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { CARRYOVER_TYPE } from "../../src/timetravel/index.ts";

/** The session manager of OpenClaw 2026.2.3, as far as the test looks at it. */
interface RealManager extends Required<Omit<SessionManager, "appendResetBoundary">> {
  appendMessage(message: unknown): string;
  appendCompaction(summary: string, firstKeptEntryId: string, tokensBefore: number): string;
  appendLabelChange(id: string, label: string): string;
  appendModelChange(provider: string, model: string): string;
  appendCustomEntry(type: string, data: unknown): string;
  buildSessionContext(): { messages: unknown[] };
}

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 100);
const FLAT: Treatment = { kind: "flat", keepMedia: true };
const ENDED = { role: "assistant", content: [{ type: "text", text: "the end" }], stopReason: "stop", timestamp: 1 };

/** OpenClaw dates a summary by its entry, which is a new one. */
const undated = (messages: readonly unknown[]) =>
  messages.map((message) =>
    (message as { role: string }).role === "compactionSummary" ? { ...(message as object), timestamp: 0 } : message,
  );

describe("the stored transcript of OpenClaw 2026.2.3, once healed", () => {
  let folder: string;
  let managers: { open(file: string, folder: string): RealManager; create(cwd: string, folder: string): RealManager };
  beforeAll(async () => {
    folder = newFolder();
    const module = join(
      releasesFolder(),
      "2026.2.3",
      "stock",
      "node_modules",
      "@mariozechner",
      "pi-coding-agent",
      "dist",
      "core",
      "session-manager.js",
    );
    ({ SessionManager: managers } = (await import(pathToFileURL(module).href)) as { SessionManager: typeof managers });
  });

  /** A session with the other kinds of entries between the messages. */
  function makeSession(seed: number, turns: number): { manager: RealManager; file: string } {
    const manager = managers.create(folder, folder);
    const messages = healthyFrom(seed, turns);
    const half = Math.floor(messages.length / 2);
    const ids: string[] = [];
    for (const [at, message] of [...messages, ENDED].entries()) {
      ids.push(manager.appendMessage(message));
      if (at === half && seed % 3 === 0) manager.appendCompaction("what was before", ids[Math.max(0, at - 2)]!, 100);
      if (at % 4 === 1) manager.appendLabelChange(ids.at(-1)!, `label ${at}`);
      if (at % 5 === 2) manager.appendModelChange("anthropic", `model-${at}`);
      if (at % 7 === 3) manager.appendCustomEntry("cache", { at });
    }
    return { manager, file: String(manager.getSessionFile()) };
  }

  it("keeps every row that was there, as it was, and leads to the treated history, also after it is opened again", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(10_000), fc.integer({ min: 1, max: 6 }), async (seed, turns) => {
        const { manager, file } = makeSession(seed, turns);
        const before = readFileSync(file, "utf8");
        const expected = manager.buildSessionContext().messages.map((message) => treatMessage(message, FLAT));
        const rewritten = await storeTreatments(manager as unknown as SessionManager, [FLAT]);
        const after = readFileSync(file, "utf8");
        expect(after.startsWith(before), "a row was changed or deleted").toBe(true);
        expect(rewritten > 0).toBe(after !== before);
        expect(undated(manager.buildSessionContext().messages)).toEqual(undated(expected));
        expect(undated(managers.open(file, folder).buildSessionContext().messages)).toEqual(undated(expected));
        expect(await storeTreatments(manager as unknown as SessionManager, [FLAT]), "healing twice").toBe(0);
        expect(readFileSync(file, "utf8")).toBe(after);
      }),
      { numRuns: RUNS },
    );
  });

  it("is not touched while a message of the user's waits for its answer: OpenClaw knows that turn by its id", async () => {
    const { manager, file } = makeSession(1, 3);
    manager.appendMessage({ role: "user", content: "and now?", timestamp: 2 });
    const before = readFileSync(file, "utf8");
    expect(await storeTreatments(manager as unknown as SessionManager, [FLAT])).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  /** The history of a session as the patch loads it. */
  const loadWhole = (manager: RealManager): unknown[] =>
    withWholePath(manager as unknown as SessionManager, manager.buildSessionContext().messages);

  it("is the old history or the treated one after a kill at any byte, with what is said next behind it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(10_000),
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        async (seed, turns, part, isTwice) => {
          const { manager, file } = makeSession(seed, turns);
          const asGuarded = manager as unknown as SessionManager;
          // A branch that replaces the end of another one.
          if (isTwice) {
            await storeTreatments(asGuarded, [FLAT]);
            for (const message of [...healthyFrom(seed + 1, 1), ENDED]) manager.appendMessage(message);
          }
          const size = readFileSync(file).length;
          const old = manager.buildSessionContext().messages;
          await storeTreatments(asGuarded, [FLAT]);
          const treated = manager.buildSessionContext().messages;
          const bytes = readFileSync(file);
          // What the patch does first with a line that a kill has cut off.
          const cut = bytes.subarray(0, size + Math.floor(part * (bytes.length - size))).toString();
          writeFileSync(file, cut.slice(0, cut.lastIndexOf("\n") + 1));

          const killed = managers.open(file, folder);
          const whole = loadWhole(killed);
          expect([undated(old), undated(treated)]).toContainEqual(undated(whole));
          expect(undated(withWholePath(killed as unknown as SessionManager, whole))).toEqual(undated(whole));
          const next = { role: "user", content: "and now?", timestamp: 2 };
          killed.appendMessage(next);
          expect(undated(loadWhole(managers.open(file, folder)))).toEqual(undated([...whole, next]));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("stays where a move back into the branch has led it", async () => {
    const { manager } = makeSession(1, 3);
    await storeTreatments(manager as unknown as SessionManager, [FLAT]);
    const path = manager.getBranch() as { id: string; type: string }[];
    const begun = path.findIndex(({ type }, at) => type === "custom" && path[at + 1]!.type === "message");
    for (const back of [begun, begun + 1, path.length - 2]) {
      manager.branch(path[back]!.id);
      const moved = manager.buildSessionContext().messages;
      expect(withWholePath(manager as unknown as SessionManager, moved)).toBe(moved);
    }
  });

  /** A session that was killed while its treated branch was being stored. */
  async function halfSession(): Promise<{ killed: RealManager; old: unknown[] }> {
    const { manager, file } = makeSession(1, 3);
    const size = readFileSync(file).length;
    const old = manager.buildSessionContext().messages;
    await storeTreatments(manager as unknown as SessionManager, [FLAT]);
    const text = readFileSync(file, "utf8");
    const rows = text.slice(size).split("\n").slice(0, 3);
    writeFileSync(file, `${text.slice(0, size)}${rows.join("\n")}\n`);
    return { killed: managers.open(file, folder), old };
  }

  it("keeps what was said on a half branch behind the old history, in every later load", async () => {
    const { killed, old } = await halfSession();
    // OpenClaw has stored the message of the turn, and a note to the model, before the history is loaded.
    killed.appendMessage({ role: "user", content: "and now?", timestamp: 2 });
    killed.appendCustomMessageEntry("context", "it is late", false);
    const said = killed.buildSessionContext().messages.slice(-2);
    for (let turn = 0; turn < 2; turn++) {
      expect(undated(loadWhole(killed))).toEqual(undated([...old, ...said]));
      expect(await storeTreatments(killed as unknown as SessionManager, [FLAT]), "no branch from a half one").toBe(0);
      said.push({ ...ENDED, timestamp: 3 + turn });
      killed.appendMessage(said.at(-1));
    }
  });

  it("stays where a move or a compaction has led it from a half branch", async () => {
    const moved = (await halfSession()).killed;
    moved.appendCustomMessageEntry(CARRYOVER_TYPE, "on with it", true, {
      intentId: "i",
      departureId: moved.getLeafId(),
      targetId: null,
      by: "agent",
    });
    const compacted = (await halfSession()).killed;
    compacted.appendCompaction("what was before", compacted.getLeafId()!, 100);
    for (const manager of [moved, compacted]) {
      const leaf = manager.getLeafId();
      expect(undated(loadWhole(manager))).toEqual(undated(manager.buildSessionContext().messages));
      expect(manager.getLeafId()).toBe(leaf);
    }
  });

  it("goes on as before when an entry cannot be appended", async () => {
    const { manager } = makeSession(2, 4);
    const before = manager.buildSessionContext().messages;
    manager.appendModelChange("anthropic", "last");
    const leaf = manager.getBranch().at(-1);
    const broken = Object.create(manager, {
      appendModelChange: {
        value: () => {
          throw new Error("no space left");
        },
      },
    }) as RealManager;
    await expect(storeTreatments(broken as unknown as SessionManager, [FLAT])).rejects.toThrow("no space left");
    expect(broken.getBranch().at(-1)).toBe(leaf);
    expect(broken.buildSessionContext().messages).toEqual(before);
  });
});
