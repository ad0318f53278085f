/** Whether this process was started as a gateway, by its command line: `openclaw … gateway [run] …`. */
export function isGateway(argv: readonly string[] = process.argv): boolean {
  const at = argv.indexOf("gateway", 2);
  if (at < 0) return false;
  // Before the command there are only options and their values.
  const words = argv.slice(2, at);
  if (words.some((word, place) => !isOption(word) && !isOption(words[place - 1]))) return false;
  const next = argv[at + 1];
  return next === undefined || next === "run" || (next.startsWith("-") && next !== "--help" && next !== "-h");
}

function isOption(word: string | undefined): boolean {
  return word?.startsWith("-") ?? false;
}
