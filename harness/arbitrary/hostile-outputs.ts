/** Values that programs of others give back or throw, and that no JSON holds or no walk of theirs survives. */
import { deepArray, deepObject, shared } from "./hostile-values.ts";

function circle(): object {
  const value: Record<string, unknown> = { name: "a circle" };
  value.again = value;
  return value;
}

/** An object with so many keys. */
export function manyKeys(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, at]));
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** An error as axios throws it: its request and its connection know each other. */
function overloadOfAxios(): Error {
  const socket: Record<string, unknown> = { readable: true };
  const request: Record<string, unknown> = { path: "/v1/messages", socket };
  socket.httpMessage = request;
  const config = { url: "/v1/messages", data: "{}" };
  const response = {
    data: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    status: 529,
    statusText: "",
    headers: {},
    config,
    request,
  };
  request.res = response;
  return Object.assign(new Error("Request failed with status code 529"), {
    name: "AxiosError",
    code: "ERR_BAD_RESPONSE",
    config,
    request,
    response,
    status: 529,
    toJSON: () => ({ message: "Request failed" }),
  });
}

/** Made anew each time: some are used up by being looked at. */
export const HOSTILE_OUTPUTS: ReadonlyMap<string, () => unknown> = new Map<string, () => unknown>([
  ["a value that contains itself", circle],
  ["an error that contains itself", () => Object.assign(new Error("c"), { error: circle() })],
  ["an error of axios", overloadOfAxios],
  [
    "a property that throws",
    () => ({
      sound: "words",
      get message(): never {
        throw new Error("no");
      },
      get output(): never {
        throw new Error("no");
      },
    }),
  ],
  [
    "a then that throws",
    () =>
      Object.defineProperty({}, ["th", "en"].join(""), {
        get: () => {
          throw new Error("no");
        },
        enumerable: true,
      }),
  ],
  ["a revoked proxy", revoked],
  [
    "a proxy that throws",
    () =>
      new Proxy(
        {},
        {
          get: () => {
            throw new Error("no");
          },
          ownKeys: () => {
            throw new Error("no");
          },
          getPrototypeOf: () => {
            throw new Error("no");
          },
        },
      ),
  ],
  ["a proxy without end", endless],
  ["a bigint", () => 12n],
  ["an object with a bigint", () => ({ output: [{ type: "text", text: "sound", amount: 12n }], amount: 12n })],
  ["a hundred thousand keys", () => manyKeys(100_000)],
  ["a list of depth 100,000", () => deepArray(100_000)],
  ["an object of depth 100,000", () => deepObject(100_000)],
  ["two to the sixtieth ways to one leaf", () => shared(60)],
  ["an object without a prototype", () => Object.create(null) as unknown],
  ["a symbol", () => Symbol("s")],
  ["a function", () => () => "text"],
  ["half a character", () => "half \ud800"],
]);

function endless(): object {
  const value: object = new Proxy(
    {},
    {
      get: (_target, key) => (key === "toJSON" || key === "then" ? undefined : value),
      ownKeys: () => ["a", "b"],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    },
  );
  return value;
}
