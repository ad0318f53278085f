/** What a distribution brings besides the patches. */

/** A folder of this repository and the place its files get in the package. */
export interface ExtraFolder {
  /** Relative to the repository. */
  readonly from: string;
  /** Relative to the package. */
  readonly to: string;
  /** What it is for; the manifest says so for each of its files. */
  readonly purpose: string;
}

/** Nothing yet: our plugins go here once they exist. */
export const EXTRA_FOLDERS: readonly ExtraFolder[] = [];
