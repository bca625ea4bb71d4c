// A client that takes control, reports it and stays connected: node silent_writer.mjs URL. Not a test of its own.
import { Listener } from "./server.mjs";

const listener = new Listener(process.argv[2]);
const taken = await listener.call("take_writer");
console.log(taken.ok ? "writes" : taken.error);
