import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { JsonlSession } from "../../src/integrity/sessions/jsonl.ts";
import { FileSession } from "../../src/store/sessions/file-session.ts";
import { says, user } from "../../harness/openclaw/samples.ts";
import { releasesFolder, installedReleases } from "../../harness/openclaw/releases.ts";

/** The session manager of OpenClaw, as far as the test looks at it. */
interface RealManager {
  appendMessage(message: unknown): string;
  appendModelChange(provider: string, model: string): string;
  appendLabelChange(id: string, label: string): string;
  appendCustomEntry(type: string, data: unknown): string;
  appendCompaction(summary: string, firstKeptEntryId: string, tokensBefore: number): string;
  branchWithSummary(id: string, summary: string): string;
  branch(id: string): void;
  getBranch(): readonly { id: string; type: string; message?: unknown }[];
  getLeafId(): string | null;
  getSessionFile(): string | undefined;
}

interface Managers {
  open(file: string, folder: string): RealManager;
  create(cwd: string, folder: string): RealManager;
}

const RUNS = Number(process.env["PROPERTY_RUNS"] ?? 60);
const MODULES: Readonly<Record<string, readonly string[]>> = {
  "2026.2.3": ["@mariozechner", "pi-coding-agent", "dist", "core", "session-manager.js"],
  "2026.7.35": ["openclaw", "dist", "plugin-sdk", "agent-sessions.js"],
};
const chosen = Object.keys(MODULES).filter(
  (release) => release === "2026.2.3" || installedReleases().some((one) => one.release === release),
);

/** What may be done to a session; numbers choose among the entries that are there. */
const step = fc.oneof(
  fc.record({ kind: fc.constant("user" as const) }),
  fc.record({ kind: fc.constant("assistant" as const) }),
  ...(["branch", "label", "compaction", "summary", "reopen"] as const).map((kind) =>
    fc.record({ kind: fc.constant(kind), at: fc.nat(1000) }),
  ),
  fc.record({ kind: fc.constant("model" as const) }),
  fc.record({ kind: fc.constant("custom" as const) }),
);

describe.each(chosen)("transcript files, read and written beside the session manager of OpenClaw %s", (release) => {
  let folder: string;
  let managers: Managers;

  beforeAll(async () => {
    folder = newFolder();
    const module = join(releasesFolder(), release, "stock", "node_modules", ...MODULES[release]!);
    ({ SessionManager: managers } = (await import(pathToFileURL(module).href)) as { SessionManager: Managers });
  });

  function session(steps: readonly { kind: string; at?: number }[]): { file: string; reopened: () => RealManager } {
    let manager = managers.create(folder, folder);
    manager.appendMessage(user("the beginning"));
    const ids = [manager.appendMessage(says("the answer"))];
    const file = String(manager.getSessionFile());
    const one = (at = 0): string => ids[at % ids.length]!;
    for (const { kind, at } of steps) {
      if (kind === "user") ids.push(manager.appendMessage(user(`said ${ids.length}`)));
      else if (kind === "assistant") ids.push(manager.appendMessage(says(`answered ${ids.length}`)));
      else if (kind === "model") manager.appendModelChange("anthropic", "another");
      else if (kind === "custom") manager.appendCustomEntry("cache", {});
      else if (kind === "label") manager.appendLabelChange(one(at), "a label");
      else if (kind === "compaction") manager.appendCompaction("what was", manager.getBranch()[0]!.id, 100);
      else if (kind === "summary") manager.branchWithSummary(one(at), "what was");
      else if (kind === "branch") manager.branch(one(at));
      else manager = managers.open(file, folder);
    }
    return { file, reopened: () => managers.open(file, folder) };
  }

  it("the path is the one that OpenClaw goes on from, and stays so when the place is moved and messages are added", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.nat(1000), async (steps, place) => {
        const { file, reopened } = session(steps);
        const stored = new FileSession({ agentId: "main", sessionId: "a", sessionKey: undefined }, file);
        const real = reopened();
        const path = real.getBranch().map(({ id }) => id);
        expect(stored.path().map(({ id }) => id)).toEqual(path);
        expect([...stored.read(stored.path())].map(({ type, id }) => ({ type, id }))).toEqual(
          real.getBranch().map(({ type, id }) => ({ type, id })),
        );

        const before = readFileSync(file, "utf8");
        const target = path[place % path.length]!;
        const note = await stored.goOnFrom(target, { text: "taken back", details: {} });
        expect(
          reopened()
            .getBranch()
            .map(({ id }) => id),
        ).toEqual([...path.slice(0, path.indexOf(target) + 1), note]);
        const written = new JsonlSession(file);
        await written.append([user("one"), says("two"), user("three")]);
        const now = reopened().getBranch();
        expect(now.map(({ id }) => id).slice(0, -3)).toEqual([...path.slice(0, path.indexOf(target) + 1), note]);
        expect(now.slice(-3).map(({ message }) => message)).toEqual([user("one"), says("two"), user("three")]);
        expect(readFileSync(file, "utf8").startsWith(before), "a row was changed or deleted").toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it.skipIf(release === "2026.2.3")("the path is OpenClaw's also where rows move the leaf or stand aside", () => {
    const row = fc.record({
      kind: fc.constantFrom("message", "message", "side", "leaf", "custom"),
      parent: fc.nat(1000),
      last: fc.boolean(),
      target: fc.nat(1000),
      isKnown: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
        const { file } = session([]);
        const ids = managers
          .open(file, folder)
          .getBranch()
          .map(({ id }) => id);
        const lines = rows.map(({ kind, parent, last, target, isKnown }, at) => {
          const id = `row${at}`;
          const parentId = last ? ids.at(-1) : ids[parent % ids.length];
          const timestamp = new Date(1_770_000_000_000 + at).toISOString();
          const shapes: Record<string, object> = {
            message: { type: "message", message: user(id) },
            side: { type: "message", message: user(id), appendMode: "side" },
            leaf: { type: "leaf", targetId: isKnown ? ids[target % ids.length] : "nowhere" },
            custom: { type: "custom", customType: "cache", data: {} },
          };
          ids.push(id);
          return `${JSON.stringify({ ...shapes[kind], id, parentId, timestamp })}\n`;
        });
        appendFileSync(file, lines.join(""));
        const stored = new FileSession({ agentId: "main", sessionId: "a", sessionKey: undefined }, file);
        expect(
          stored.path().map(({ id }) => id),
          readFileSync(file, "utf8"),
        ).toEqual(
          managers
            .open(file, folder)
            .getBranch()
            .map(({ id }) => id),
        );
      }),
      { numRuns: RUNS * 5 },
    );
  });
});
