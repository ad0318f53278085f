import { nameInline } from "../base/quoted.ts";
import { writeLines } from "./backup/file.ts";
import { restoreBackup, type Restoration, type RestoreOptions } from "./backup/restore.ts";
import { type BackupOptions, type BackupSummary, backupLines } from "./backup/write.ts";
import { assertAuthor, type Author, PROGRAM } from "./base/author.ts";
import { type Environment, isoTime, MACHINE } from "./ledger/environment.ts";
import { continuityError } from "./base/errors.ts";
import { fromBackup } from "./base/from-backup.ts";
import { Project } from "./project.ts";
import { DEFAULT_SNAPSHOTS, type SnapshotPolicy } from "./ledger/snapshots.ts";
import type { ContinuityStore, ObjectStorage } from "./ledger/store.ts";
import { patientObjects } from "./stores/patient-objects.ts";
import { PRODUCER_VERSION } from "./base/version.ts";
import { Workflow } from "./ledger/workflow.ts";
import { assertNotLost, type LostProject, lostProjects } from "./lost-projects.ts";
import { assertProjectId, workflowId } from "./base/workflow-id.ts";

/** Options of the kernel. Only the store is required. */
export interface ContinuityOptions extends Partial<Omit<Environment, "store" | "objects" | "snapshots">> {
  /** `openSqliteStore` or `openPostgresStore`. */
  readonly store: ContinuityStore;
  /** Stores states and results that are too large for a row; without it, all of them are stored in rows. */
  readonly objects?: ObjectStorage;
  readonly snapshots?: Partial<SnapshotPolicy>;
  /** Author of the commands, unless `project.as` names another one; a program without a name by default. */
  readonly author?: Author;
}

/**
 * The continuity kernel on one store, with all its projects.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { Continuity, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }) });
 * const site = await continuity.project("site");
 * await site.createGoal({ text: "Move the site to the new host", priority: 5 });
 * assert.equal(await continuity.find("garden"), undefined);
 * assert.deepEqual(await continuity.projects(), ["site"]);
 * await continuity.close();
 * ```
 */
export class Continuity {
  readonly #environment: Environment;
  readonly #author: Author;
  readonly #projects = new Map<string, Promise<Project>>();

  constructor({ store, objects, snapshots, author = PROGRAM, ...rest }: ContinuityOptions) {
    assertAuthor(author);
    this.#author = author;
    const environment = { ...MACHINE, ...rest };
    this.#environment = {
      ...environment,
      monotonic: rest.monotonic ?? rest.now ?? MACHINE.monotonic,
      producer_version: rest.producer_version ?? PRODUCER_VERSION,
      store,
      objects: objects && patientObjects(objects, environment),
      snapshots: { ...DEFAULT_SNAPSHOTS, ...snapshots },
    };
  }

  /** Returns the project of that name; creates it if necessary. Projects do not see each other's work. */
  async project(project_id: string): Promise<Project> {
    assertProjectId(project_id);
    const known = this.#projects.get(project_id) ?? this.#open(project_id);
    this.#projects.set(project_id, known);
    known.catch(() => this.#projects.delete(project_id));
    return known;
  }

  /**
   * Returns the project of that name; undefined when there is none. Creates nothing. Throws `damaged` for a project
   * that {@link lostProjects} names, and `bad-input` for what cannot be a name.
   */
  async find(project_id: string): Promise<Project | undefined> {
    assertProjectId(project_id);
    if (this.#projects.has(project_id)) return this.project(project_id);
    const { store, objects } = this.#environment;
    const row = await store.workflow(workflowId(project_id));
    if (row?.project_id === project_id) return this.project(project_id);
    await assertNotLost(store, objects, project_id);
    return undefined;
  }

  /**
   * Returns the names of all projects, sorted. A lost project whose name is known ({@link lostProjects}) is among them,
   * so that it is not hidden: {@link find} refuses it as `damaged`.
   */
  async projects(): Promise<string[]> {
    const { store, objects } = this.#environment;
    const lost = (await lostProjects(store, objects)).flatMap(({ project_id }) => project_id ?? []);
    return [...new Set([...(await store.workflows()).map(({ project_id }) => project_id), ...lost])].toSorted();
  }

  /**
   * Returns the projects of which the store has events or other rows, and no row in `workflows` that their name leads
   * to: that row was deleted, or its name or id was changed. Empty in an undamaged store. Changes nothing.
   */
  lostProjects(): Promise<LostProject[]> {
    const { store, objects } = this.#environment;
    return lostProjects(store, objects);
  }

  /**
   * Writes a backup of all projects, or of those named, into a file that its owner only can read (0600): one consistent
   * state of each, with everything that was acknowledged before the call, also while others write. Results in an object
   * storage are in it; snapshots are not. Throws `not-writable`, also where a file is and `replace` is not set;
   * `not-found` for a missing project; `damaged` for what could not be restored; `newer`; `no-object-storage`; and
   * `older-copy` unless `acceptLoss` is set. A kill leaves no file of that name.
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { mkdtempSync, rmSync } from "node:fs";
   * import { tmpdir } from "node:os";
   * import { join } from "node:path";
   * import { Continuity, openSqliteStore } from "openclaw-integrity/continuity";
   *
   * const folder = mkdtempSync(join(tmpdir(), "work-"));
   * const file = join(folder, "monday.jsonl");
   * const old = new Continuity({ store: openSqliteStore({ file: join(folder, "old.sqlite") }) });
   * await (await old.project("site")).createGoal({ text: "Move the site", priority: 5 });
   * await old.backup({ file });
   * await old.close();
   *
   * const store = openSqliteStore({ file: join(folder, "new.sqlite") }); // or a PostgreSQL store
   * const continuity = new Continuity({ store });
   * const { projects } = await continuity.restore({ file });
   * assert.deepEqual(projects.map(({ project_id, damages }) => [project_id, damages]), [["site", []]]);
   * assert.equal((await (await continuity.project("site")).activeWork()).goals[0]?.text, "Move the site");
   * await continuity.close();
   * rmSync(folder, { recursive: true });
   * ```
   */
  backup({
    file,
    projects,
    replace,
    acceptLoss,
  }: BackupOptions & {
    readonly file: string;
    readonly replace?: boolean | undefined;
  }): Promise<BackupSummary> {
    return writeLines(this.backupLines({ projects, acceptLoss }), file, { replace });
  }

  /** Yields the lines of a {@link backup}, and returns what they hold; the last line shows that it is complete. */
  backupLines(options: BackupOptions = {}): AsyncGenerator<string, BackupSummary> {
    return backupLines(this.#environment, options);
  }

  /**
   * Restores a backup into this store, of either kind: checks the whole file, writes each project in one transaction,
   * and verifies it. An event `project_restored` ends every lease of before and raises the fencing token, unless
   * `exact` says that nothing was written since the backup. Repeating completes a restoration that was killed. Throws
   * `foreign`, `newer` and `damaged` for a file that is no whole backup, `project-exists` for a project that is there
   * with other events, `older-copy` when the store's anchor knows of later events, unless `acceptLoss` is given,
   * `not-found` without the file or a named project, `no-object-storage` for results that need one, and `bad-input`;
   * nothing was written then.
   */
  restore(options: RestoreOptions): Promise<Restoration> {
    return restoreBackup(this.#environment, this.#author, options);
  }

  /** Closes the store. */
  close(): Promise<void> {
    return this.#environment.store.close();
  }

  async #open(project_id: string): Promise<Project> {
    const { store, objects, now } = this.#environment;
    const workflow_id = workflowId(project_id);
    // Read first: a reader must not wait for writers.
    const known = await store.workflow(workflow_id);
    // A new row would hide what is left of the project.
    if (known?.project_id !== project_id) await assertNotLost(store, objects, project_id);
    if (!known) await store.ensureWorkflow({ workflow_id, project_id, created_at: isoTime(now()) });
    const row = known ?? (await store.workflow(workflow_id));
    if (!row)
      throw continuityError("damaged", {
        expected: `the workflow of project ${nameInline(project_id)} to have the id ${workflow_id}`,
        found: "a row with another id, or none",
        todo: `The store was changed from outside. ${fromBackup()} Nothing was executed.`,
      });
    return new Project(this.#environment, row, new Workflow(this.#environment, row), this.#author);
  }
}
