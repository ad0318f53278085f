/**
 * Reads Yarn's Plug'n'Play manifest without running it: the manifest is a program, which anybody may have put there.
 * The data is a literal in its text, or a JSON file beside it.
 */
import { dirname, join } from "node:path";
import { tokenizer, tokTypes } from "acorn";
import { describeError } from "../../base/coded-error.ts";
import { readRegular } from "../../base/files/index.ts";
import { PatchError, patchError } from "../base/errors.ts";
import { assertNotForeign } from "./foreign.ts";

/** A package by its name and reference; both are null for the project that nobody depends on. */
export interface Locator {
  readonly name: string | null;
  readonly reference: string | null;
}

/** What is recorded of a package. */
export interface PackageData extends Locator {
  /** Relative to the manifest's folder, with slashes. */
  readonly location: string;
  /** Its folder does not tell which package a file is of (Yarn's `discardFromLookup`). */
  readonly isDiscarded: boolean;
  /** The dependencies by the name that the package imports. */
  readonly dependencies: ReadonlyMap<string, Locator>;
}

/** Where packages are, and what they depend on. */
export interface PlugAndPlayData {
  readonly packages: readonly PackageData[];
  /** What packages may import without depending on it, where `hasFallback` is set and they are not excluded. */
  readonly fallbacks: ReadonlyMap<string, Locator>;
  /** Whether packages that are not excluded may import what the project depends on. */
  readonly hasFallback: boolean;
  readonly excluded: readonly Locator[];
}

// The manifest of a monorepo with thousands of packages has some 20 MB.
const MAX_BYTES = 128 << 20;
/** The text before the literal with the data: in a manifest of Yarn 4, and of Yarn 3. */
const BEFORE_DATA = /^const RAW_RUNTIME_STATE =\s|^ {2}return hydrateRuntimeState\(JSON\.parse\((?=')/m;

/**
 * Reads what the manifest `.pnp.cjs`, or `.pnp.data.json` beside it, says. Runs nothing. Throws `openclaw-missing`
 * where it is not as Yarn 3 and 4 write it, and `openclaw-foreign` for a file of another user.
 */
export function readPlugAndPlay(manifest: string): PlugAndPlayData {
  let found = "none";
  try {
    const json = inlined(manifest) ?? read(join(dirname(manifest), ".pnp.data.json"));
    if (json !== undefined) return dataIn(JSON.parse(json));
  } catch (error) {
    if (error instanceof PatchError) throw error;
    found = describeError(error);
  }
  throw patchError("openclaw-missing", {
    expected: `the data of Yarn Plug'n'Play in ${manifest}, as Yarn 3 and 4 write it`,
    found,
    todo: "Run `yarn install`, or name the folder of OpenClaw with --path.",
  });
}

function inlined(manifest: string): string | undefined {
  const text = read(manifest) ?? "";
  const before = BEFORE_DATA.exec(text);
  if (before === null) return undefined;
  const from = before.index + before[0].length;
  const first = tokenizer(text.slice(from), { ecmaVersion: 2022 }).getToken();
  return first.type === tokTypes.string && "value" in first ? String(first.value) : undefined;
}

function read(file: string): string | undefined {
  assertNotForeign(file, dirname(file));
  return readRegular(file, MAX_BYTES)?.toString("utf8");
}

/** Throws for data of another shape. */
function dataIn(value: unknown): PlugAndPlayData {
  const data = requireFields(value);
  return {
    packages: pairs(data["packageRegistryData"]).flatMap(([name, references]) =>
      pairs(references).map(([reference, information]) =>
        packageIn(textOrNull(name), textOrNull(reference), information),
      ),
    ),
    fallbacks: locators(data["fallbackPool"]),
    hasFallback: data["enableTopLevelFallback"] === true,
    excluded: pairs(data["fallbackExclusionList"]).flatMap(([name, references]) =>
      list(references).map((reference) => ({ name: textOrNull(name), reference: textOrNull(reference) })),
    ),
  };
}

function packageIn(name: string | null, reference: string | null, information: unknown): PackageData {
  const { packageLocation, packageDependencies, discardFromLookup } = requireFields(information);
  return {
    name,
    reference,
    location: String(packageLocation),
    isDiscarded: discardFromLookup === true,
    dependencies: locators(packageDependencies),
  };
}

/**
 * Reads dependencies by the name that is imported. A reference alone belongs to that name; null is a peer dependency
 * that nobody provides, and is left out.
 */
function locators(value: unknown): ReadonlyMap<string, Locator> {
  return new Map(
    pairs(value).flatMap(([key, target]): (readonly [string, Locator])[] => {
      const name = String(key);
      if (target === null) return [];
      const [to, reference] = typeof target === "string" ? [name, target] : list(target);
      return [[name, { name: textOrNull(to), reference: textOrNull(reference) }]];
    }),
  );
}

function pairs(value: unknown): readonly (readonly unknown[])[] {
  return list(value).map(list);
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as readonly unknown[];
  throw new Error("data of another shape");
}

function requireFields(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  throw new Error("data of another shape");
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
