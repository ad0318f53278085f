/** The small agent as a server that is sent each turn: `server-agent.mjs <port> <manner>`. */
import { createServer } from "node:http";
import { answerTurn } from "./small-agent.mjs";

const [port, manner] = process.argv.slice(2);

createServer(async (request, response) => {
  try {
    const answer = await answerTurn(JSON.parse(Buffer.concat(await request.toArray())), manner);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ answer }));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}).listen(Number(port), "127.0.0.1");
