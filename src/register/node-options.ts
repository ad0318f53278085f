/** The environment variable NODE_OPTIONS: whether it loads the hook, and how it is made to. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const HOOK = /(?:^|[\\/])openclaw-integrity[\\/]register$|[\\/]register[\\/]index\.mjs$/;
const BLANK = /\s/;

/** The URL or name of the hook that a value of NODE_OPTIONS loads; undefined for none. */
export function hookIn(nodeOptions: string | undefined): string | undefined {
  return findHook(splitTokens(nodeOptions ?? ""));
}

/** The URL or name of the hook that command line options of Node load; undefined for none. */
export function findHook(tokens: readonly string[]): string | undefined {
  for (const [at, token] of tokens.entries()) {
    const value = token === "--import" ? tokens[at + 1] : token.startsWith("--import=") ? token.slice(9) : undefined;
    if (value !== undefined && HOOK.test(value)) return value;
  }
  return undefined;
}

/** The value with the hook as its last option; the same value when it loads that hook already. */
export function withHook(nodeOptions: string | undefined, hook: string): string {
  const before = (nodeOptions ?? "").trim();
  if (hookIn(before) === hook) return before;
  return `${before} --import=${hook}`.trim();
}

/** Whether the file of a hook is gone: then Node does not start. False for a name, which Node looks up itself. */
export function isGone(hook: string): boolean {
  return hook.startsWith("file:") && !existsSync(fileURLToPath(hook));
}

/** Splits the value as Node does: at blanks outside of double quotes, in which a backslash escapes. */
function splitTokens(text: string): readonly string[] {
  const tokens: string[] = [];
  let token = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === "\\" && at + 1 < text.length) token += text[(at += 1)]!;
    else if (!isQuoted && BLANK.test(character)) {
      if (token !== "") tokens.push(token);
      token = "";
    } else token += character;
  }
  return token === "" ? tokens : [...tokens, token];
}
