/** Stands before a service and can take its place, so that one address answers well today and badly tomorrow. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Front {
  readonly url: string;
  /** What a connection meets; null: the service behind. */
  behave: Behaviour | null;
}

export type Behaviour = (socket: Socket) => void;

export async function startFront(behind: string): Promise<Front> {
  const sockets = new Set<Socket>();
  const front: { url: string; behave: Behaviour | null } = { url: "", behave: null };
  const server = createServer((socket) => {
    keep(sockets, socket);
    if (front.behave === null) passOn(sockets, socket, Number(new URL(behind).port));
    else front.behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  front.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return front;
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.on("error", () => {});
  socket.on("close", () => sockets.delete(socket));
}

function passOn(sockets: Set<Socket>, socket: Socket, port: number): void {
  const service = connect(port, "127.0.0.1");
  keep(sockets, service);
  socket.pipe(service).pipe(socket);
}
