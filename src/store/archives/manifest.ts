/**
 * Archives of sessions that are rows in OpenClaw's database (since 2026.8): the rows stay where they are, and a small
 * file, `integrity-archives/<session id>-<time>.json` in the state directory, records which entry was the leaf.
 */
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolder } from "../../base/files/index.ts";
import { isObject, toJson } from "../../transcript/json/json.ts";
import { timeInFileName } from "../../base/time.ts";
import { putFile, unlessRefused } from "./durable-file.ts";
import { hasCode, describeError, storeError } from "../errors.ts";
import type { SessionTarget, TreeEntry } from "../openclaw/openclaw-sessions.ts";

/** Name of the folder with the manifests in the state directory. */
export const ARCHIVES = "integrity-archives";

const FORMAT = "openclaw-integrity archive";
const VERSION = 1;

/** The content of an archive. */
export interface Manifest {
  readonly release?: string;
  readonly sessionId: string;
  readonly sessionKey?: string;
  readonly agentId?: string;
  /** The leaf when the archive was made. */
  readonly leafEntryId: string;
  /** How many message entries the hash covers: the last ones of the path, when the session was loaded in part. */
  readonly messages: number;
  /** See `hashOfMessages`. */
  readonly sha256: string;
}

/** A manifest with its path and the state directory that contains it. */
export interface FoundManifest extends Manifest {
  readonly path: string;
  readonly stateDirectory: string;
}

/** SHA-256, in hex, of the last `count` message entries of a path as JSON, each followed by a line feed. */
export function hashOfMessages(path: readonly unknown[], count: number): string {
  const messages = messageEntries(path);
  const hash = createHash("sha256");
  for (const entry of messages.slice(Math.max(0, messages.length - count))) hash.update(`${toJson(entry)}\n`);
  return hash.digest("hex");
}

/** The message entries of a path. */
export function messageEntries(path: readonly unknown[]): readonly unknown[] {
  return path.filter((entry) => isObject(entry) && entry["type"] === "message");
}

/** Reads a manifest. Throws `archive-missing`, `archive-foreign`, `archive-moved` or `store-unreadable`. */
export function readManifest(file: string): FoundManifest {
  const path = resolve(file);
  const value = parse(path);
  const manifest = isObject(value) ? manifestFrom(value) : undefined;
  if (manifest === undefined) {
    throw storeError("archive-foreign", {
      expected:
        `an archive of openclaw-integrity (format "${FORMAT}", version ${VERSION}, with sessionId, leafEntryId, ` +
        "messages and sha256)",
      found: isObject(value)
        ? `format ${JSON.stringify(value["format"])}, version ${JSON.stringify(value["version"])}`
        : "no JSON object",
      todo:
        `Name a file of the folder ${ARCHIVES} in OpenClaw's state directory; one of a later version needs a ` +
        "later openclaw-integrity.",
    });
  }
  if (basename(dirname(path)) !== ARCHIVES) {
    throw storeError("archive-moved", {
      expected:
        `the archive in the folder ${ARCHIVES} of OpenClaw's state directory, ` +
        "which tells whose sessions it is about",
      found: `it in ${dirname(path)}`,
      todo: "Put it back there and run it again; nothing was changed.",
    });
  }
  return { ...manifest, path, stateDirectory: dirname(dirname(path)) };
}

/** Writes a manifest into the state directory and returns its path. Throws `not-writable` or `unsafe-path`. */
export function writeManifest(stateDirectory: string, manifest: Manifest): string {
  const folder = join(stateDirectory, ARCHIVES);
  unlessRefused(folder, () => makeFolder(folder));
  const at = new Date().toISOString();
  // Session ids come from OpenClaw's callers and must not lead out of the folder.
  const path = join(folder, `${manifest.sessionId.replaceAll(/[/\\\0]/g, "_")}-${timeInFileName(at)}.json`);
  putFile(path, `${JSON.stringify({ format: FORMAT, version: VERSION, ...manifest, at }, null, 2)}\n`, 0o600, {
    shared: "allow",
    last: "replace",
  });
  return path;
}

/**
 * Writes a manifest of a session's path before the session is changed, and returns the manifest's path. Throws
 * `not-writable` or `unsafe-path`.
 */
export function archivePath(
  stateDirectory: string,
  { agentId, sessionKey, sessionId }: SessionTarget,
  path: readonly TreeEntry[],
  release?: string,
): string {
  const messages = messageEntries(path).length;
  const leafEntryId = path.at(-1)?.id ?? "";
  return writeManifest(stateDirectory, {
    ...(release !== undefined && { release }),
    agentId,
    sessionKey,
    sessionId,
    leafEntryId,
    messages,
    sha256: hashOfMessages(path, messages),
  });
}

/**
 * Removes the archive of a change that failed, if `isUnchanged` says that nothing was changed: there is nothing to
 * return to. Never throws: an archive too many does no harm.
 */
export function withdrawArchive(path: string, isUnchanged: () => boolean): void {
  try {
    if (isUnchanged()) rmSync(path);
  } catch {
    // It stays, and is restored as what is there already.
  }
}

function parse(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT"))
      throw storeError("archive-missing", {
        expected: `an archive at ${path}`,
        found: "nothing there",
        todo: "Correct the path.",
      });
    throw storeError("store-unreadable", {
      expected: `to read ${path}`,
      found: describeError(error),
      todo: "Run it as the user OpenClaw runs as; nothing was changed.",
      cause: error,
    });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function manifestFrom(value: Readonly<Record<string, unknown>>): Manifest | undefined {
  const { format, version, sessionId, leafEntryId, messages, sha256, release, sessionKey, agentId } = value;
  if (format !== FORMAT || version !== VERSION) return undefined;
  if (
    typeof sessionId !== "string" ||
    typeof leafEntryId !== "string" ||
    typeof messages !== "number" ||
    typeof sha256 !== "string"
  )
    return undefined;
  return {
    ...(typeof release === "string" && { release }),
    sessionId,
    ...(typeof sessionKey === "string" && { sessionKey }),
    ...(typeof agentId === "string" && { agentId }),
    leafEntryId,
    messages,
    sha256,
  };
}
