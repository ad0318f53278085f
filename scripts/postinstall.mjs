// Runs after `npm install`, on whatever Node npm runs on. In a checkout of this repository it makes everything ready; in a
// project that depends on openclaw-integrity it patches the project's own OpenClaw.
// OPENCLAW_INTEGRITY_POSTINSTALL=off: do nothing. =strict: a refusal fails the installation; else it is a warning, because a
// release that cannot be patched must not keep people from installing their other packages.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const home = dirname(dirname(fileURLToPath(import.meta.url)));
const isCheckout = existsSync(join(home, "src")) && !home.split(sep).includes("node_modules");

if (process.env.OPENCLAW_INTEGRITY_POSTINSTALL === "off") {
  console.log("openclaw-integrity: postinstall is off (OPENCLAW_INTEGRITY_POSTINSTALL=off)");
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
    execFileSync(node, [join(home, "scripts", "setup.ts")], { cwd: home, stdio: "inherit" });
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
    const version = path === process.execPath ? process.version : execFileSync(path, ["--version"], { encoding: "utf8" });
    const [major, minor] = version.trim().slice(1).split(".").map(Number);
    return major > 24 || (major === 24 && minor >= 16);
  } catch {
    return false;
  }
}

function patchProject() {
  // The OpenClaw that this package would import, else that of the folder the package manager was called in.
  const beside = applyIn(home);
  const { ok, code, message, release, root, action, warnings = [] } =
    beside.code === "openclaw-missing" ? applyIn(process.env.INIT_CWD ?? process.cwd()) : beside;
  if (ok) {
    console.log(`openclaw-integrity: OpenClaw ${release} ${action === "already" ? "is already patched" : "is patched"} (${root})`);
    for (const warning of warnings) console.error(`openclaw-integrity: warning: ${warning}`);
  } else if (code === "openclaw-missing") {
    console.log("openclaw-integrity: no OpenClaw in this project yet. Once it is there, run: npx openclaw-integrity apply");
  } else {
    console.error(
      ["", "!! openclaw-integrity: OpenClaw is NOT patched", `!! refused (${code}): ${message}`, "!! Look at it with: npx openclaw-integrity explain", ""].join("\n"),
    );
    if (process.env.OPENCLAW_INTEGRITY_POSTINSTALL === "strict") process.exitCode = 1;
  }
}

/** What `openclaw-integrity apply --json` says in a folder. */
function applyIn(folder) {
  const { stdout, stderr } = spawnSync(process.execPath, [join(home, "dist", "cli.mjs"), "apply", "--json"], { cwd: folder, encoding: "utf8" });
  try {
    return JSON.parse(stdout);
  } catch {
    return { ok: false, code: "failed", message: stderr.trim() };
  }
}
