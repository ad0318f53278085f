/**
 * What an installed OpenClaw says of the plugin, by its own command line, and what its code says that it can. Issue 6,
 * item 6.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pluginError } from "./errors.ts";
import { PLUGIN_ID } from "./folder.ts";

/** What differs between the releases, each told by a text of OpenClaw's own code. */
const TELLING = {
  /**
   * The config knows plugins.entries.<id>.hooks.allowConversationAccess; with that key, earlier releases (measured to
   * 2026.4.11) refuse all of it.
   */
  conversationAccess: "allowConversationAccess",
  /**
   * A load path that is gone is a warning; earlier releases refuse the whole config (measured to 2026.6.11) and do not
   * start.
   */
  sparesMissing: "configured-plugin-path-unavailable",
  /** An installation is recorded in the state directory, with the consent to what the plugin declares. */
  keepsConsent: "--accept-capabilities",
  /** `plugins info --runtime` loads the plugin as the gateway does; without that option it always does. */
  runtimeInfo: "Load plugin runtime",
} as const;

/** What an OpenClaw can. */
export type Abilities = Readonly<Record<keyof typeof TELLING, boolean>>;

/** What OpenClaw says of the plugin. */
export interface PluginReport {
  readonly isLoaded: boolean;
  /** Its own word: `loaded`, `disabled`, `error`; undefined when it does not know the plugin. */
  readonly status: string | undefined;
  /** The folder it is loaded from. */
  readonly folder: string | undefined;
  /** What it has against it. */
  readonly diagnostics: readonly string[];
}

interface Spoken {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

const WAIT_MS = 300_000;

/** Reads from its code what the OpenClaw in `root` can. */
export function abilitiesOf(root: string): Abilities {
  const dist = join(root, "dist");
  const wanted = new Set(Object.values<string>(TELLING));
  for (const name of readdirSync(dist)) {
    if (wanted.size === 0) break;
    if (!/\.m?js$/.test(name)) continue;
    const bytes = readFileSync(join(dist, name));
    for (const text of wanted) if (bytes.includes(text)) wanted.delete(text);
  }
  return Object.fromEntries(
    Object.entries(TELLING).map(([ability, text]) => [ability, !wanted.has(text)]),
  ) as Abilities;
}

/**
 * Asks OpenClaw for the plugin; it loads it for that. Throws `openclaw-refused` when it does not answer, e.g. because
 * of its config.
 */
export function reportOf(root: string, { runtimeInfo }: Abilities): PluginReport {
  const spoken = speak(root, ["plugins", "info", PLUGIN_ID, "--json", ...(runtimeInfo ? ["--runtime"] : [])]);
  const said = `${spoken.out}${spoken.error}`;
  if (spoken.code !== 0 && /plugin not found/i.test(said) && !/config( is)? invalid/i.test(said))
    return { isLoaded: false, status: undefined, folder: undefined, diagnostics: [] };
  // Releases of early 2026 may print more in front of it.
  const answer = spoken.code === 0 ? parse(spoken.out.slice(Math.max(0, spoken.out.indexOf("{")))) : undefined;
  if (answer === undefined) throw refused(`to say whether ${PLUGIN_ID} is loaded`, spoken);
  const { plugin = answer, diagnostics } = answer as {
    plugin?: Record<string, unknown>;
    diagnostics?: readonly { message?: unknown; pluginId?: unknown }[];
  };
  const { status, source, rootDir, error: own } = plugin as Record<string, unknown>;
  const against = (diagnostics ?? [])
    .filter(({ pluginId }) => pluginId === undefined || pluginId === PLUGIN_ID)
    .map(({ message }) => String(message));
  return {
    isLoaded: status === "loaded",
    status: typeof status === "string" ? status : undefined,
    folder: typeof rootDir === "string" ? rootDir : typeof source === "string" ? join(source, "..") : undefined,
    diagnostics: typeof own === "string" ? [own, ...against] : against,
  };
}

/**
 * Lets OpenClaw install the plugin itself, with the user's consent to what it declares: it records that, and names the
 * folder in its config. A running gateway does it, if there is one. Returns what OpenClaw says when it does not.
 */
export function installByOpenClaw(root: string, folder: string): string | undefined {
  const spoken = speak(root, ["plugins", "install", "--link", folder, "--force", "--accept-capabilities"]);
  return spoken.code === 0 && spoken.out.includes(folder) ? undefined : lastWords(spoken);
}

/** Lets OpenClaw take its record and the keys it has written out again. Returns what it says when it does not. */
export function uninstallByOpenClaw(root: string): string | undefined {
  const spoken = speak(root, ["plugins", "uninstall", PLUGIN_ID, "--force", "--keep-files"]);
  return spoken.code === 0 ? undefined : lastWords(spoken);
}

function speak(root: string, args: readonly string[]): Spoken {
  const env = { ...process.env, NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "openclaw.mjs"), ...args], {
    env,
    encoding: "utf8",
    timeout: WAIT_MS,
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 << 20,
  });
  return { code: status, out: stdout, error: stderr };
}

function refused(expected: string, spoken: Spoken): Error {
  return pluginError("openclaw-refused", {
    expected: `OpenClaw ${expected}`,
    found: lastWords(spoken),
    todo: "Do what it says (openclaw doctor may know more), then run this again; its config is as it was.",
  });
}

function lastWords({ code, out, error }: Spoken): string {
  const said = (error.trim() === "" ? out : error)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return said.length === 0 ? `no answer (exit code ${code})` : said.slice(-12).join(" | ");
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
