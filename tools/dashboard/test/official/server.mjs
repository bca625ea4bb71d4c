// Starts `kagami tune` on the virtual robot, and opens the official client at it. KAGAMI_TOOL is the program.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import protocol from "@foxglove/ws-protocol";
import { WebSocket } from "ws";

const kPatience = 20_000; // ms for what takes a moment; a busy machine takes longer
export const kProtocols = ["foxglove.websocket.v1", "foxglove.sdk.v1"];

/** Resolves with the server's port and token, and the way to end it. */
export async function startServer(...words) {
  const home = mkdtempSync(join(tmpdir(), "kagami_dashboard_"));
  const child = spawn(process.env.KAGAMI_TOOL,
    ["tune", "walk_forward", "--on", "stand", "--port", "0", "--controller", "pid", "--realtime", "off",
      "--no-report", "--json", ...words],
    { env: { ...process.env, XDG_DATA_HOME: home }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let out = "";
  child.stdout.on("data", (bytes) => { out += bytes; });
  const ended = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
  const found = await new Promise((resolve, reject) => {
    child.stderr.on("data", (bytes) => {
      output += bytes;
      const match = /http:\/\/[^:]+:(\d+)\/#token=(\S+)/.exec(output);
      if (match) resolve(match);
    });
    child.on("exit", () => reject(new Error(`kagami tune ended: ${output}`)));
  });
  let stopping = false;
  child.on("exit", (code) => { if (!stopping) console.error(`kagami tune ended unexpectedly with ${code}: ${output}`); });
  return {
    port: Number(found[1]),
    token: found[2],
    child,
    /** Ctrl-C; resolves with the exit code and what was printed. */
    async stop() {
      stopping = true;
      child.kill("SIGINT");
      const code = await ended;
      rmSync(home, { recursive: true, force: true });
      return { code, out, output };
    },
  };
}

/** The official client, with all its events. */
export class Listener {
  constructor(url, protocols = kProtocols, options = {}) {
    this.socket = new WebSocket(url, protocols, options);
    this.client = new protocol.FoxgloveClient({ ws: this.socket });
    this.received = [];
    this.waiting = [];
    this.nextCall = 1;
    for (const what of ["open", "error", "close", "serverInfo", "status", "advertise", "advertiseServices",
      "message", "time", "parameterValues", "serviceCallResponse", "serviceCallFailure", "fetchAssetResponse"]) {
      this.client.on(what, (event) => this.keep(what, event));
    }
  }

  keep(what, event) {
    const note = { what, event };
    this.received.push(note);
    this.waiting = this.waiting.filter((w) => !w.take(note));
  }

  /** The first event of that kind, past or future, that fits. */
  async once(what, fits = () => true) {
    const before = this.received.find((n) => n.what === what && fits(n.event));
    return before ? before.event : await this.next(what, fits);
  }

  /** The next event of that kind that fits. */
  next(what, fits = () => true) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${what} within ${kPatience} ms`)), kPatience);
      this.waiting.push({ take: (note) => {
        if (note.what !== what || !fits(note.event)) return false;
        clearTimeout(timer);
        resolve(note.event);
        return true;
      } });
    });
  }

  async channel(topic) {
    const list = await this.once("advertise");
    return list.find((c) => c.topic === topic);
  }

  async subscribe(topic) {
    return this.client.subscribe((await this.channel(topic)).id);
  }

  /** A message of that subscription, as an object. */
  async message(subscription, fits = () => true) {
    const read = (m) => JSON.parse(new TextDecoder().decode(m.data));
    return read(await this.next("message", (m) => m.subscriptionId === subscription && fits(read(m))));
  }

  /** A service's answer. */
  async call(name, request = {}) {
    const service = (await this.once("advertiseServices")).find((s) => s.name === name);
    const callId = this.nextCall++;
    const data = new TextEncoder().encode(JSON.stringify(request));
    const answer = this.next("serviceCallResponse", (r) => r.callId === callId);
    this.client.sendServiceCallRequest({
      serviceId: service.id, callId, encoding: "json", data: new DataView(data.buffer, 0, data.length) });
    return JSON.parse(new TextDecoder().decode((await answer).data));
  }

  /** The values that hold after the server's answer. */
  async set(values, id = `set-${this.nextCall++}`) {
    await this.once("serverInfo");
    const answer = this.next("parameterValues", (p) => p.id === id);
    this.client.setParameters(Object.entries(values).map(([name, value]) => ({ name, value })), id);
    return Object.fromEntries((await answer).parameters.map((p) => [p.name, p.value]));
  }

  async get(names = [], id = `get-${this.nextCall++}`) {
    await this.once("serverInfo");
    const answer = this.next("parameterValues", (p) => p.id === id);
    this.client.getParameters(names, id);
    return (await answer).parameters;
  }

  close() {
    this.client.close();
  }
}

export const urlOf = (server, token = server.token) =>
  `ws://127.0.0.1:${server.port}/ws${token ? `?token=${token}` : ""}`;
