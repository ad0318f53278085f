/** Ends this process in good order by SIGINT and SIGTERM, so that what was started is ended too; `before` runs first. */
export function endWithSignals(before: () => void = () => undefined): void {
  for (const [name, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)
    process.once(name, () => {
      before();
      process.exit(code);
    });
}
