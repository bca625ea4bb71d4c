// Figures of the dashboard's server, not a test: node load.mjs in a folder with node_modules, KAGAMI_TOOL set.
//
// Gain change to acknowledgement on loopback, and what ten clients at 60 Hz cost the program's threads.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import { Listener, startServer, urlOf } from "./server.mjs";

const kChanges = 200;
const kSeconds = 10;
const kClients = 10;
const kTicksPerSecond = 100; // of /proc/.../stat

/** CPU seconds of each thread of a process, by thread id, with its name. */
function threadTimes(pid) {
  const times = new Map();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    times.set(id, { name: readFileSync(`/proc/${pid}/task/${id}/comm`, "utf8").trim(),
      seconds: (Number(fields[11]) + Number(fields[12])) / kTicksPerSecond });
  }
  return times;
}

const server = await startServer("--loop");
const shares = async () => {
  const before = threadTimes(server.child.pid);
  await pause(kSeconds * 1000);
  const result = {};
  for (const [id, { name, seconds }] of threadTimes(server.child.pid)) {
    const share = (seconds - (before.get(id)?.seconds ?? 0)) / kSeconds;
    result[name] = Math.round(1e4 * (share + (result[name] ?? 0))) / 1e4;
  }
  return result;
};

const writer = new Listener(urlOf(server));
await writer.message(await writer.subscribe("/status")); // the run is open
await writer.call("take_writer");
const kp = (await writer.get(["/pid/left_knee/kp"]))[0].value;
const took = [];
for (let i = 0; i < kChanges; ++i) {
  const start = process.hrtime.bigint();
  await writer.set({ "/pid/left_knee/kp": kp + (i % 2) });
  took.push(Number(process.hrtime.bigint() - start) / 1e6);
  await pause(25);
}
took.sort((a, b) => a - b);

const alone = await shares();
const clients = Array.from({ length: kClients }, () => new Listener(`${urlOf(server, "")}?rate=60`));
const counts = clients.map(() => 0);
for (const [i, client] of clients.entries()) {
  for (const topic of ["measured", "simulated", "commanded", "reference"]) await client.subscribe(`/joint_states/${topic}`);
  client.received.push = () => 0; // it keeps nothing from here on
  client.client.on("message", () => { ++counts[i]; });
}
await pause(1000);
counts.fill(0);
const loaded = await shares();
console.log(JSON.stringify({
  acknowledgement_ms: { median: took[kChanges / 2], p90: took[Math.floor(0.9 * kChanges)], min: took[0], max: took.at(-1) },
  clients: kClients, messages_per_second_and_client: counts.map((n) => n / kSeconds),
  cpu_share_alone: alone, cpu_share_loaded: loaded,
}, null, 1));
for (const client of clients) client.close();
writer.close();
await server.stop();
process.exit(0);
