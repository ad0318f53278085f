import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { cleanUp, newStoreFile, serverEnvironment } from "./client.ts";

interface Answer {
  readonly id?: number | string;
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** A server that is written to line by line, as a client may that keeps to no rule. */
class Raw {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #answers = new Map<number | string | undefined, Answer[]>();
  readonly #rest = { stdout: "" };
  stderr = "";

  constructor(...args: string[]) {
    this.#process = spawn(process.execPath, [MAIN, "continuity", "mcp", ...args], {
      env: serverEnvironment(),
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#process.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.#process.stdout.on("data", (chunk: Buffer) => this.#read(chunk.toString()));
    this.request(0, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    });
    this.line('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  }

  #read(text: string): void {
    const lines = (this.#rest.stdout + text).split("\n");
    this.#rest.stdout = lines.pop()!;
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer;
      this.#answers.set(answer.id, [...(this.#answers.get(answer.id) ?? []), answer]);
    }
  }

  line(text: string): void {
    this.#process.stdin.write(`${text}\n`);
  }

  request(id: number, method: string, params: object): void {
    this.line(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  }

  /** The answer to a request, or the n-th one to none. */
  async answer(id: number | string | undefined, n = 1): Promise<Answer> {
    for (;;) {
      const found = this.#answers.get(id)?.[n - 1];
      if (found) return found;
      if (this.#process.exitCode !== null) throw new Error(`the server has ended: ${this.stderr}`);
      await sleep(10);
    }
  }

  /** The code of the refusal of a tool's call, and its words. */
  async call(id: number, name: string, input: object): Promise<{ code: unknown; text: string }> {
    this.request(id, "tools/call", { name, arguments: input });
    return readRefusal(await this.answer(id));
  }

  count(from: number, to: number): number {
    return [...this.#answers.keys()].filter((id) => typeof id === "number" && id >= from && id < to).length;
  }

  /** Closes its input and waits for its end; the exit code. */
  async end(): Promise<unknown> {
    if (this.#process.exitCode !== null) return this.#process.exitCode;
    this.#process.stdin.end();
    const [code] = (await once(this.#process, "exit")) as [unknown];
    return code;
  }
}

function readRefusal({ result, error }: Answer): { code: unknown; text: string } {
  if (error) return { code: error.code, text: error.message };
  const { isError, content, _meta: meta } = result ?? {};
  return { code: isError === true ? meta?.["openclaw-integrity/code"] : "none", text: content?.[0]?.text ?? "" };
}

describe("a client that keeps to no rule", () => {
  let raw: Raw;
  let id = 100;
  beforeAll(async () => {
    raw = new Raw("--file", newStoreFile());
    await raw.answer(0);
    await raw.call(1, "create_goal", { project_id: "p", text: "the goal" });
  });
  afterAll(async () => {
    await raw.end();
    await cleanUp();
  });
  const isAlive = async (): Promise<void> => {
    raw.request(++id, "ping", {});
    expect(await raw.answer(id)).toMatchObject({ result: {} });
  };

  test("is answered by an error for what is no message, and served on", async () => {
    let answers = 0;
    for (const [text, code] of [
      ["this is no JSON \u001b[2J", -32700],
      ["", -32700],
      ["null", -32600],
      ["[]", -32600],
      ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
      ["{}", -32600],
    ] as const) {
      raw.line(text);
      expect(await raw.answer(undefined, ++answers), text).toMatchObject({
        error: { code, message: expect.stringMatching(/^expected a .*Nothing was done\.$/) as string },
      });
    }
    raw.request(10, "nonsense/method", {});
    expect(await raw.answer(10)).toMatchObject({ error: { code: -32601 } });
    await isAlive();
    expect(raw.stderr).not.toContain("\u001b");
    expect(raw.stderr.split("\n").every((line) => line.length < 300)).toBe(true);
  });

  test("is answered by an error for a message of any length, by its id, and nothing of the next message is lost", async () => {
    const long = "y".repeat(12_000_000);
    raw.line(`{"jsonrpc":"2.0","id":20,"method":"ping","params":{"x":"${long}"}}`);
    raw.line(
      `{"method":"tools/call","params":{"name":"get_work","arguments":{"project_id":"${long}"}},"jsonrpc":"2.0","id":21}`,
    );
    await isAlive();
    for (const at of [20, 21])
      expect(await raw.answer(at)).toMatchObject({
        error: {
          code: -32600,
          message: expect.stringContaining("at most 1048576 bytes; found a longer message") as string,
        },
      });
  });

  test("is refused inputs beyond all limits in a few words, whatever their size or depth", async () => {
    const text = "x".repeat(900_000);
    const deep = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`) as unknown;
    const deepObject = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    const many = Array<number>(400_000).fill(1);
    const inputs: readonly (readonly [string, object, unknown])[] = [
      ["get_work", { project_id: text, view: "next" }, "bad-input"],
      ["create_goal", { project_id: "p", text }, "bad-input"],
      ["update_task", { project_id: "p", task_id: text, status: "doing" }, "bad-input"],
      [
        "update_task",
        { project_id: "p", task_id: "t", where_we_left_off: "w", next_step: "n", needed_context_refs: many },
        "bad-input",
      ],
      ["create_goal", { project_id: "p", text: "t", [text]: 1 }, "bad-input"],
      ["step", { action: "begin", project_id: "p", step_id: "s", idempotency_key: text }, "bad-input"],
      ["step", { action: "begin", project_id: "p", step_id: "__proto__", idempotency_key: "k" }, "bad-input"],
      ["create_goal", { project_id: {}, text: "t" }, "bad-input"],
      [text, { project_id: "p" }, -32602],
    ];
    for (const [at, [name, input, code]] of inputs.entries()) {
      const answer = await raw.call(30 + at, name, input);
      expect(answer, `${at}`).toMatchObject({ code });
      expect(answer.text.length, `${at}`).toBeLessThan(600);
    }
    // JSON.stringify takes no such depth.
    for (const [at, place] of [
      `"project_id":${deepText(deep)}`,
      `"project_id":"p","text":${deepText(deep)}`,
      `"project_id":"p","text":"t","more":${deepObject}`,
    ].entries()) {
      raw.line(
        `{"jsonrpc":"2.0","id":${50 + at},"method":"tools/call","params":{"name":"create_goal","arguments":{${place}}}}`,
      );
      expect(readRefusal(await raw.answer(50 + at)), place.slice(0, 40)).toMatchObject({ code: "bad-input" });
    }
    for (const [at, [method, params]] of (
      [
        ["prompts/get", { name: text }],
        ["resources/read", { uri: text }],
        ["resources/read", { uri: `continuity://${text}/where-were-we` }],
      ] as const
    ).entries()) {
      raw.request(60 + at, method, params);
      const { error } = await raw.answer(60 + at);
      expect(error).toMatchObject({ code: -32602 });
      expect(error!.message.length).toBeLessThan(600);
    }
    await isAlive();
  });

  test("reaches with a project's name that looks like a path, or like nothing at all, that project and no other", async () => {
    for (const [at, project_id] of [
      "..",
      "/",
      "../../p",
      "a/b",
      "%2e%2e",
      "p\n",
      "__proto__",
      "constructor",
      "\u202ep",
    ].entries()) {
      expect(
        await raw.call(200 + 2 * at, "create_goal", { project_id, text: "another goal" }),
        project_id,
      ).toMatchObject({ code: "none" });
      const work = JSON.parse((await raw.call(201 + 2 * at, "get_work", { project_id })).text) as {
        goals: { text: string }[];
      };
      expect(
        work.goals.map(({ text }) => text),
        project_id,
      ).toEqual(["another goal"]);
      raw.request(300 + at, "resources/read", { uri: `continuity://${encodeURIComponent(project_id)}/where-were-we` });
      const { result } = (await raw.answer(300 + at)) as unknown as { result: { contents: { text: string }[] } };
      expect(result.contents[0]!.text).toMatch(/^Nothing is recorded for project .* that could be continued\.$/);
    }
    for (const [at, project_id] of ["", " ", "\u0000", "p\u0000", "\ud800", "x".repeat(201), 7, null, ["p"]].entries())
      expect(await raw.call(400 + at, "get_work", { project_id }), JSON.stringify(project_id)).toMatchObject({
        code: "bad-input",
      });
    for (const [at, uri] of [
      "continuity://%00/where-were-we",
      "continuity://a/../p/where-were-we",
      "continuity:///where-were-we",
      "continuity://%",
      "file:///etc/passwd",
      "continuity://p/where-were-we/..",
      "continuity://p@p/where-were-we",
    ].entries()) {
      raw.request(450 + at, "resources/read", { uri });
      expect(await raw.answer(450 + at), uri).toMatchObject({ error: { code: -32602 } });
    }
    expect(
      (JSON.parse((await raw.call(490, "get_work", { project_id: "p" })).text) as { goals: object[] }).goals,
    ).toHaveLength(1);
  });

  test("asks for three thousand things at once: each is answered, and it is served on without a warning", async () => {
    for (let at = 0; at < 3000; at++) {
      if (at % 100 === 0)
        raw.request(10_000 + at, "tools/call", {
          name: "create_goal",
          arguments: { project_id: "many", text: `goal ${at}` },
        });
      else if (at % 3 === 0) raw.request(10_000 + at, "resources/list", {});
      else
        raw.request(10_000 + at, "tools/call", {
          name: at % 2 === 0 ? "get_work" : "update_task",
          arguments: { project_id: "p", ...(at % 2 === 0 ? { view: "next" } : { task_id: "none", status: "doing" }) },
        });
    }
    await raw.answer(12_999);
    while (raw.count(10_000, 13_000) < 3000) await sleep(20);
    await isAlive();
    expect(raw.stderr).not.toMatch(/warning/i);
    expect(await raw.end()).toBe(0);
  });
});

function deepText(value: unknown): string {
  // As it came: a list in a list in a list.
  let depth = 0;
  for (let one = value; Array.isArray(one); [one] = one as unknown[]) depth += 1;
  return "[".repeat(depth) + "]".repeat(depth);
}
