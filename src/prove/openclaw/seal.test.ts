import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { newFolder } from "../../../harness/temporary.ts";
import { environmentIn } from "./environment.ts";
import { makeSockets } from "./sockets.ts";

/** Runs code in a sealed process; returns what it prints. */
async function sealed(code: string): Promise<{ readonly printed: string; readonly names: readonly string[] }> {
  const home = newFolder();
  const sockets = makeSockets(home);
  const env = environmentIn({ home, sockets }, process.env);
  const args = ["--no-warnings", "--input-type=module", "-e", `import net from "node:net";${code}`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return { printed: stdout.trim(), names: readdirSync(sockets) };
}

const SERVE = `
import http from "node:http";
const server = http.createServer((request, response) => response.end(request.socket.remoteAddress));
const listen = (...address) => new Promise((resolve, reject) => server.once("error", reject).listen(...address, resolve));
`;

test("a port is a socket: whoever holds the port is not in the way, and is not reached", async () => {
  const other = createServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nsomebody else"));
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const { printed } = await sealed(`${SERVE}
const before = await fetch("http://127.0.0.1:${port}").then(() => "reached", (error) => error.cause.code);
await listen(${port}, "127.0.0.1");
const after = await fetch("http://localhost:${port}").then((answer) => answer.text());
console.log(before, after, JSON.stringify(server.address()));
server.close();`);
  expect(printed).toBe(`ECONNREFUSED 127.0.0.1 {"address":"127.0.0.1","family":"IPv4","port":${port}}`);
});

test.each([
  ["a port and a host", `470, "127.0.0.1"`, "470"],
  ["a port in words", `"470"`, "470"],
  ["options", `{ port: 470, host: "0.0.0.0" }`, "470"],
  ["IPv6, where each port is another one", `470, "::1"`, "470.6"],
  ["any port", "0", "50000"],
  ["nothing", "", "50000"],
])("a server listens on a socket when it names %s", async (_, address, name) => {
  const { names } = await sealed(`${SERVE}await listen(${address}); process.exit();`);
  expect(names).toEqual([name]);
});

test("a port that is in use is in use", async () => {
  const { printed } = await sealed(`${SERVE}
await listen(470);
net.createServer().listen(470).on("error", ({ code }) => (console.log(code), process.exit()));`);
  expect(printed).toBe("EADDRINUSE");
});

test("other addresses are refused as by a machine without a network, with TLS and without", async () => {
  const { printed } = await sealed(`
const codes = ["http://192.0.2.1/", "https://192.0.2.1/", "https://example.com/", "http://[2001:db8::1]/"].map((url) =>
  fetch(url).then(() => "reached", (error) => error.cause.code),
);
console.log(new Set(await Promise.all(codes)));`);
  expect(printed).toBe("Set(1) { 'ECONNREFUSED' }");
});

test("sockets of a program's own are its own", async () => {
  const { printed } = await sealed(`
const path = process.env.HOME + "/own";
net.createServer((socket) => socket.end("own")).listen(path, () => {
  net.connect(path).on("data", (data) => (console.log(String(data)), process.exit()));
});`);
  expect(printed).toBe("own");
});
