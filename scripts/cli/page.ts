import type { Argument, Command, Option } from "commander";

/** Options that many commands have, told once under a word. */
const SETS: Readonly<Record<string, readonly string[]>> = {
  OpenClaw: ["--path", "--global"],
  store: ["--store", "--file", "--postgres", "--schema", "--anchor", "--project"],
  writer: ["--by", "--command-id"],
};
/** Said of every command in the page's head. */
const OUTPUT = ["--json", "--quiet"];
/** What this many commands say of an option or argument in the same words is told once. */
const SEVERAL = 3;
/** Of more characters than these, what two commands say. */
const LONG = 50;
/** A longer list is left to the command's own help. */
const MOST_CHOICES = 5;
const WIDTH = 120;

/** A command that acts, with the words that name it. */
interface Named {
  readonly name: string;
  readonly command: Command;
}

/** What the head of the commands tells for all of them. */
interface Told {
  /** By their flags and words. */
  readonly options: ReadonlyMap<string, Option>;
  /** Those of the sets, by their long name. */
  readonly sets: ReadonlyMap<string, Option>;
  /** The names of arguments by their words. */
  readonly arguments: ReadonlyMap<string, string>;
}

/**
 * The commands, arguments and options of a command line in Markdown, with an example each. Throws where a command has
 * none, where an example is of no command, or has an option that its command does not know.
 */
export function commandPages(program: Command, examples: readonly string[]): string {
  const commands = program.commands
    .filter((command) => command.name() !== "help")
    .flatMap((command) => acting(command, ""));
  const told: Told = {
    options: sharedOptions(commands),
    sets: usualOptions(commands),
    arguments: sharedArguments(commands),
  };
  const exampleByName = new Map(commands.map((named) => [named.name, exampleFor(named, commands, examples)]));
  if (new Set(exampleByName.values()).size !== examples.length)
    throw new Error("expected one example for each command in src/cli/examples.ts; found more. Leave some out.");
  const groups = Map.groupBy(commands, ({ name }) => groupName(name));
  return [
    "### Options of several commands",
    [
      ...setLines(told.sets),
      ...[...told.options.values()].map(optionLine),
      ...[...told.arguments].map(([text, names]) => `${names}: ${text}`),
    ]
      .map(bullet)
      .join("\n"),
    ...[...groups].flatMap(([group, members]) => groupTexts(group, members, told, exampleByName)),
  ].join("\n\n");
}

/** The words before the last one; a command of one word is about the patch, or stands alone. */
function groupName(name: string): string {
  const words = name.split(" ");
  if (words[0] === "service") return "from memory";
  if (words.length > 1) return words.slice(0, -1).join(" ");
  if (name === "run") return "from memory";
  if (name === "why") return "sessions";
  if (name === "test-agent") return "other agents";
  return name === "purge" ? name : "the patch";
}

function groupTexts(
  group: string,
  members: readonly Named[],
  told: Told,
  exampleByName: ReadonlyMap<string, string>,
): readonly string[] {
  const common =
    members.length === 1
      ? []
      : setsIn(members[0]!.command).filter((set) => members.every(({ command }) => setsIn(command).includes(set)));
  return [
    `### ${group[0]!.toUpperCase()}${group.slice(1)}`,
    ...(common.length === 0 ? [] : [`Each also has ${common.map(emphasized).join(", ")}.`]),
    ...members.map((named) => commandText(named, told, exampleByName.get(named.name)!, common)),
  ];
}

/** The words of the sets that a command has whole. */
function setsIn(command: Command): readonly string[] {
  const has = (long: string): boolean => command.options.some((option) => option.long === long);
  return Object.entries(SETS).flatMap(([word, longs]) => (longs.every(has) ? [word] : []));
}

const emphasized = (word: string): string => `*${word}*`;

function acting(command: Command, before: string): readonly Named[] {
  const name = `${before} ${command.name()}`.trim();
  return command.commands.length === 0 ? [{ name, command }] : command.commands.flatMap((one) => acting(one, name));
}

function exampleFor({ name, command }: Named, commands: readonly Named[], examples: readonly string[]): string {
  const longer = commands.filter((other) => other.name.startsWith(`${name} `));
  const found = examples.filter(
    (example) => `${example} `.startsWith(`${name} `) && !longer.some((other) => example.startsWith(other.name)),
  );
  const [example] = found;
  if (example === undefined || found.length > 1)
    throw new Error(`expected one example of ${name} in src/cli/examples.ts; found ${found.length}.`);
  for (const [flag] of example.matchAll(/(?<= )--[a-z-]+/g))
    if (!command.options.some(({ long }) => long === flag))
      throw new Error(`the example of ${name} in src/cli/examples.ts has ${flag}, which it does not know.`);
  return example;
}

/** True for an option that has its text from a file, which the page's head explains. */
const isFromFile = ({ description }: Option): boolean => description.endsWith("- is standard input");
const isInSet = (option: Option): boolean =>
  [...OUTPUT, ...Object.values(SETS).flat()].includes(option.long ?? option.flags);
const textIn = (option: Option): string => `${option.flags} ${option.description}`;

function sharedOptions(commands: readonly Named[]): ReadonlyMap<string, Option> {
  const all = commands.flatMap(({ command }) => command.options);
  const counted = Map.groupBy(
    all.filter((option) => !isInSet(option) && !isFromFile(option)),
    textIn,
  );
  return new Map(
    [...counted].flatMap(([text, same]) =>
      same.length < (text.length > LONG ? 2 : SEVERAL) ? [] : [[text, same[0]!]],
    ),
  );
}

function setLines(sets: Told["sets"]): readonly string[] {
  return Object.entries(SETS).flatMap(([word, longs]) => {
    const options = longs.flatMap((long) => sets.get(long) ?? []);
    return options.length === 0 ? [] : [`${emphasized(word)}: ${options.map(optionLine).join("; ")}`];
  });
}

/** The options of the sets as most commands have them. */
function usualOptions(commands: readonly Named[]): Told["sets"] {
  const all = commands.flatMap(({ command }) => command.options);
  return new Map(
    Object.values(SETS)
      .flat()
      .flatMap((long) => {
        const same = [
          ...Map.groupBy(
            all.filter((option) => option.long === long),
            textIn,
          ).values(),
        ];
        const most = same.toSorted((one, other) => other.length - one.length)[0]?.[0];
        return most === undefined ? [] : [[long, most]];
      }),
  );
}

function commandText({ name, command }: Named, told: Told, example: string, common: readonly string[]): string {
  const own = command.options.filter((option) => !isFromFile(option) && !OUTPUT.includes(option.long ?? ""));
  const isOfSet = (option: Option): boolean => {
    const usually = told.sets.get(option.long ?? "");
    return usually !== undefined && textIn(usually) === textIn(option);
  };
  const sets = setsIn(command);
  const inSets = sets.flatMap((word) => SETS[word]!);
  const alone = own.filter((option) => !(inSets.includes(option.long ?? "") && isOfSet(option)));
  const also = [
    ...alone.filter((option) => told.options.has(textIn(option))).map(({ long }) => `\`${long}\``),
    ...sets.filter((word) => !common.includes(word)).map(emphasized),
  ];
  const needed = own.filter(({ mandatory }) => mandatory).map(({ flags }) => ` ${flags}`);
  const usage = [name, ...command.registeredArguments.map(argumentUsage)].join(" ") + needed.join("");
  return [
    wrapped(`**\`${usage}\`**: ${command.description()}.`, ""),
    ...command.registeredArguments
      .filter(({ description }) => description !== "" && !told.arguments.has(description))
      .map(argumentLine)
      .map(bullet),
    ...alone
      .filter((option) => !told.options.has(textIn(option)))
      .map(optionLine)
      .map(bullet),
    ...(also.length === 0 ? [] : [bullet(`also ${also.join(", ")}`)]),
    bullet(`\`${example}\``),
  ].join("\n");
}

function sharedArguments(commands: readonly Named[]): ReadonlyMap<string, string> {
  const all = commands.flatMap(({ command }) => command.registeredArguments).filter((one) => one.description !== "");
  const counted = Map.groupBy(all, ({ description }) => description);
  return new Map(
    [...counted].flatMap(([text, same]) =>
      same.length < SEVERAL ? [] : [[text, [...new Set(same.map((one) => `\`${one.name()}\``))].join(", ")]],
    ),
  );
}

function argumentUsage(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentLine(argument: Argument): string {
  return `\`${argument.name()}\`: ${argument.description}${choices(argument)}${byDefault(argument.defaultValue)}`;
}

function optionLine(option: Option): string {
  const kept = option.negate ? undefined : option.defaultValue;
  return `\`${option.flags}\`: ${option.description}${choices(option)}${byDefault(kept)}`;
}

/** The values that are taken, where the description does not name them. */
function choices({ argChoices, description }: Option | Argument): string {
  const isTold = argChoices === undefined || argChoices.every((value) => description.includes(value));
  return isTold || argChoices.length > MOST_CHOICES ? "" : ` (${argChoices.map((value) => `\`${value}\``).join(", ")})`;
}

function byDefault(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? `; by default \`${value}\`` : "";
}

function bullet(text: string): string {
  return wrapped(`- ${text}`, "  ");
}

/** The text in lines of at most 120 columns; what is between backticks is not broken. */
function wrapped(text: string, indent: string): string {
  const words = text.match(/(?:`[^`]*`|[^\s`])+/g) ?? [];
  const lines = [""];
  for (const word of words) {
    const line = lines.at(-1)!;
    if (line.trim() === "") lines[lines.length - 1] = `${line}${word}`;
    else if (line.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`${indent}${word}`);
  }
  return lines.join("\n");
}
