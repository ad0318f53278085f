/** The small agent as a server that is sent each turn: `server-agent.mjs <port> <manner>`. It "dies" in a case. */
import { createServer } from "node:http";
import { answerTurn } from "./small-agent.mjs";

const [port, manner] = process.argv.slice(2);

createServer(async (request, response) => {
  try {
    const input = JSON.parse(Buffer.concat(await request.toArray()));
    if (manner === "dies" && input.case.endsWith("two-calls")) process.exit(7);
    const answer = await answerTurn(input, manner);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ answer }));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}).listen(Number(port), "127.0.0.1");
