// Runs after `npm install`, on whatever Node npm runs on. In a checkout of this repository it makes everything ready;
// in a project that depends on openclaw-integrity it patches that project's own OpenClaw, and no other: which project
// that is tells the place where this package lies, and not the environment or the folder that a package manager was
// called in. OPENCLAW_INTEGRITY_POSTINSTALL=off: do nothing. =strict: a refusal fails the installation; else it is a
// warning, because a release that cannot be patched must not keep people from installing their other packages.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const NONE = "no OpenClaw in this project yet. Once it is there, run: npx openclaw-integrity apply";
const isCheckout = existsSync(join(home, "src")) && !home.split(sep).includes("node_modules");

if (process.env.OPENCLAW_INTEGRITY_POSTINSTALL === "off") {
  say("postinstall is off (OPENCLAW_INTEGRITY_POSTINSTALL=off)");
} else if (isCheckout) setUpCheckout();
else patchProject();

function setUpCheckout() {
  const node = findNode();
  if (node === undefined) {
    console.error(
      `openclaw-integrity: expected Node 24.16 or newer to run OpenClaw 2026.9.6 with; found ${process.version} and no npm package ` +
        `of Node for ${process.platform}-${process.arch}. Install Node 24 (https://nodejs.org) and run npm ci again.`,
    );
    process.exit(1);
  }
  try {
    execFileSync(node, [join(home, "scripts", "setup", "main.ts")], { cwd: home, stdio: "inherit" });
  } catch {
    // It has said what is wrong.
    process.exit(1);
  }
}

/** This Node, the one that npm installed beside us, or any other in PATH: the first that is new enough. */
function findNode() {
  const name = process.platform === "win32" ? "node.exe" : "node";
  const system = process.platform === "win32" ? "win" : process.platform;
  const packaged = join(home, "node_modules", `node-${system}-${process.arch}`, "bin", name);
  const inPath = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  return [process.execPath, packaged, ...inPath].find((path) => existsSync(path) && isNewEnough(path));
}

function isNewEnough(path) {
  try {
    const version =
      path === process.execPath ? process.version : execFileSync(path, ["--version"], { encoding: "utf8" });
    const [major, minor] = version.trim().slice(1).split(".").map(Number);
    return major > 24 || (major === 24 && minor >= 16);
  } catch {
    return false;
  }
}

function patchProject() {
  const project = findProject(home);
  if (project === undefined) {
    return say(
      "this package belongs to no project here (it is installed globally, or linked): nothing was patched. Run: openclaw-integrity apply, in a project or with --global",
    );
  }
  const { folder, isPackage } = findOpenClaw(project) ?? {};
  if (folder === undefined) return say(NONE);
  if (!isWithin(folder, project.workspace ?? project.top)) {
    return say(
      `the OpenClaw of this project lies outside of it (${realpathSync(folder)}), where others may use it too: nothing was patched. Run: npx openclaw-integrity apply`,
    );
  }
  const { ok, code, message, release, root, action, warnings = [] } = applyTo(folder);
  if (ok) {
    say(`OpenClaw ${release} ${action === "already" ? "is already patched" : "is patched"} (${root})`);
    for (const warning of warnings) console.error(shown(`openclaw-integrity: warning: ${warning}`));
  } else if (code === "openclaw-missing" && !isPackage) {
    say(NONE);
  } else {
    console.error(
      [
        "",
        "!! openclaw-integrity: OpenClaw is NOT patched",
        `!! refused (${code}): ${message}`,
        "!! Look at it with: npx openclaw-integrity explain",
        "",
      ]
        .map(shown)
        .join("\n"),
    );
    if (process.env.OPENCLAW_INTEGRITY_POSTINSTALL === "strict") process.exitCode = 1;
  }
}

/**
 * The package whose node_modules this one lies in, with the workspace that it is part of; undefined where there is
 * none. Stores, which package managers keep for all projects, and a global node_modules have no package.json above
 * them.
 */
function findProject(folder) {
  for (let at = dirname(folder); at !== dirname(at); at = dirname(at)) {
    const above = dirname(at);
    if (isGlobal(above)) return undefined;
    if (basename(at) === "node_modules" && manifestIn(above) !== undefined)
      return { top: above, workspace: findWorkspace(above) };
    // Yarn Plug'n'Play has no node_modules; packages with scripts lie in .yarn/unplugged of the project.
    if (existsSync(join(at, ".pnp.cjs")) && manifestIn(at) !== undefined) return { top: at };
  }
  return undefined;
}

/**
 * The folder of what pnpm, Yarn classic or Bun installs globally has a package.json and is no project: the OpenClaw
 * there is patched by nobody's wish to have a command.
 */
function isGlobal(folder) {
  return /[\\/](?:pnpm[\\/]global[\\/].+|yarn[\\/](?:data[\\/])?global|\.bun[\\/]install[\\/]global)$/i.test(folder);
}

/**
 * The package above whose node_modules has this one by a link, as package managers lay out the workspaces of a project.
 */
function findWorkspace(folder) {
  const { name } = manifestIn(folder);
  if (typeof name !== "string" || name === "") return undefined;
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    if (manifestIn(above)?.workspaces !== undefined && isSame(join(above, "node_modules", name), folder)) return above;
  }
  return undefined;
}

/** The OpenClaw that code of this package would get, looked for no further up than the project goes. */
function findOpenClaw({ top, workspace = top }) {
  for (let at = home; ; at = dirname(at)) {
    const installed = join(at, "node_modules", "openclaw");
    if (basename(at) !== "node_modules" && existsSync(installed)) return { folder: installed, isPackage: true };
    if (manifestIn(at)?.name === "openclaw") return { folder: at, isPackage: true };
    // Yarn's own manifest knows where it is, if it is.
    if (existsSync(join(at, ".pnp.cjs"))) return { folder: at, isPackage: false };
    if (at === workspace || at === dirname(at)) return undefined;
  }
}

function isWithin(path, folder) {
  return `${realpathSync(path)}${sep}`.startsWith(`${realpathSync(folder)}${sep}`);
}

function isSame(path, folder) {
  try {
    return realpathSync(path) === realpathSync(folder);
  } catch {
    return false;
  }
}

function manifestIn(folder) {
  try {
    const value = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What `openclaw-integrity apply --json` says of a folder. */
function applyTo(folder) {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(home, "dist", "cli.mjs"), "apply", "--json", "--path", folder],
    { cwd: home, encoding: "utf8" },
  );
  try {
    return JSON.parse(stdout);
  } catch {
    return { ok: false, code: "failed", message: stderr.trim() };
  }
}

function say(line) {
  console.log(shown(`openclaw-integrity: ${line}`));
}

/** What a terminal would act on, in the name of a folder for one, is shown. */
function shown(line) {
  return line.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.codePointAt(0).toString(16).padStart(4, "0")}`,
  );
}
