/** Texts of the command line that may be long: given in an option, in a file or on standard input. */
import { createReadStream } from "node:fs";
import type { Command } from "commander";
import { isTerminal } from "../../../base/terminal.ts";
import { continuityError } from "../../../continuity/base/errors.ts";
import { UsageError } from "../../run.ts";
import { waiting } from "../../waiting.ts";

/** A larger file is refused before it is read to its end. Of the kernel's texts only a step's result may be longer. */
const MOST_BYTES = 1024 * 1024;
const STANDARD_INPUT = "-";

/** Adds `--<name> <text>` and `--<name>-file <file>`, of which one can be given; {@link givenTexts} reads them. */
export function withTextOption(command: Command, name: string, description: string): Command {
  return withTextFileOption(command.option(`--${name} <text>`, description), name);
}

/** Adds `--<name>-file <file>` only, for a text that is an argument otherwise. */
export function withTextFileOption(command: Command, name: string): Command {
  return command.option(
    `--${name}-file <file>`,
    `the ${name.replaceAll("-", " ")} from a file instead; - is standard input`,
  );
}

/**
 * Returns the texts of the named options, by name; undefined for one that was not given. `argument` has the texts that
 * were given as an argument of the command, by the same names. Rejects with a UsageError for a text that is given
 * twice, and for two from standard input; with `bad-input` for more than 1 MiB and for bytes that are not UTF-8; and
 * with what the file system throws.
 */
export async function givenTexts<Name extends string>(
  options: object,
  names: readonly Name[],
  argument: Partial<Record<Name, string | undefined>> = {},
): Promise<Record<Name, string | undefined>> {
  const given = options as Readonly<Record<string, string | undefined>>;
  const files = names.map((name) => given[toProperty(`${name}-file`)]);
  if (files.filter((file) => file === STANDARD_INPUT).length > 1)
    throw new UsageError("only one text can be read from standard input");
  const texts: Partial<Record<Name, string | undefined>> = {};
  for (const [at, name] of names.entries()) {
    const [text, file] = [argument[name] ?? given[toProperty(name)], files[at]];
    if (text !== undefined && file !== undefined)
      throw new UsageError(`the ${name} is given twice: as a text and as a file`);
    texts[name] = file === undefined ? text : await textIn(file, name);
  }
  return texts as Record<Name, string | undefined>;
}

/** Returns a text that a command needs. Throws a UsageError when it was not given. */
export function needed(text: string | undefined, whatIsMissing: string): string {
  if (text === undefined) throw new UsageError(`missing ${whatIsMissing}`);
  return text;
}

/** The property in which commander puts the value of an option: `what-i-did` is `whatIDid`. */
function toProperty(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

async function textIn(file: string, name: string): Promise<string> {
  if (file === STANDARD_INPUT && isTerminal("stdin"))
    waiting(`reading the ${name}; end it with Ctrl-D on a line of its own`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of file === STANDARD_INPUT ? process.stdin : createReadStream(file)) {
    chunks.push(Buffer.from(chunk as Buffer));
    size += (chunk as Buffer).length;
    if (size > MOST_BYTES) throw notText(file, name, `more than ${MOST_BYTES.toLocaleString("en")} bytes`);
  }
  try {
    // White space at the end, such as a text file's line feed, is no part of what was written.
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)).trimEnd();
  } catch {
    throw notText(file, name, "bytes that are not UTF-8");
  }
}

function notText(file: string, name: string, found: string): Error {
  return continuityError("bad-input", {
    expected: `the ${name} as a text in ${file === STANDARD_INPUT ? "standard input" : file}`,
    found,
    todo: "Nothing was written.",
  });
}
