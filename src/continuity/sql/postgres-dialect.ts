import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPool as KyselyPool,
  PostgresQueryCompiler,
} from "kysely";

/** kysely's dialect of PostgreSQL, with a statement that begins transactions. */
export function postgresDialect(pool: KyselyPool, begin: string): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new Driver({ pool }, begin),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class Driver extends PostgresDriver {
  readonly #begin: string;

  constructor(config: ConstructorParameters<typeof PostgresDriver>[0], begin: string) {
    super(config);
    this.#begin = begin;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(this.#begin));
  }
}
