/** What a proof reads of the package of an OpenClaw. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../transcript/json/json.ts";
import { readJsonObject } from "../../base/read-json-object.ts";

/** The package of an OpenClaw. */
export interface OpenClawPackage {
  readonly root: string;
  readonly release: string;
  /** The file that starts it. */
  readonly entry: string;
  /** The versions of Node that it names, as in package.json; absent when it names none. */
  readonly nodeRange?: string;
  /** The guard that the patch has added; absent when it is not there. */
  readonly guard?: { readonly version: string; readonly sha256: string };
  /** Whether plugins can import its session manager, without which its sessions are files. */
  readonly offersSessions: boolean;
}

/** The key of the config by which later releases can be told to fetch no list of models; earlier ones refuse it. */
const CATALOG_KEY = "catalogRefresh";

/** Whether the release has the config key `models.catalogRefresh`. Reads its code. */
export function refreshesCatalog({ root }: OpenClawPackage): boolean {
  const dist = join(root, "dist");
  try {
    return readdirSync(dist).some(
      (name) => /\.m?js$/.test(name) && readFileSync(join(dist, name)).includes(CATALOG_KEY),
    );
  } catch {
    return false;
  }
}

/** Reads the package in `root`; undefined when there is no OpenClaw. */
export function readPackage(root: string): OpenClawPackage | undefined {
  const manifest = readJsonObject(join(root, "package.json"));
  if (manifest?.name !== "openclaw" || typeof manifest.version !== "string") return undefined;
  const { bin, engines, exports } = manifest;
  const entry = isObject(bin) ? bin.openclaw : bin;
  const nodeRange = isObject(engines) ? engines.node : undefined;
  const guard = guardIn(root);
  return {
    root,
    release: manifest.version,
    entry: join(root, typeof entry === "string" ? entry : "openclaw.mjs"),
    ...(typeof nodeRange === "string" && { nodeRange }),
    ...(guard !== undefined && { guard }),
    offersSessions: isObject(exports) && "./plugin-sdk/agent-sessions" in exports,
  };
}

function guardIn(root: string): OpenClawPackage["guard"] {
  try {
    const text = readFileSync(join(root, "dist", "openclaw-integrity.mjs"), "utf8");
    const version = /^ \* openclaw-integrity (\S+): /m.exec(text)?.[1] ?? "unknown";
    return { version, sha256: createHash("sha256").update(text).digest("hex") };
  } catch {
    return undefined;
  }
}
