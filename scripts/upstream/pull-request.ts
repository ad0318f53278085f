import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readFields } from "./json.ts";

/** A file that a diff was made against. */
export interface SourceFile {
  /** GitHub repository (owner/name) that the contents were read from. */
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  /** Of the contents; they are not kept in this repository. */
  readonly sha256: string;
}

/** What UPSTREAM.md says of a pull request, in the fields of Debian's DEP-3. */
export interface Meta {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly origin: string;
  readonly bug: readonly string[];
  readonly forwarded: string;
  readonly appliedUpstream: string | null;
  readonly lastUpdate: string;
  readonly dropWhen: string;
  /** Patch points of src/patching/points/index.ts that it would make unnecessary. */
  readonly replaces: readonly string[];
  readonly releases: string;
}

/** One folder of `upstream/`. */
export interface PullRequest {
  readonly name: string;
  readonly folder: string;
  readonly meta: Meta;
  readonly source: readonly SourceFile[];
  /** Text of change.diff. */
  readonly diff: string;
  /** Text of PR.md. */
  readonly description: string;
}

/** Files that every folder has. */
const PARTS = ["PR.md", "change.diff", "source.json", "proof.json", "meta.json"] as const;

/** Names of the folders of the series, in order; with `number` only the one that begins with it. */
export function listSeries(root: string, number?: string): readonly string[] {
  const names = readdirSync(root)
    .filter((name) => /^\d\d-/.test(name))
    .toSorted();
  const chosen = names.filter((name) => number === undefined || name.startsWith(`${number.padStart(2, "0")}-`));
  if (chosen.length === 0)
    throw new Error(`expected a pull request ${number ?? ""} in ${root}; found ${names.join(", ") || "none"}.`);
  return chosen;
}

/** Reads a folder; throws an error that names the file or field that is missing or wrong. */
export function readPullRequest(root: string, name: string): PullRequest {
  const folder = join(root, name);
  const missing = PARTS.filter((part) => !existsSync(join(folder, part)));
  if (missing.length > 0) throw new Error(`${name}: expected ${PARTS.join(", ")}; ${missing.join(", ")} is missing.`);
  return {
    name,
    folder,
    meta: readMeta(join(folder, "meta.json"), `${name}/meta.json`),
    source: readSource(join(folder, "source.json"), `${name}/source.json`),
    diff: readFileSync(join(folder, "change.diff"), "utf8"),
    description: readFileSync(join(folder, "PR.md"), "utf8"),
  };
}

function readMeta(path: string, where: string): Meta {
  const fields = readFields(path, where);
  return {
    id: fields.text("id"),
    subject: fields.text("subject"),
    description: fields.text("description"),
    origin: fields.text("origin"),
    bug: fields.texts("bug"),
    forwarded: fields.text("forwarded"),
    appliedUpstream: fields.textOrNull("appliedUpstream"),
    lastUpdate: fields.text("lastUpdate"),
    dropWhen: fields.text("dropWhen"),
    replaces: fields.texts("replaces"),
    releases: fields.text("releases"),
  };
}

function readSource(path: string, where: string): SourceFile[] {
  return readFields(path, where)
    .objects("files")
    .map((file) => ({
      repository: file.text("repository"),
      commit: file.text("commit"),
      path: file.text("path"),
      sha256: file.text("sha256"),
    }));
}
