/** The dependency of OpenClaw's lock files that is fetched from GitHub, and what stands in for it. */
import { parse, stringify } from "yaml";

/** The package of the registry that npm installations of old releases get too. */
const INSTEAD = {
  name: "libsignal",
  version: "6.0.0",
  integrity: "sha512-d/5V3YFtDljbFMufz4ncyUYGYhJl+vzAe+c2EFFBQ6bz1h8Q3IOMEGXYMzlibU60I+e8GagMMpji18iez3P1hA==",
  /** What it depends on, of which the lock file has to have a version of that major. */
  needs: { "curve25519-js": "0", protobufjs: "7" },
} as const;

/** What was replaced, for the report. */
export const REPLACED = `libsignal of the WhatsApp channel: from the registry (${INSTEAD.version}) instead of GitHub`;

interface Lock {
  readonly packages: Record<string, unknown>;
  readonly snapshots: Record<string, { dependencies?: Record<string, string> }>;
}

/**
 * Returns a `pnpm-lock.yaml` that takes libsignal from the registry; undefined for one that takes it from there already.
 * Everything else has the same versions. Throws for a lock file without what libsignal needs.
 */
export function withoutGitHub(text: string): string | undefined {
  const lock = parse(text) as Lock;
  const { packages, snapshots } = lock;
  const key = Object.keys(packages).find((name) => name.startsWith("@whiskeysockets/libsignal-node@https://"));
  if (key === undefined) return undefined;
  const id = `${INSTEAD.name}@${INSTEAD.version}`;
  packages[id] = { resolution: { integrity: INSTEAD.integrity } };
  snapshots[id] = {
    dependencies: Object.fromEntries(
      Object.entries(INSTEAD.needs).map(([name, major]) => [name, versionIn(packages, name, major)]),
    ),
  };
  delete packages[key];
  delete snapshots[key];
  for (const { dependencies = {} } of Object.values(snapshots))
    for (const [name, version] of Object.entries(dependencies))
      if (version === key) dependencies[name] = INSTEAD.version;
  return stringify(lock, { lineWidth: 0, aliasDuplicateObjects: false });
}

function versionIn(packages: Lock["packages"], name: string, major: string): string {
  const found = Object.keys(packages).find((id) => id.startsWith(`${name}@${major}.`));
  if (found === undefined)
    throw new Error(`expected ${name}@${major} in the lock file, which ${INSTEAD.name} needs; found none.`);
  return found.slice(name.length + 1);
}
