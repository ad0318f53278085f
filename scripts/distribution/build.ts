/**
 * Builds a distribution: the published package, patched by the engine, with the little that a package of its own needs.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { apply } from "../../src/patching/apply.ts";
import { inventories, type Listed } from "../../src/patching/write/inventory.ts";
import { plan } from "../../src/patching/plan.ts";
import { ensureTarball, extractTarball, type Tarball } from "../../harness/tarballs.ts";
import type { DistributionOptions } from "./arguments.ts";
import { extraFolders as foldersFor, type ExtraFolder } from "./extra-folders.ts";
import { MANIFEST_FILE, buildManifest, type Cause, type Manifest } from "./manifest.ts";
import { packFolder, type Packed } from "./pack.ts";
import { withPackageFiles } from "./package-files.ts";
import { filesIn, readTree } from "../../harness/tree.ts";
import { LAUNCHER, withVersionLine } from "./version-line.ts";

/** A distribution on this disk. */
export interface Distribution extends Packed {
  readonly path: string;
  readonly manifest: Manifest;
}

/** Options of buildDistribution. */
export interface BuildOptions extends DistributionOptions {
  /** What comes in besides the patches. */
  readonly extraFolders?: readonly ExtraFolder[];
  /** Takes progress lines. */
  readonly say?: (line: string) => void;
}

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const LICENSE_FILE = "LICENSE.openclaw-integrity";
const NOTICES = "THIRD_PARTY_NOTICES";
const NOTICES_FILE = `${NOTICES}.openclaw-integrity`;

/**
 * Builds the distribution and gives its path and manifest; one of the same name is replaced, at the very end. The same
 * options and checkout give the same bytes. Throws a PatchError when the package cannot be had or cannot be patched.
 */
export async function buildDistribution(options: BuildOptions): Promise<Distribution> {
  const { release, number, out = join(REPOSITORY, ".cache", "dist"), compression, say = () => undefined } = options;
  const tarball = await ensureTarball(release, { say });
  say(`openclaw@${release} is what was published (${tarball.integrity.slice(0, 20)}…)`);
  mkdirSync(out, { recursive: true });
  const stage = mkdtempSync(join(out, ".build-"));
  try {
    const root = join(stage, "package");
    await extractTarball(tarball.path, root);
    say("unpacked");
    const manifest = change(root, tarball, options, say);
    say(`packing ${filesIn(root).length} files (about half a minute)`);
    const name = `openclaw-${release}-integrity.${number}.tgz`;
    const packed = await packFolder(root, join(stage, name), compression);
    renameSync(join(stage, name), join(out, name));
    return { path: join(out, name), manifest, ...packed };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Makes the distribution out of the unpacked package, and says what it did. */
function change(root: string, { integrity }: Tarball, options: BuildOptions, say: (line: string) => void): Manifest {
  const { release, number, extraFolders = foldersFor(root) } = options;
  const published = readTree(root);
  const causes = new Map<string, Cause>();
  const because = (purpose: string, files: readonly string[]): void => {
    for (const file of files) causes.set(file, { purpose, points: [] });
  };
  // Before the patch, which makes of OpenClaw's lists of dist what they were with one entry more, at the end.
  const added = extraFolders.flatMap((folder) => bring(root, folder));
  for (const { purpose, file } of added) because(purpose, [file]);
  for (const { file, patched } of inventories(
    root,
    added.filter(({ file: path }) => path.startsWith("dist/")),
  ))
    writeFileSync(join(root, file), patched);
  const { files, lists, guard } = plan(root);
  for (const { file, points } of files) causes.set(file, { purpose: "patch points", points });
  because(
    "OpenClaw's own list of dist agrees with the patched files",
    lists.map(({ file }) => file),
  );
  because("the guard that the patch points call", [guard.file]);
  const { patchSet, points } = apply(root);
  say(`patched ${files.length} files at ${Object.values(points).reduce((sum, copies) => sum + copies, 0)} places`);

  edit(root, LAUNCHER, (text) => withVersionLine(text, release, number));
  because("openclaw --version shows both versions", [LAUNCHER]);
  copyFileSync(join(REPOSITORY, "LICENSE"), join(root, LICENSE_FILE));
  because("the licence of what was added", [LICENSE_FILE]);
  copyFileSync(join(REPOSITORY, NOTICES), join(root, NOTICES_FILE));
  because("the licences of others whose code is in what was added", [NOTICES_FILE]);
  edit(root, "package.json", (text) =>
    withPackageFiles(text, [LICENSE_FILE, NOTICES_FILE, MANIFEST_FILE, ...extraFolders.map(({ to }) => `${to}/`)]),
  );
  because("its list of files names what was added", ["package.json"]);

  const upstream = { package: `openclaw@${release}`, integrity };
  const manifest = buildManifest(
    { name: "openclaw", release, number, patchSet, upstream, points },
    published,
    readTree(root),
    causes,
  );
  writeFileSync(join(root, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  say(`wrote ${MANIFEST_FILE}: ${manifest.files.length} files`);
  return manifest;
}

/** Puts a folder's files into the package, and tells them as files that OpenClaw's lists do not have yet. */
function bring(
  root: string,
  { from, to, purpose, edit: rewrite = (_, text) => text }: ExtraFolder,
): readonly (Listed & { readonly purpose: string })[] {
  return filesIn(join(REPOSITORY, from)).map((name) => {
    const file = `${to}/${name}`;
    const patched = rewrite(name, readFileSync(join(REPOSITORY, from, name), "utf8"));
    mkdirSync(dirname(join(root, file)), { recursive: true, mode: 0o755 });
    writeFileSync(join(root, file), patched, { flag: "wx", mode: 0o644 });
    return { file, original: undefined, patched, purpose };
  });
}

function edit(root: string, file: string, rewrite: (text: string) => string): void {
  const path = join(root, file);
  writeFileSync(path, rewrite(readFileSync(path, "utf8")));
}
