import {
  Continuity,
  openPostgresStore,
  openSqliteStore,
  type PostgresOptions,
  type SqliteOptions,
} from "../../src/continuity/index.ts";

/**
 * A process of its own on a place that is perhaps not made yet (`node child.ts <options as JSON> <name>`): opens it as
 * soon as it is told to by a line, delivers five commands that others deliver too, and gives one of its own. Its last
 * line is what each delivery came to.
 */
async function main(
  options: SqliteOptions | Required<Pick<PostgresOptions, "connectionString" | "schema">>,
  name: string,
): Promise<void> {
  const store = "file" in options ? openSqliteStore(options) : await openPostgresStore(options);
  const continuity = new Continuity({ store });
  const project = await continuity.project("p");
  const delivered: string[] = [];
  for (let command = 1; command <= 5; command++)
    delivered.push((await project.createGoal({ text: `goal ${command}`, command_id: `command ${command}` })).goal_id);
  await project.createGoal({ text: `only ${name}'s` });
  await continuity.close();
  console.log(JSON.stringify(delivered));
}

process.stdin.once("data", () => {
  main(JSON.parse(process.argv[2]!) as SqliteOptions, process.argv[3]!).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
console.log("ready");
