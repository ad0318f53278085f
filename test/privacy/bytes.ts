import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** What this project writes into a state directory, by name. */
const OURS = /^openclaw-(?:integrity|continuity)|\.integrity-|^(?:integrity|l0)-incident-|^integrity-archives$/;

/** Every file below a folder, with those that SQLite keeps beside a database. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Whether a file is one of this project's. */
export function isOurs(file: string): boolean {
  return OURS.test(basename(file)) || /[\\/](?:integrity-archives|openclaw-integrity-files)[\\/]/.test(file);
}

/**
 * The words that stand in the raw bytes of files of ours: freed pages and write-ahead logs included. Each as `word:
 * file`.
 */
export function wordsInOurFiles(stateDir: string, words: readonly string[]): string[] {
  return filesBelow(stateDir)
    .filter(isOurs)
    .flatMap((file) => wordsIn(file, words));
}

/** The words that stand in the raw bytes of a file, each as `word: file`. */
export function wordsIn(file: string, words: readonly string[]): string[] {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  return words.filter((word) => bytes.includes(word)).map((word) => `${word}: ${basename(file)}`);
}
