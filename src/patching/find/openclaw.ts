/** Finds the OpenClaw that the user means: that of a project, a global one, or the one at a path. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { PatchError, patchError } from "../base/errors.ts";
import { openclawBehind } from "./executable.ts";
import { assertNotForeign } from "./foreign.ts";
import { type Place, type Way, openclawsOfMachine } from "./global.ts";
import { manifestIn } from "./package.ts";
import { openclawOfProject } from "./project.ts";
import { readInstallation } from "./installation.ts";

/**
 * Which OpenClaw to find. Without `path` and `global`: that of the project around the current folder, or where there is
 * none the one of the machine.
 */
export interface FindOptions {
  /** The package's folder, a project's folder, or the file that starts OpenClaw. */
  readonly path?: string;
  /** Finds global installations. */
  readonly global?: boolean;
  /** Never the machine's, where the project has none. */
  readonly onlyProject?: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

/** An OpenClaw that was found. */
export interface Found {
  /** The folder of the OpenClaw, with all symbolic links resolved. */
  readonly root: string;
  /** The version in its package.json; "unknown" when that cannot be read. */
  readonly release: string;
  /** How it was found; several ways can lead to the same folder. */
  readonly ways: readonly Way[];
  /** Paths before symbolic links were resolved; they stay the same over an update that changes `root`. */
  readonly places: readonly string[];
  /** Whether it is in pnpm's global virtual store, where all projects with the same OpenClaw share these files. */
  readonly shared: boolean;
}

/** What decides what an OpenClaw is: its version, its code, and the file that starts it. */
const DECISIVE = ["package.json", "dist", "openclaw.mjs"];

/**
 * Finds all OpenClaws that match the options, each once, at least one. Whether they are supported, damaged or patched
 * is not checked. Throws `openclaw-missing` or `openclaw-in-archive`, and `openclaw-foreign` where another user of the
 * machine decides which one is found, or what it is.
 */
export function findInstallations(options: FindOptions = {}): readonly Found[] {
  const { path, global = false, onlyProject = false, env = process.env } = options;
  const found = global ? [] : merge(placesAt(path));
  if (found.length > 0) return found;
  const isForProject = path !== undefined || onlyProject || runsInScript(env);
  const ofMachine = global || !isForProject ? merge(openclawsOfMachine(env)) : [];
  if (ofMachine.length > 0) return ofMachine;
  throw global ? missingOnMachine() : missingAt(path ?? ".", isForProject);
}

/** Whether a script of a package runs this, at its installation for instance: it may only concern its own project. */
function runsInScript(env: NodeJS.ProcessEnv): boolean {
  const script = env["npm_lifecycle_event"];
  return script !== undefined && script !== "npx";
}

/**
 * Finds the one OpenClaw that matches the options; it has a readable package.json and a dist. Throws what
 * {@link findInstallations} throws, `openclaw-ambiguous` when there are several, and `openclaw-missing` for one without
 * these.
 */
export function findInstallation(options: FindOptions = {}): Found {
  const [found, ...others] = findInstallations(options);
  if (found !== undefined && others.length === 0) {
    readInstallation(found.root);
    return found;
  }
  const all = found === undefined ? others : [found, ...others];
  throw patchError("openclaw-ambiguous", {
    expected: "one OpenClaw",
    found: all.map(({ root, release, ways }) => `${release} in ${root} (${ways.join(", ")})`).join("; "),
    todo: "Name one of these folders with --path; nothing was changed.",
  });
}

function placesAt(path: string | undefined): readonly Place[] {
  const start = resolve(path ?? ".");
  const kind = statSync(start, { throwIfNoEntry: false });
  if (kind === undefined) {
    throw patchError("openclaw-missing", {
      expected: `a folder or a file at ${start}`,
      found: "nothing there",
      todo: "Correct --path; nothing was changed.",
    });
  }
  const way: Way = path === undefined ? "project" : "path";
  if (kind.isDirectory()) return openclawOfProject(start).map((place) => ({ way, place }));
  const root = openclawBehind(start);
  if (root !== undefined) return [{ way, place: start, root }];
  throw patchError("openclaw-missing", {
    expected: `the file that starts OpenClaw at ${start}`,
    found: "a file that belongs to no package named openclaw and names none",
    todo: "Name the folder of OpenClaw with --path; nothing was changed.",
  });
}

function merge(places: readonly Place[]): readonly Found[] {
  const byRoot = new Map<string, Place[]>();
  for (const place of places) {
    assertNotForeign(place.place, place.root ?? place.place);
    const root = realpathSync(place.root ?? place.place);
    for (const path of [root, ...DECISIVE.map((name) => join(root, name)).filter((one) => existsSync(one))])
      assertNotForeign(path, root);
    byRoot.set(root, [...(byRoot.get(root) ?? []), place]);
  }
  return [...byRoot].map(([root, led]) => ({
    root,
    release: manifestIn(root)?.version ?? "unknown",
    ways: [...new Set(led.map(({ way }) => way))],
    places: [...new Set(led.map(({ place }) => place))],
    shared: /[\\/]store[\\/]v\d+[\\/]links[\\/]/.test(root),
  }));
}

function missingAt(start: string, isForProject: boolean): PatchError {
  const elsewhere = isForProject ? "" : ", and none that is installed globally";
  return patchError("openclaw-missing", {
    expected: "OpenClaw, or a project that has it installed",
    found: `no OpenClaw in ${resolve(start)} or above it${elsewhere}`,
    todo:
      "Install OpenClaw (npm install openclaw), run this in the project or workspace that uses it, or name its " +
      `folder with --path.${isForProject ? " If the OpenClaw of this machine is meant, add --global." : ""}`,
  });
}

function missingOnMachine(): PatchError {
  return patchError("openclaw-missing", {
    expected: "OpenClaw installed globally by npm, pnpm, Yarn classic or Bun, or a command `openclaw` in PATH",
    found: "none",
    todo: "Install it (npm install -g openclaw) or name its folder with --path.",
  });
}
