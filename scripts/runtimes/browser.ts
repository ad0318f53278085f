import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";

const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".mjs": "text/javascript" };

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

/** A page that runs the program, and in which browser. */
interface Page {
  readonly chromium: string;
  /** What is served. */
  readonly folder: string;
  readonly path: string;
  /** The provider, which is of another origin. */
  readonly url: string;
  readonly limitMs: number;
}

/** Opens a page in a headless Chromium and returns what its program reports. Rejects with the `error` that it reports. */
export async function openPage({ chromium, folder, path, url, limitMs }: Page): Promise<object> {
  const report = Promise.withResolvers<object>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    if (request.method === "POST")
      void readBody(request).then((text) => {
        response.end();
        const said = JSON.parse(text) as object;
        if ("error" in said) report.reject(new Error(String(said.error)));
        else report.resolve(said);
      });
    else
      readFile(join(folder, pathname)).then(
        (bytes) => response.writeHead(200, { "content-type": TYPES[extname(pathname)] ?? "text/plain" }).end(bytes),
        () => response.writeHead(404).end(),
      );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const child = spawn(
    chromium,
    [...FLAGS, `--user-data-dir=${join(folder, "chromium")}`, `http://127.0.0.1:${port}/${path}?provider=${url}`],
    { stdio: "ignore" },
  );
  const ended = once(child, "exit");
  const timer = setTimeout(() => report.reject(new Error(`no report of ${path} in ${limitMs} ms`)), limitMs);
  child.once("error", (error) => report.reject(error));
  try {
    return await report.promise;
  } finally {
    clearTimeout(timer);
    child.kill();
    await ended;
    server.closeAllConnections();
    server.close();
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request) text += String(chunk);
  return text;
}
