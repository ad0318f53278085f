/**
 * What a snapshot leaves out. git leaves out what these patterns and the workspace's .gitignore name; a .gitignore can
 * overrule the patterns (`!.env`), so {@link whyLeftOut} judges every path again before its content is read.
 */

/** Folders of version control, dependencies and caches, and of OpenClaw's own state. Compared without case. */
const FOLDERS: readonly string[] = [
  ".git",
  ".hg",
  ".svn",
  ".jj",
  ".bzr",
  "CVS",
  "node_modules",
  "bower_components",
  ".venv",
  "venv",
  "__pycache__",
  ".tox",
  ".mypy_cache",
  ".pytest_cache",
  ".gradle",
  ".terraform",
  ".pnpm-store",
  ".yarn",
  ".direnv",
  ".cache",
  ".openclaw",
];

/** Names of files that hold secrets; `*` is any text without a slash. Compared without case. */
const SECRETS: readonly string[] = [
  ".env",
  ".env.*",
  ".envrc",
  ".netrc",
  "_netrc",
  ".pgpass",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".htpasswd",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "*.kdbx",
  "*.ppk",
  "*.asc",
  "*.gpg",
  "id_rsa",
  "id_rsa.*",
  "id_dsa",
  "id_dsa.*",
  "id_ecdsa",
  "id_ecdsa.*",
  "id_ed25519",
  "id_ed25519.*",
  "credentials.json",
  "service-account*.json",
  "auth-profiles.json",
];
/** Folders whose files are secrets. */
const SECRET_FOLDERS: readonly string[] = [".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store"];
const EXAMPLES = /^\.env\.(?:example|sample|template|dist)$/;

/** Beginning of the folder in a workspace in which files are staged during a move. */
export const STAGING_PREFIX = ".openclaw-integrity-move-";

/** The largest file that is captured. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** The largest workspace that is captured. */
export const MAX_FILES = 50_000;
export const MAX_BYTES = 512 * 1024 * 1024;

/** The patterns for git's `info/exclude`. */
export const IGNORED = [
  ...FOLDERS.filter((name) => name !== ".git").map((name) => `${name}/`),
  ...SECRET_FOLDERS.map((name) => `${name}/`),
  `${STAGING_PREFIX}*/`,
  ...SECRETS,
  // Examples hold no secret.
  ...["example", "sample", "template", "dist"].map((end) => `!.env.${end}`),
  "",
].join("\n");

export type LeftOutReason =
  | "version control, dependencies, caches"
  | "secrets"
  | "too large"
  | "unreadable"
  | "no file";

const FOLDER_NAMES = new Set(FOLDERS.map((name) => name.toLowerCase()));
const SECRET_FOLDER_NAMES = new Set(SECRET_FOLDERS.map((name) => name.toLowerCase()));
const SECRET_NAMES = new Set(SECRETS.filter((name) => !name.includes("*")));
const SECRET_PARTS = SECRETS.filter((name) => name.includes("*")).map((name) => {
  const [begin = "", end = ""] = name.split("*");
  return { begin, end };
});

/** Why a path is left out by its name; undefined when it is captured. Linear in the path's length. */
export function whyLeftOut(path: string): LeftOutReason | undefined {
  const parts = path.toLowerCase().split("/");
  const name = parts.pop() ?? "";
  for (const folder of parts) {
    if (FOLDER_NAMES.has(folder) || folder.startsWith(STAGING_PREFIX)) return "version control, dependencies, caches";
    if (SECRET_FOLDER_NAMES.has(folder)) return "secrets";
  }
  if (name === ".git") return "version control, dependencies, caches";
  if (EXAMPLES.test(name)) return undefined;
  const isSecret =
    SECRET_NAMES.has(name) ||
    SECRET_PARTS.some(
      ({ begin, end }) => name.length >= begin.length + end.length && name.startsWith(begin) && name.endsWith(end),
    );
  return isSecret ? "secrets" : undefined;
}
