import { nameInline, valueInline } from "../base/quoted.ts";
import { someOf } from "../base/some-of.ts";
import { type Author, type Continuity, ContinuityError, type Project } from "../continuity/index.ts";
import { continuityError } from "../continuity/base/errors.ts";
import { isOpenClawsName } from "../continuity-tools/index.ts";

const MOST_NAMED = 10;

/** Which projects a server reaches: one, or by name all but those of OpenClaw's agents. */
export class Projects {
  readonly #continuity: Continuity;
  readonly #client: () => Author;
  /** Whether OpenClaw has begun it; for ever, once it has begun. */
  readonly #begun = new Map<string, boolean>();
  /** The only one that is reached. */
  readonly only: string | undefined;

  /** `client` says who asks now. */
  constructor(continuity: Continuity, client: () => Author, only?: string) {
    this.#continuity = continuity;
    this.#client = client;
    this.only = only;
  }

  /** The names of those that are recorded and reached. */
  async names(): Promise<string[]> {
    if (this.only !== undefined) return [this.only];
    const names = await this.#continuity.projects();
    const isReached = await Promise.all(
      names.map(async (name) => !isOpenClawsName(name) && this.#isReached((await this.#continuity.find(name))!)),
    );
    return names.filter((_, at) => isReached[at]);
  }

  /**
   * The project that is meant, for the client that asks. Only creating a goal makes one where all are reached, so that
   * a slip in a name makes none: it throws `not-found` with those there are. One of OpenClaw's agents is not reached by
   * its name: who configures the server has to name it.
   */
  async project(project_id: unknown, { mayMake = false } = {}): Promise<Project> {
    if (this.only !== undefined) return (await this.#continuity.project(this.only)).as(this.#client());
    const name = project_id as string;
    if (typeof name === "string" && isOpenClawsName(name)) {
      throw continuityError("not-found", {
        expected: "the project_id of a project of this server",
        found: `${nameInline(name)}, a name as conversations of OpenClaw have it`,
        todo:
          "Name another one. Only the operator can give a server the work of a conversation of OpenClaw, and then of " +
          "no other (--store openclaw --project). Nothing was done.",
      });
    }
    const project = mayMake ? await this.#continuity.project(name) : await this.#continuity.find(name);
    if (project && (await this.#isReached(project))) return project.as(this.#client());
    const names = await this.names();
    throw continuityError("not-found", {
      expected: "the project_id of a recorded project",
      found: valueInline(name),
      todo:
        names.length === 0
          ? "Nothing is recorded yet; a goal makes a project."
          : `Recorded are: ${someOf(names.map(nameInline), MOST_NAMED)}. A goal makes a new one.`,
    });
  }

  async #isReached(project: Project): Promise<boolean> {
    const known = this.#begun.get(project.project_id);
    if (known !== undefined) return !known;
    try {
      const first = await project.begunBy();
      if (first !== undefined) this.#begun.set(project.project_id, first?.entry === "openclaw");
      return first?.entry !== "openclaw";
    } catch (error) {
      // Whose a damaged one is cannot be told.
      if (error instanceof ContinuityError && error.code === "damaged") return false;
      throw error;
    }
  }
}
