/**
 * Whether a host is this machine, reached without a network: a loopback address or name, the folder of a socket, or an
 * empty text, which stands for no host.
 */
export function isThisMachine(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  return (
    name === "" ||
    name.startsWith("/") ||
    name === "localhost" ||
    name.endsWith(".localhost") ||
    /^127(?:\.\d{1,3}){3}$/.test(name) ||
    /^(?:::ffff:(?:127(?:\.\d{1,3}){3}|7f[0-9a-f]{2}:[0-9a-f]{1,4})|::1)$/.test(name)
  );
}
