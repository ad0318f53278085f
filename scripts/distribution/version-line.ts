/**
 * What makes `openclaw --version` show both versions.
 *
 * The version in package.json and dist/build-info.json stays the release's own. OpenClaw compares it with the latest
 * one on the registry, with the versions plugins ask for, with the one that last wrote the configuration and with that
 * of its nodes. `2026.9.6-integrity.1` is a prerelease of 2026.9.6, so that plugins would be refused and the update
 * would take the patch for an older OpenClaw; `2026.9.6+integrity.1` is not equal to 2026.9.6 where texts are compared.
 * So only the line that is shown to people gets the number, in the launcher, by one line of ours.
 */
import { GUARD_FILE } from "../../src/patching/base/guard-file.ts";
import { markLine } from "../../src/patching/base/marks.ts";

/** OpenClaw's launcher, in every release. */
export const LAUNCHER = "openclaw.mjs";

/**
 * The launcher with one more line. `OpenClaw 2026.9.6 (eb377ac)` becomes `OpenClaw 2026.9.6 (eb377ac)
 * openclaw-integrity.1`; the bare `2026.2.3` of early releases, which programs read as a version, becomes
 * `2026.2.3+integrity.1`. Where the guard has been taken out again, the version is shown as it was.
 */
export function withVersionLine(launcher: string, release: string, number: number): string {
  const lines = launcher.split("\n");
  lines.splice(lines[0]?.startsWith("#!") ? 1 : 0, 0, markLine("version", statement(release, number)));
  return lines.join("\n");
}

/** Imports nothing: a copy of the launcher must start without the rest of the package, as OpenClaw's cloud nodes do. */
function statement(release: string, number: number): string {
  const shown = String.raw`/^(OpenClaw )?${release.replaceAll(".", String.raw`\.`)}( \([0-9a-f]{7}\))?(?=\s*$)/`;
  const asked = String.raw`process.argv.slice(2).some((word) => /^(--version|-[vV])$/.test(word))`;
  const guarded = `process.getBuiltinModule?.("node:fs").existsSync(new URL("./${GUARD_FILE}", import.meta.url))`;
  const both = `(line, name) => line + (name ? " openclaw-integrity.${number}" : "+integrity.${number}")`;
  return (
    `if (${asked} && ${guarded}) { const write = process.stdout.write; process.stdout.write = (text, ...more) => ` +
    `write.call(process.stdout, typeof text === "string" ? text.replace(${shown}, ${both}) : text, ...more); }`
  );
}
