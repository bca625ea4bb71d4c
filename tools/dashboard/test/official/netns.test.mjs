// A writer behind a network that fails without a word: its packets vanish, no connection is closed.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Listener, startServer } from "./server.mjs";

// of this process: what a test that was killed has left behind has other addresses
const kNet = `10.231.${process.pid % 256}`;
const kHere = `${kNet}.1`;
const kThere = `${kNet}.2`;

/** A network namespace behind a cable; null where this user may not make one. */
function makeNetwork() {
  const name = `kagami${process.pid}`.slice(0, 12);
  const ip = (...words) => execFileSync("ip", words, { stdio: "pipe" });
  const inside = (...words) => ip("netns", "exec", name, "ip", ...words);
  const remove = () => ip("netns", "del", name);
  try {
    ip("netns", "add", name);
  } catch {
    return null;
  }
  try {
    ip("link", "add", `${name}a`, "type", "veth", "peer", "name", `${name}b`, "netns", name);
    ip("addr", "add", `${kHere}/30`, "dev", `${name}a`);
    ip("link", "set", `${name}a`, "up");
    inside("addr", "add", `${kThere}/30`, "dev", `${name}b`);
    inside("link", "set", `${name}b`, "up");
  } catch {
    remove();
    return null;
  }
  return { name, cut: () => inside("link", "set", `${name}b`, "down"), remove };
}

test("a writer whose packets vanish writes no longer, and the next one may", async (t) => {
  const network = makeNetwork();
  if (network === null) return t.skip("this user may not make a network namespace");
  let server, far, near;
  try {
    server = await startServer("--loop", "--clock", "virtual", "--listen", kHere);
    const url = `ws://${kHere}:${server.port}/ws?token=${server.token}`;
    far = spawn("ip", ["netns", "exec", network.name, process.execPath,
      fileURLToPath(new URL("silent_writer.mjs", import.meta.url)), url], { stdio: ["ignore", "pipe", "inherit"] });
    near = new Listener(url);
    const line = await new Promise((resolve, reject) => {
      far.stdout.once("data", (bytes) => resolve(`${bytes}`.trim()));
      far.once("exit", (code) => reject(new Error(`the writer ended with ${code}`)));
    });
    assert.equal(line, "writes");
    assert.match((await near.call("pause")).error, /another client writes/);
    const lost = near.next("status", (s) => /stopped responding/.test(s.message));
    const before = Date.now();
    network.cut();
    await lost;
    t.diagnostic(`reported ${Date.now() - before} ms after the cable was cut`);
    assert.ok((await near.call("take_writer")).ok);
  } finally {
    near?.close();
    far?.kill("SIGKILL");
    await server?.stop();
    network.remove();
  }
});
