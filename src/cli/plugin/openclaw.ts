/**
 * Queries an installed OpenClaw about the plugin through its own command line, and reads its abilities from its code.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { waiting } from "../waiting.ts";
import { refusedByDisk } from "../../base/file-trouble.ts";
import { pluginError } from "./errors.ts";
import { PLUGIN_ID } from "./folder.ts";

/** Differences between the releases, each detected by a text in OpenClaw's code. */
const DISTINCTIVE_TEXTS = {
  /**
   * The config accepts plugins.entries.<id>.hooks.allowConversationAccess; earlier releases (measured up to 2026.4.11)
   * refuse a config with that key.
   */
  conversationAccess: "allowConversationAccess",
  /**
   * A missing load path is a warning; earlier releases (measured up to 2026.6.11) refuse the whole config and do not
   * start.
   */
  sparesMissing: "configured-plugin-path-unavailable",
  /** Installations are recorded in the state directory, with the consent to what the plugin declares. */
  keepsConsent: "--accept-capabilities",
  /**
   * `plugins info` loads the plugin as the gateway does only with the option `--runtime`; releases without that option
   * always load it.
   */
  runtimeInfo: "Load plugin runtime",
  /** A running gateway loads a plugin from a new load path without a restart; earlier ones (to 2026.5.28) restart. */
  reloadsPlugins: '"reloadPlugins"',
} as const;

/** Abilities of an OpenClaw release. */
export type Abilities = Readonly<Record<keyof typeof DISTINCTIVE_TEXTS, boolean>>;

/** OpenClaw's report on the plugin. */
export interface PluginReport {
  readonly isLoaded: boolean;
  /** OpenClaw's status: `loaded`, `disabled`, `error`; undefined when it does not find the plugin. */
  readonly status: string | undefined;
  /** The folder from which the plugin is loaded. */
  readonly folder: string | undefined;
  /** Why OpenClaw rejects or warns about the plugin. */
  readonly diagnostics: readonly string[];
  /** OpenClaw has no record of an installation of the plugin, as of each one that its config names by a folder. */
  readonly isUnrecorded: boolean;
}

interface ProcessOutput {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

const TIMEOUT_MS = 300_000;

/** Detects the abilities of the OpenClaw in `root` from its code. */
export function detectAbilities(root: string): Abilities {
  const dist = join(root, "dist");
  const wanted = new Set(Object.values<string>(DISTINCTIVE_TEXTS));
  for (const name of readdirSync(dist)) {
    if (wanted.size === 0) break;
    if (!/\.m?js$/.test(name)) continue;
    const bytes = readFileSync(join(dist, name));
    for (const text of wanted) if (bytes.includes(text)) wanted.delete(text);
  }
  return Object.fromEntries(
    Object.entries(DISTINCTIVE_TEXTS).map(([ability, text]) => [ability, !wanted.has(text)]),
  ) as Abilities;
}

/**
 * Asks OpenClaw about the plugin, which loads the plugin. Throws `openclaw-refused` when OpenClaw does not answer, for
 * instance because of its config.
 */
export function askOpenClaw(root: string, { runtimeInfo }: Abilities): PluginReport {
  waiting("asking OpenClaw whether it loads the plugin");
  const output = runOpenClaw(root, ["plugins", "info", PLUGIN_ID, "--json", ...(runtimeInfo ? ["--runtime"] : [])]);
  const printed = `${output.out}${output.error}`;
  if (output.code !== 0 && /plugin not found/i.test(printed) && !/config( is)? invalid/i.test(printed))
    return { isLoaded: false, status: undefined, folder: undefined, diagnostics: [], isUnrecorded: false };
  // Releases of early 2026 may print other lines before the JSON.
  const answer = output.code === 0 ? parse(output.out.slice(Math.max(0, output.out.indexOf("{")))) : undefined;
  if (answer === undefined) throw refused(`to say whether ${PLUGIN_ID} is loaded`, output);
  const { plugin = answer, diagnostics } = answer as {
    plugin?: Record<string, unknown>;
    diagnostics?: readonly { message?: unknown; pluginId?: unknown }[];
  };
  const { status, source, rootDir, error: own, trust } = plugin as Record<string, unknown>;
  const against = (diagnostics ?? [])
    .filter(({ pluginId }) => pluginId === undefined || pluginId === PLUGIN_ID)
    .map(({ message }) => String(message));
  return {
    isLoaded: status === "loaded",
    status: typeof status === "string" ? status : undefined,
    folder: typeof rootDir === "string" ? rootDir : typeof source === "string" ? join(source, "..") : undefined,
    diagnostics: typeof own === "string" ? [own, ...against] : against,
    isUnrecorded: (trust as { readonly reason?: unknown } | undefined)?.reason === "record-missing",
  };
}

/**
 * Lets OpenClaw install the plugin, with the user's consent to what it declares: OpenClaw records the consent and adds
 * the folder to its config. A running gateway does the work, if there is one. Returns OpenClaw's message when it
 * refuses.
 */
export function installByOpenClaw(root: string, folder: string): string | undefined {
  waiting("OpenClaw installs the plugin");
  const output = runOpenClaw(root, ["plugins", "install", "--link", folder, "--force", "--accept-capabilities"]);
  return output.code === 0 && output.out.includes(folder) ? undefined : lastWords(output);
}

/** Lets OpenClaw remove its record and the keys that it wrote. Returns OpenClaw's message when it refuses. */
export function uninstallByOpenClaw(root: string): string | undefined {
  waiting("OpenClaw removes the plugin");
  const output = runOpenClaw(root, ["plugins", "uninstall", PLUGIN_ID, "--force", "--keep-files"]);
  return output.code === 0 ? undefined : lastWords(output);
}

function runOpenClaw(root: string, args: readonly string[]): ProcessOutput {
  const env = { ...process.env, NO_COLOR: "1" };
  const { error, status, stdout, stderr } = spawnSync(process.execPath, [join(root, "openclaw.mjs"), ...args], {
    env,
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 << 20,
  });
  // Without it a process that could not be started has no output at all.
  if (error !== undefined)
    throw pluginError(
      "openclaw-refused",
      refusedByDisk(error, {
        expected: `to run openclaw ${args.slice(0, 2).join(" ")} with ${process.execPath}`,
        asOwner: "Check that OpenClaw starts (openclaw --version).",
        ending: "Nothing was changed.",
      }),
    );
  return { code: status, out: stdout, error: stderr };
}

function refused(expected: string, output: ProcessOutput): Error {
  return pluginError("openclaw-refused", {
    expected: `OpenClaw ${expected}`,
    found: lastWords(output),
    todo: "Follow its message (openclaw doctor may show more), then run the command again; its config is unchanged.",
  });
}

function lastWords({ code, out, error }: ProcessOutput): string {
  const lines = (error.trim() === "" ? out : error)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return lines.length === 0 ? `no answer (exit code ${code})` : lines.slice(-12).join(" | ");
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
