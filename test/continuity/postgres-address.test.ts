import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { maskSecrets } from "../../src/base/mask-secrets.ts";
import { isThisMachine } from "../../src/base/this-machine.ts";
import { openPostgresStore } from "../../src/continuity/index.ts";
import { readPostgresAddress } from "../../src/continuity/sql/postgres-address.ts";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";

const PASSWORD = "s3cret/pass@word#1";
const ENCODED = encodeURIComponent(PASSWORD);

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  await new Promise((done) => probe.close(done));
  return port;
}

/** For a server that answers: on a machine with other work it may take its time. */
const ANSWERS_MS = 20_000;

/** What opening a store there is refused with. */
async function refusal(
  connectionString: string,
  patienceMs = 500,
): Promise<{ readonly code: string; readonly message: string; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  try {
    const store = await openPostgresStore({
      connectionString,
      patienceMs,
      warn: (warning) => void warnings.push(warning),
    });
    await store.close();
    return { code: "none", message: "it was opened", warnings };
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message, warnings };
  }
}

describe("an address that is none of a PostgreSQL server", () => {
  it.each<[string, string, RegExp]>([
    ["nothing, as a variable that is not set leaves it", "", /found an empty text\. Write the address in that form\./],
    ["blanks", "  \n", /found an empty text/],
    ["a word", "foo", /found a text of 3 characters that is not an address/],
    ["a sentence", "not a url at all", /found a text of 16 characters that is not an address/],
    ["another database's", `mysql://u:${ENCODED}@h/d`, /found an address that begins with mysql:/],
    ["a web page's", "https://example.com", /found an address that begins with https:/],
    [
      "libpq's keywords",
      "host=localhost user=u password=s3cret",
      /found keywords \(host=… dbname=…\), which only libpq takes/,
    ],
    ["a port that there is none of", `postgres://u:${ENCODED}@h:99999/d`, /a port from 1 to 65535/],
    ["a port that is no number", `postgres://u:${ENCODED}@h:port/d`, /a port from 1 to 65535/],
    [
      "a port among the options that is no number",
      `postgres://u:${ENCODED}@127.0.0.1/d?port=abc`,
      /found the port abc\. Use a port from 1 to 65535/,
    ],
    ["port 0", "postgres://127.0.0.1/d?port=0", /found the port 0/],
    ["two hosts with ports", `postgres://u:${ENCODED}@a:1,b:2/d`, /one host only/],
    ["two hosts", `postgres://u:${ENCODED}@a,b/d`, /found several hosts\. Use one of them/],
    ["a / in the password", "postgres://u:s3cret/pass@h/d", /write @ : \/ \? # and % in a user or password as/i],
    ["a / behind a number in the password", "postgres://u:12/s3cret@h/d", /found an @ in the name of the database/],
    ["a # in the password", "postgres://u:12#s3cret@h/d", /found an address with a #/],
    ["a ? behind a number in the password", "postgres://u:12?s3cret@h/d", /found an @ after the \?/],
    [
      "a slip in the name of an option, which pg passes over in silence",
      "postgres://127.0.0.1/d?sslmod=verify-full",
      /found the option sslmod\. Use only host, port, .*sslmode/,
    ],
    [
      "a name of an option in disguise, by which ours would be replaced",
      "postgres://127.0.0.1/d?optio%6Es=-c%20search_path%3Devil",
      /found a % in the name of an option/,
    ],
    ["a setting of the client", "postgres://127.0.0.1/d?max=0&types=x", /found the option max/],
    [
      "a mode that there is none of",
      "postgres://127.0.0.1/d?sslmode=on",
      /found sslmode=on\. Use one of disable, .*verify-full/,
    ],
    [
      "ssl=false, which pg takes for true",
      "postgres://127.0.0.1/d?ssl=false",
      /found ssl=false\. Use sslmode=verify-full or sslmode=disable/,
    ],
    ["a file that is not there", "postgres://127.0.0.1/d?sslmode=verify-full&sslrootcert=/nope", /ENOENT.*\/nope/],
    [
      "verify-ca as libpq has it, without an authority",
      "postgres://127.0.0.1/d?sslmode=verify-ca&uselibpqcompat=true",
      /sslrootcert/,
    ],
    [
      "direct TLS without TLS",
      "postgres://127.0.0.1/d?sslmode=disable&sslnegotiation=direct",
      /sslnegotiation=direct requires SSL/,
    ],
    [
      "a time that is none",
      "postgres://127.0.0.1/d?connect_timeout=soon",
      /found connect_timeout=soon\. Use a number of seconds/,
    ],
    [
      "a percent sign that stands for nothing",
      "postgres://u:%80@127.0.0.1/d",
      /found an address that cannot be used: "URI malformed"/,
    ],
  ])(
    "%s: is refused before anything is connected to, and no part of a password is told",
    async (_, address, expected) => {
      const { code, message } = await refusal(address);
      expect(code).toBe("bad-input");
      expect(message).toMatch(
        /^expected the address of a PostgreSQL server, postgres:\/\/<user>@<host>:<port>\/<database>; found /,
      );
      expect(message).toMatch(expected);
      expect(message).toMatch(/Nothing was opened\.$/);
      expect(message).not.toMatch(/s3cret|pass@word/);
    },
  );

  it("whatever it is: it is refused in words or understood, and no secret is told", () => {
    const part = fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom("@", ":", "/", "?", "#", "%", "&", "=", "sslmode", "[", "]", ",", "%2F", " "),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.array(part, { maxLength: 8 }), (before, behind) => {
        const address = `postgres://u:${before.join("")}TOPSECRET${behind.join("")}@127.0.0.1/d`;
        try {
          readPostgresAddress(address);
        } catch (error) {
          expect(error).toMatchObject({ code: "bad-input" });
          expect((error as Error).message).not.toContain("TOPSECRET");
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("an address of another machine", () => {
  const listWarnings = (address: string): readonly string[] => readPostgresAddress(address).warnings;
  const WITHOUT =
    /^the PostgreSQL server db\.example\.com is reached without TLS: anybody on the network path can read and change the work, and read the password\. Add sslmode=verify-full to its address/;

  it("without TLS is warned about, with what to do", () => {
    expect(listWarnings("postgres://u@db.example.com/d")).toEqual([expect.stringMatching(WITHOUT)]);
    expect(listWarnings("postgres://u@db.example.com/d?sslmode=disable")).toEqual([expect.stringMatching(WITHOUT)]);
    expect(listWarnings("postgres://u@127.0.0.1/d?host=db.example.com")).toEqual([expect.stringMatching(WITHOUT)]);
    expect(listWarnings("postgres://u@db.example.com/d?sslmode=disable&ssl=0")).toEqual([
      expect.stringMatching(WITHOUT),
    ]);
  });

  it("with TLS that verifies nothing is warned about", () => {
    for (const options of [
      "sslmode=no-verify",
      "ssl=no-verify",
      "sslmode=require&uselibpqcompat=true",
      "sslmode=prefer&uselibpqcompat=true",
    ]) {
      expect(listWarnings(`postgres://u@db.example.com/d?${options}`), options).toEqual([
        expect.stringMatching(
          /its certificate is not verified: anybody on the network path can pass for it\. Add sslmode=verify-full/,
        ),
      ]);
    }
  });

  it("with TLS that pg verifies is not; of modes that it takes for verify-full, unlike libpq, that is said, and it is held to it", () => {
    for (const options of ["sslmode=verify-full", "ssl=true", "sslnegotiation=direct"])
      expect(listWarnings(`postgres://u@db.example.com/d?${options}`), options).toEqual([]);
    for (const mode of ["allow", "prefer", "require", "verify-ca"]) {
      const { warnings, connectionString } = readPostgresAddress(
        `postgres://u@db.example.com/d?application_name=x&sslmode=${mode}`,
      );
      expect(warnings, mode).toEqual([
        expect.stringMatching(
          new RegExp(
            `^sslmode=${mode} counts as verify-full here: always with TLS, and the certificate and the name in it are verified\\. Write sslmode=verify-full`,
          ),
        ),
      ]);
      expect(connectionString, mode).toBe("postgres://u@db.example.com/d?application_name=x&sslmode=verify-full");
      const { ssl } = new pg.Client({ connectionString: String(connectionString) }) as unknown as {
        ssl: { rejectUnauthorized?: boolean };
      };
      expect(ssl, mode).toEqual({});
    }
  });

  it("is told from this machine's own", () => {
    for (const host of [
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "127.0.0.1",
      "127.9.8.7",
      "::1",
      "[::1]",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "/var/run/postgresql",
      "",
    ])
      expect(isThisMachine(host), host).toBe(true);
    for (const host of [
      hostname(),
      "127.0.0.1.example.com",
      "localhost.example.com",
      "128.0.0.1",
      "::2",
      "10.0.0.1",
      "127.0.0.1x",
      "1127.0.0.1",
    ])
      expect(isThisMachine(host), host).toBe(false);
    for (const address of [
      "postgres:///d",
      "postgres://u@localhost/d",
      "postgres://u@[::1]:5/d",
      "postgres://u@%2Ftmp%2Fx/d",
      "postgres://u@/d?host=/tmp",
      "/tmp d",
      "socket:/tmp?db=d",
      undefined,
    ])
      expect(readPostgresAddress(address).warnings, address).toEqual([]);
  });

  it("has options that do nothing here: they are named, and those of the server stand before ours", () => {
    const { warnings, options, connectionString, connectTimeoutMs } = readPostgresAddress(
      "postgres://u@localhost/d?options=-c%20work_mem%3D8MB%20-c%20search_path%3Devil&channel_binding=require&keepalives=1&connect_timeout=3",
    );
    expect(warnings).toEqual([
      "in the address of the PostgreSQL server channel_binding, keepalives have no effect: only libpq knows these options.",
    ]);
    expect([options, connectTimeoutMs]).toEqual(["-c work_mem=8MB -c search_path=evil", 3000]);
    expect(connectionString).not.toContain("options");
  });
});

describe("secrets in a message", () => {
  it("are taken out wherever they stand; a short one, which is in many a word by chance, where it stands alone", () => {
    expect(
      maskSecrets("user s3cret-1 has password s3cret-1 and s3cret", ["s3cret", "s3cret-1", undefined, null, ""]),
    ).toBe("user *** has password *** and ***");
    expect(maskSecrets('a database "a" and pa', ["a"])).toBe('*** database "***" and pa');
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", minLength: 4 }),
        fc.string({ unit: "binary" }),
        fc.string({ unit: "binary" }),
        (secret, before, behind) => {
          fc.pre(!"***".includes(secret) && !secret.includes("*"));
          expect(maskSecrets(before + secret + behind, [secret])).not.toContain(secret);
        },
      ),
    );
  });
});

describe("a server that is not there, or is none", () => {
  let server: Server;
  let port: number;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    // Takes connections and says nothing.
    server = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
    await once(server, "listening");
    ({ port } = server.address() as { port: number });
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it.each([
    [
      "a host that nobody knows",
      "postgres://u@no-such-host.invalid/d?sslmode=verify-full",
      /ENOTFOUND|EAI_AGAIN/,
      /Check the name of the host/,
    ],
    [
      "a port where nobody listens",
      "postgres://u@127.0.0.1:1/d",
      /ECONNREFUSED 127\.0\.0\.1:1/,
      /Check that the server runs and can be reached\.$/,
    ],
    [
      "a name of this machine where nobody listens",
      "postgres://u@localhost:1/d",
      /ECONNREFUSED/,
      /Check that the server runs/,
    ],
    ["a folder without a socket", "/nope/sockets d", /ENOENT/, /Check that the server runs/],
  ])("%s: is said in a sentence", async (_, address, found, todo) => {
    const { code, message } = await refusal(address);
    expect(code).toBe("unavailable");
    expect(message).toMatch(
      /^expected PostgreSQL to answer(?:; found "| in time; found no answer for \d\.\d s, in \d+ tries; at last ")/,
    );
    expect(message).toMatch(found);
    expect(message).toMatch(todo);
  });

  it("takes the connection and never answers: it is given up after the time that the address names", async () => {
    const begin = performance.now();
    expect(await refusal(`postgres://u@127.0.0.1:${port}/d?connect_timeout=1`)).toMatchObject({ code: "unavailable" });
    expect(performance.now() - begin).toBeLessThan(20_000);
  });
});

const why = whyNoPostgres();
describe.skipIf(why)(`a real server with passwords and TLS${why === undefined ? "" : `: ${why}`}`, () => {
  let folder: string;
  let postgres: PrivatePostgres;
  let port: number;
  const at = (user: string, database = "postgres", options = ""): string =>
    `postgres://${user}@127.0.0.1:${port}/${database}${options}`;
  const rightful = `ada:${ENCODED}`;

  beforeAll(async () => {
    folder = newFolder();
    const openssl = (...args: string[]): unknown => execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
    openssl(
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=localhost",
      "-addext",
      "subjectAltName=DNS:localhost",
      "-keyout",
      "key.pem",
      "-out",
      "cert.pem",
    );
    port = await freePort();
    postgres = await startPostgres({
      port,
      options: "-c ssl=on -c password_encryption=scram-sha-256",
      files: {
        "server.crt": readFileSync(join(folder, "cert.pem"), "utf8"),
        "server.key": readFileSync(join(folder, "key.pem"), "utf8"),
      },
      hba: "local all all trust\nhostssl all onlytls 127.0.0.1/32 scram-sha-256\nhost all ada,guest 127.0.0.1/32 scram-sha-256\n",
    });
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    for (const sql of [
      `CREATE ROLE ada LOGIN PASSWORD '${PASSWORD}'`,
      "CREATE ROLE guest LOGIN PASSWORD 'guest'",
      `CREATE ROLE onlytls LOGIN PASSWORD '${PASSWORD}'`,
      "GRANT CREATE ON DATABASE postgres TO ada, onlytls",
    ])
      await client.query(sql);
    await client.end();
  });
  afterAll(async () => {
    await postgres.stop();
  });

  it("lets in whom it knows, and its tables are where we say although the address has options of its own", async () => {
    expect(await refusal(at(rightful, "postgres", "?options=-c%20search_path%3Dpublic"), ANSWERS_MS)).toMatchObject({
      code: "none",
      warnings: [],
    });
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query(
      "SELECT DISTINCT table_schema FROM information_schema.tables WHERE table_name = 'events'",
    );
    await client.end();
    expect(rows).toEqual([{ table_schema: "continuity" }]);
  });

  it.each<[string, () => string, RegExp]>([
    [
      "a wrong password",
      () => at("ada:wr0ng-s3cret"),
      /password authentication failed for user \\"ada\\"".*Check the user and the password: in the address, PGPASSWORD or ~\/\.pgpass/,
    ],
    ["no password", () => at("ada"), /The server asks for a password: set PGPASSWORD/],
    ["a user that is not known", () => at(`nobody:${ENCODED}`), /pg_hba\.conf/],
    [
      "a database that is not there",
      () => at(rightful, "nowhere"),
      /database \\"nowhere\\" does not exist".*Create the database, or name another one/,
    ],
    ["a user without rights", () => at("guest:guest"), /permission denied.*Give the user the right to create a schema/],
    [
      "a schema of another user's",
      () => at(`onlytls:${ENCODED}`, "postgres", "?sslmode=no-verify"),
      /no schema has been selected.*The schema belongs to another user/,
    ],
    ["a user that is let in by TLS only", () => at(`onlytls:${ENCODED}`), /no encryption.*pg_hba\.conf/],
  ])("%s: is said in a sentence without the password", async (_, address, expected) => {
    const { code, message } = await refusal(address(), ANSWERS_MS);
    expect({ code, message }).toEqual({ code: "not-writable", message: expect.stringMatching(expected) as string });
    for (const secret of [PASSWORD, ENCODED, "wr0ng-s3cret"]) expect(message).not.toContain(secret);
  });

  it("has a certificate that nobody has signed: refused by every mode that verifies, by require too, and taken with its authority", async () => {
    for (const mode of ["require", "prefer", "verify-full"]) {
      const { code, message } = await refusal(at(rightful, "postgres", `?sslmode=${mode}`));
      expect(code, mode).toBe("unavailable");
      expect(message, mode).toMatch(
        /^expected a PostgreSQL server with a certificate that can be verified; found "self-signed certificate.*sslrootcert.*sslmode=require verifies both here, as verify-full does/,
      );
    }
    const signed = `?sslmode=verify-full&sslrootcert=${encodeURIComponent(join(folder, "cert.pem"))}`;
    expect(await refusal(at(rightful, "postgres", signed).replace("127.0.0.1", "localhost"), ANSWERS_MS)).toEqual({
      code: "none",
      message: "it was opened",
      warnings: [],
    });
    // The name in it is another one.
    expect(await refusal(at(rightful, "postgres", signed))).toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/certificate that can be verified; found "Hostname\/IP does not match/) as string,
    });
    expect(await refusal(at(rightful, "postgres", "?sslmode=no-verify"), ANSWERS_MS)).toMatchObject({
      code: "none",
      warnings: [],
    });
  });

  it("has no TLS although the address asks for it", async () => {
    const other = await freePort();
    const plain = await startPostgres({ port: other });
    try {
      const { code, message } = await refusal(`postgres://postgres@127.0.0.1:${other}/postgres?sslmode=verify-full`);
      expect(code).toBe("unavailable");
      expect(message).toMatch(/^expected a PostgreSQL server with TLS, .*ssl = on/);
    } finally {
      await plain.stop();
    }
  });

  it("is reached with the password from the environment, which is not told either", async () => {
    vi.stubEnv("PGPASSWORD", "nowhere");
    expect((await refusal(at("ada", "nowhere"))).message).not.toContain("nowhere");
    vi.unstubAllEnvs();
    writeFileSync(join(folder, "pgpass"), `127.0.0.1:${port}:*:ada:${PASSWORD}\n`, { mode: 0o600 });
    vi.stubEnv("PGPASSFILE", join(folder, "pgpass"));
    expect(await refusal(at("ada"))).toMatchObject({ code: "none" });
    vi.unstubAllEnvs();
  });
});
