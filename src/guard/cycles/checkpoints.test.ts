import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { contentHash } from "../../journal/content-hash.ts";
import { journalFile, openJournal } from "../../journal/index.ts";
import { fileMemory, sessionMemory } from "../base/memory.ts";
import type { SessionManager } from "../openclaw/session.ts";
import { repairSessionFile } from "../load/session-file.ts";
import { checkpointTurn, makeCheckpoint } from "./checkpoints.ts";

interface Entry {
  id: string;
  parentId: string | null;
  type: string;
  message: unknown;
}

/** OpenClaw's session manager: a tree that only grows, with a leaf that can be moved. */
class Tree implements SessionManager {
  readonly entries: Entry[];
  leaf: string | null;
  pathReads = 0;

  constructor(
    { entries, leaf }: { readonly entries: readonly Entry[]; readonly leaf: string | null } = {
      entries: [],
      leaf: null,
    },
  ) {
    this.entries = [...entries];
    this.leaf = leaf;
  }

  append(role: string, type = "message"): void {
    const id = `e${this.entries.length}`;
    this.entries.push({ id, parentId: this.leaf, type, message: { role, content: `words ${id}` } });
    this.leaf = id;
  }

  getLeafId = (): string | null => this.leaf;
  getEntry = (id: string): Entry | undefined => this.entries.find((entry) => entry.id === id);
  getBranch = (): Entry[] => {
    this.pathReads++;
    const path: Entry[] = [];
    for (let at = this.leaf === null ? undefined : this.getEntry(this.leaf); at; at = this.getEntry(at.parentId ?? ""))
      path.unshift(at);
    return path;
  };
}

let home: string;
beforeEach(() => {
  home = newFolder();
  vi.stubEnv("OPENCLAW_STATE_DIR", home);
  vi.stubEnv("OPENCLAW_INTEGRITY_CHECKPOINTS", "1000");
});
afterEach(() => void vi.unstubAllEnvs());

function hashIn(id: string | undefined): string | undefined {
  const journal = openJournal(journalFile(home), { readOnly: true });
  try {
    return journal.checkpoints.get(id ?? "")?.contentHash;
  } finally {
    journal.close();
  }
}

const hashBranch = (tree: Tree): string =>
  contentHash(
    tree
      .getBranch()
      .filter(({ type }) => type === "message")
      .map(({ message }) => message),
  );

it("has the hash of the whole path, whatever was appended, left or loaded anew since the last one", async () => {
  let session = 0;
  const step = fc.tuple(fc.constantFrom("assistant", "user", "note", "move", "load", "turn", "batch"), fc.nat(1000));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const id = `s-${session++}`;
      const memory = sessionMemory(id);
      let tree = new Tree();
      tree.append("assistant");
      for (const [what, number] of steps) {
        if (what === "move") tree.leaf = tree.entries[number % tree.entries.length]!.id;
        else if (what === "load") tree = new Tree(tree);
        else if (what === "turn") {
          // The message that a turn answers would come behind its checkpoint.
          tree.append("assistant");
          expect(hashIn(await checkpointTurn(id, tree, memory, "api_call"))).toBe(hashBranch(tree));
        } else if (what === "batch")
          expect(hashIn(makeCheckpoint(id, tree, memory, "tool_cycle"))).toBe(hashBranch(tree));
        else tree.append(what, what === "note" ? "custom" : "message");
      }
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 60) },
  );
});

it("has the hash of the whole path when a compaction hashes it for the first time beside a turn", async () => {
  const tree = new Tree();
  for (let message = 0; message < 600; message++) tree.append("assistant");
  const memory = sessionMemory("s-beside");
  const made = (["compaction", "api_call"] as const).map((operation) =>
    checkpointTurn("s-beside", tree, memory, operation),
  );
  for (const id of await Promise.all(made)) expect(hashIn(id)).toBe(hashBranch(tree));
  tree.append("assistant");
  expect(hashIn(makeCheckpoint("s-beside", tree, memory, "tool_cycle"))).toBe(hashBranch(tree));
});

it("has the hash of what a file holds after somebody has changed a row of it", async () => {
  const file = join(home, "s-edited.jsonl");
  const tree = Object.assign(new Tree(), { getSessionFile: () => file });
  for (let message = 0; message < 3; message++) tree.append("assistant");
  const load = async (): Promise<string | undefined> => {
    const header = { type: "session", version: 3, id: "s-edited", timestamp: "2026-02-05T00:00:00.000Z", cwd: "/" };
    const rows = tree.entries.map((entry) => ({ ...entry, message: { ...(entry.message as object), role: "user" } }));
    writeFileSync(file, [header, ...rows].map((row) => `${JSON.stringify(row)}\n`).join(""));
    await repairSessionFile(file);
    return hashIn(await checkpointTurn("s-edited", tree, sessionMemory("s-edited"), "api_call"));
  };
  expect(await load()).toBe(hashBranch(tree));
  tree.append("assistant");
  expect(await load()).toBe(hashBranch(tree));
  expect(fileMemory(file).readings, "only what was added").toBe(1);
  tree.entries[1] = { ...tree.entries[1]!, message: { role: "assistant", content: "other e1" } };
  expect(await load()).toBe(hashBranch(tree));
});

it("reads only what was added within a turn", async () => {
  const tree = new Tree();
  for (let message = 0; message < 50; message++) tree.append("assistant");
  const memory = sessionMemory("s-long");
  await checkpointTurn("s-long", tree, memory, "api_call");
  tree.pathReads = 0;
  const reads = vi.spyOn(tree, "getEntry");
  for (let batch = 0; batch < 5; batch++) {
    tree.append("assistant");
    makeCheckpoint("s-long", tree, memory, "tool_cycle");
  }
  expect(tree.pathReads).toBe(0);
  expect(reads).toHaveBeenCalledTimes(5);
});
