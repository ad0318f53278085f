/** What a distribution brings besides the patches. */
import { existsSync } from "node:fs";
import { join } from "node:path";

/** A folder of this repository and the place its files get in the package. */
export interface ExtraFolder {
  /** Relative to the repository. */
  readonly from: string;
  /** Relative to the package. */
  readonly to: string;
  /** What it is for; the manifest says so for each of its files. */
  readonly purpose: string;
  /** What is changed in its files on the way. */
  readonly edit?: (file: string, text: string) => string;
}

const MANIFEST = "openclaw.plugin.json";

/**
 * The plugin, beside the plugins that the unpacked package in `root` brings along. OpenClaw trusts those: it asks for
 * no consent, and they may read conversations. In releases that have them in dist the manifest says whether they are on
 * by default; before, they are off until `openclaw plugins enable clawos-l0`.
 */
export function extraFolders(root: string): readonly ExtraFolder[] {
  const purpose = "the plugin clawos-l0, which shows what the patch does";
  if (!existsSync(join(root, "dist", "extensions")))
    return [{ from: "dist/plugin", to: "extensions/clawos-l0", purpose }];
  return [{ from: "dist/plugin", to: "dist/extensions/clawos-l0", purpose, edit: onByDefault }];
}

function onByDefault(file: string, text: string): string {
  if (file !== MANIFEST) return text;
  return `${JSON.stringify({ ...(JSON.parse(text) as object), enabledByDefault: true }, null, 2)}\n`;
}
