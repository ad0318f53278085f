/** What a snapshot leaves out: by its name, whatever a .gitignore says, and above which size. */

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
const SECRETS = `
  .env .env.* .env~ *.env .envrc *.tfvars *.tfvars.json *.tfstate *.tfstate.backup .netrc _netrc .pgpass .my.cnf .npmrc
  .pypirc .s3cfg .boto .vault-token .htpasswd .git-credentials *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdb *.kdbx
  *.ppk *.asc *.gpg *.age id_rsa* id_dsa* id_ecdsa* id_ed25519* *credentials.json credentials.toml client_secret*.json
  service-account*.json *-service-account.json service_account*.json *-adminsdk.json secrets.json secrets.yaml
  secrets.yml secrets.toml oauth_creds.json auth-profiles.json openclaw.json kubeconfig wallet.dat local.settings.json
`
  .trim()
  .split(/\s+/);
/** Folders whose files are secrets. */
const SECRET_FOLDERS = ".ssh .gnupg .aws .azure .gcloud .kube .docker .password-store .terraform.d".split(" ");
/** Examples hold no secret. */
const EXAMPLES = /^\.env\.(?:example|sample|template|dist)$/;

/** Beginning of the folder in a workspace in which files are staged during a move. */
export const STAGING_PREFIX = ".openclaw-integrity-move-";

/** The largest file that is captured. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
/**
 * The largest workspace of which a first snapshot is made. Later, new files beyond these limits are left out as "too
 * many"; files that are captured already may grow further.
 */
export const MAX_FILES = 50_000;
export const MAX_BYTES = 512 * 1024 * 1024;

export type LeftOutReason =
  | "version control, dependencies, caches"
  | "secrets"
  | "too large"
  | "too many"
  | "too deep"
  | "unreadable"
  | "being written"
  | "no regular file"
  | "another file system";

const FOLDER_NAMES = new Set(FOLDERS.map((name) => name.toLowerCase()));
const SECRET_FOLDER_NAMES = new Set(SECRET_FOLDERS);
const SECRET_NAMES = new Set(SECRETS.filter((name) => !name.includes("*")));
const SECRET_PARTS = SECRETS.filter((name) => name.includes("*")).map((name) => {
  const [begin = "", end = ""] = name.split("*");
  return { begin, end };
});

/**
 * Returns why a snapshot leaves out a file or folder of this name; undefined where the name is no reason: walk.ts may
 * still leave it out for a .gitignore, its size or its depth. Linear in the name's length.
 */
export function whyLeftOut(given: string, isFolder: boolean): LeftOutReason | undefined {
  const name = given.toLowerCase();
  // Also a file: a worktree or a submodule has one.
  if (name === ".git") return "version control, dependencies, caches";
  if (isFolder) {
    if (FOLDER_NAMES.has(name) || name.startsWith(STAGING_PREFIX)) return "version control, dependencies, caches";
    return SECRET_FOLDER_NAMES.has(name) ? "secrets" : undefined;
  }
  if (EXAMPLES.test(name)) return undefined;
  if (SECRET_NAMES.has(name)) return "secrets";
  const isSecret = SECRET_PARTS.some(
    ({ begin, end }) => name.length >= begin.length + end.length && name.startsWith(begin) && name.endsWith(end),
  );
  return isSecret ? "secrets" : undefined;
}
