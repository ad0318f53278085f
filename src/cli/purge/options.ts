/** What all kinds of purges share. */
import type { Names, PurgePlace } from "../../privacy/index.ts";
import { storeError } from "../../store/errors.ts";
import type { Catalog } from "../../store/index.ts";
import type { WorkOptions } from "./place.ts";
import { ask, asks } from "../question.ts";
import type { OutputOptions } from "../run.ts";

export interface PurgeOptions extends OutputOptions, WorkOptions {
  readonly deleted?: boolean;
  readonly list?: boolean;
  readonly archives?: boolean;
  /** Milliseconds. */
  readonly olderThan?: number;
  readonly damaged?: boolean;
  readonly ifExists?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** The input of a purge. */
export interface PurgeRun {
  readonly options: PurgeOptions;
  readonly place: PurgePlace;
  readonly catalog: Catalog;
  readonly names: Names;
}

/** Asks for confirmation before data is deleted for good. Throws `declined` where nobody can be asked. */
export async function confirmed({ options }: Pick<PurgeRun, "options">, lines: readonly string[]): Promise<void> {
  if (options.yes === true) return;
  if (!asks(options))
    throw storeError("declined", {
      expected: "--yes, because deleted data cannot be restored",
      found: "no terminal to ask for confirmation",
      todo: "Run it with --dry-run to see what would be deleted. Nothing was deleted.",
    });
  await ask(lines, "Delete it for good?", "nothing was deleted");
}
