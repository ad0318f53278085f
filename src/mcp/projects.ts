import { nameInline, valueInline } from "../base/quoted.ts";
import { joinSome } from "../base/join-some.ts";
import { type Author, type Continuity, ContinuityError, type Project } from "../continuity/index.ts";
import { continuityError } from "../continuity/base/errors.ts";
import { isOpenClawsName } from "../continuity-tools/index.ts";

const MAX_NAMED = 10;

/** The projects that a server reaches: one, or all but those of OpenClaw's agents, by name. */
export class Projects {
  readonly #continuity: Continuity;
  readonly #client: () => Author;
  /** Whether OpenClaw created a project, by project id; this never changes after the first event. */
  readonly #begun = new Map<string, boolean>();
  /** The only project that is reached, when the server has one. */
  readonly only: string | undefined;

  /** `client` returns the author of the current request. */
  constructor(continuity: Continuity, client: () => Author, only?: string) {
    this.#continuity = continuity;
    this.#client = client;
    this.only = only;
  }

  /** Returns the names of the recorded projects that are reached. */
  async names(): Promise<string[]> {
    if (this.only !== undefined) return [this.only];
    const names = await this.#continuity.projects();
    const isReached = await Promise.all(names.map(async (name) => !isOpenClawsName(name) && this.#isNameReached(name)));
    return names.filter((_, at) => isReached[at]);
  }

  /**
   * Returns the project of a request, with the client as its author. When several projects are reached, only the
   * creation of a goal creates a project, so that a misspelt name creates none: it throws `not-found` with the recorded
   * names. Work of OpenClaw's agents is not reached by name: the operator has to configure the server for it.
   */
  async project(project_id: unknown, { mayCreate = false } = {}): Promise<Project> {
    if (this.only !== undefined) return (await this.#continuity.project(this.only)).as(this.#client());
    const name = project_id as string;
    if (typeof name === "string" && isOpenClawsName(name)) {
      throw continuityError("not-found", {
        expected: "the project_id of a project of this server",
        found: `${nameInline(name)}, the name of a conversation of OpenClaw`,
        todo:
          "Name another project. Only the operator can give a server the work of a conversation of OpenClaw, and " +
          "then no other work (--store openclaw --project). Nothing was done.",
      });
    }
    const project = mayCreate ? await this.#continuity.project(name) : await this.#continuity.find(name);
    if (project && (await this.#isReached(project))) return project.as(this.#client());
    const names = await this.names();
    throw continuityError("not-found", {
      expected: "the project_id of a recorded project",
      found: valueInline(name),
      todo:
        names.length === 0
          ? "Nothing is recorded yet. Create a goal, which creates its project."
          : `Recorded projects: ${joinSome(names.map(nameInline), MAX_NAMED)}. Creating a goal creates a new project.`,
    });
  }

  async #isNameReached(name: string): Promise<boolean> {
    return unlessDamaged(async () => {
      const project = await this.#continuity.find(name);
      return project !== undefined && this.#isReached(project);
    });
  }

  async #isReached(project: Project): Promise<boolean> {
    const known = this.#begun.get(project.project_id);
    if (known !== undefined) return !known;
    return unlessDamaged(async () => {
      const first = await project.begunBy();
      if (first !== undefined) this.#begun.set(project.project_id, first.entry === "openclaw");
      return first?.entry !== "openclaw";
    });
  }
}

/** The owner of a damaged project is unknown: the project is not reached. */
async function unlessDamaged(isReached: () => Promise<boolean>): Promise<boolean> {
  try {
    return await isReached();
  } catch (error) {
    if (error instanceof ContinuityError && error.code === "damaged") return false;
    throw error;
  }
}
