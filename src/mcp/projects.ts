import { someOf } from "../base/some-of.ts";
import type { Continuity, Project } from "../continuity/index.ts";
import { continuityError } from "../continuity/errors.ts";

const MOST_NAMED = 10;

/** Which projects a server reaches: one, or all by name. */
export class Projects {
  readonly #continuity: Continuity;
  /** The only one that is reached. */
  readonly only: string | undefined;

  constructor(continuity: Continuity, only?: string) {
    this.#continuity = continuity;
    this.only = only;
  }

  /** The names of those that are recorded and reached. */
  async names(): Promise<string[]> {
    return this.only === undefined ? this.#continuity.projects() : [this.only];
  }

  /**
   * The project that is meant. Only creating a goal makes one where all are reached, so that a slip in a name makes none: it throws `not-found` with those there are.
   */
  async project(project_id: unknown, { mayMake = false } = {}): Promise<Project> {
    if (this.only !== undefined) return this.#continuity.project(this.only);
    const name = project_id as string;
    const project = mayMake ? await this.#continuity.project(name) : await this.#continuity.find(name);
    if (project) return project;
    const names = await this.names();
    throw continuityError("not-found", {
      expected: "the project_id of a recorded project", found: JSON.stringify(name),
      todo: names.length === 0 ? "Nothing is recorded yet; a goal makes a project." : `Recorded are: ${someOf(names, MOST_NAMED)}. A goal makes a new one.`,
    });
  }
}
