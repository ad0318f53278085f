import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, lstatSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { moveFiles, type Decision, type FilesReport, previewFiles, WorkspaceStore } from "../../src/workspace/index.ts";
import type { Owner } from "../../src/workspace/records/records.ts";

/** A workspace with its snapshots, and a session whose entries are named by the tests. */
export class Scene {
  readonly folder: string;
  readonly state: string;
  readonly workspace: string;
  readonly store: WorkspaceStore;
  /** Marks of the entries on the path of each session, and of all of its entries. */
  readonly #paths = new Map<string, { path: string[]; all: Set<string> }>();
  #count = 0;

  /** The workspace is in a folder of its own, or in this one. */
  constructor(within?: string) {
    this.folder = mkdtempSync(join(tmpdir(), "workspace-"));
    this.state = join(this.folder, "state");
    this.workspace = join(within ?? this.folder, "work");
    mkdirSync(this.state);
    mkdirSync(this.workspace);
    this.store = WorkspaceStore.at(this.state, this.workspace);
  }

  at(path: string): string {
    return join(this.workspace, path);
  }

  owner(session = "one"): Owner {
    return { sessionId: session, sessionKey: `agent:main:${session}` };
  }

  session(session = "one"): { path: string[]; all: Set<string> } {
    const known = this.#paths.get(session) ?? { path: [], all: new Set<string>() };
    this.#paths.set(session, known);
    return known;
  }

  /** A batch of calls that does this; returns the mark of its last result. */
  async batch(work: () => void | Promise<void>, session = "one"): Promise<string> {
    const mark = `call:${++this.#count}`;
    const id = await this.store.use(async ({ records, capture }) =>
      records.begin(this.owner(session), (await capture()).tree),
    );
    await work();
    await this.store.use(async ({ records, capture }) => records.end(id, (await capture()).tree, mark));
    this.say(mark, session);
    return mark;
  }

  /** An entry without changes of files. */
  say(mark = `said:${++this.#count}`, session = "one"): string {
    const { path, all } = this.session(session);
    path.push(mark);
    all.add(mark);
    return mark;
  }

  where(mark: string | undefined, session = "one"): { onPath: Set<string>; inHistory: Set<string> } {
    const { all } = this.session(session);
    return { onPath: new Set(this.pathTo(mark, session)), inHistory: all };
  }

  /** The path to an entry: entries of other branches are reached by the path they were on. */
  readonly #parents = new Map<string, readonly string[]>();
  pathTo(mark: string | undefined, session = "one"): readonly string[] {
    if (mark === undefined) return [];
    const { path } = this.session(session);
    const at = path.lastIndexOf(mark);
    return at >= 0 ? path.slice(0, at + 1) : (this.#parents.get(mark) ?? []);
  }

  async preview(mark: string | undefined, decision?: Decision, session = "one"): Promise<FilesReport> {
    return previewFiles(this.store, { owner: this.owner(session), where: this.where(mark, session), decision });
  }

  /** Moves files and conversation; returns what became of the files, and the place that undoes it. */
  async move(
    mark: string | undefined,
    decision?: Decision,
    session = "one",
    append: () => void = () => undefined,
  ): Promise<{ report: FilesReport; departure: string | undefined }> {
    const intentId = `move-${++this.#count}`;
    const known = this.session(session);
    const left = [...known.path];
    const to = [...this.pathTo(mark, session)];
    const report = await moveFiles(
      this.state,
      this.store,
      { owner: this.owner(session), where: this.where(mark, session), decision, intentId },
      async (moved) => {
        append();
        return moved;
      },
    );
    for (const [at, one] of left.entries()) this.#parents.set(one, left.slice(0, at + 1));
    known.path = [...to, `move:${intentId}`];
    known.all.add(`move:${intentId}`);
    return { report, departure: left.at(-1) };
  }

  /** All files of the workspace, with mode and content, by the bytes of their paths. */
  files(): Record<string, string> {
    const found: Record<string, string> = {};
    const walk = (prefix: string): void => {
      for (const entry of readdirSync(bytesAt(this.workspace, prefix), { withFileTypes: true, encoding: "buffer" })) {
        const path = prefix + entry.name.toString("latin1");
        const at = bytesAt(this.workspace, path);
        if (entry.isDirectory()) walk(`${path}/`);
        else if (entry.isSymbolicLink()) found[path] = `-> ${readlinkSync(at)}`;
        else found[path] = `${lstatSync(at).mode & 0o100 ? "x " : ""}${readFileSync(at).toString("latin1")}`;
      }
    };
    walk("");
    return found;
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function bytesAt(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")]);
}
