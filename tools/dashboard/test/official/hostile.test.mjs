// Hostile pages and clients, against a run of `kagami tune`: refused or dropped, and the run goes on.
import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { WebSocket } from "ws";

import { kProtocols, Listener, startServer, urlOf } from "./server.mjs";

let server;
let good;
let status;

before(async () => {
  server = await startServer("--loop", "--clock", "virtual");
  good = new Listener(urlOf(server));
  status = await good.subscribe("/status");
});
after(async () => {
  good.close();
  await server.stop();
});

/** The run continues, and the other client still receives it. */
async function stillRuns() {
  const first = await good.message(status);
  const later = await good.message(status, (s) => s.tick > first.tick + 100);
  assert.equal(later.recording.lost, 0);
  assert.equal(later.dropped, 0);
}

/** Status and body of a request with these headers. */
const ask = (path, headers = {}, method = "GET") => new Promise((resolve, reject) => {
  const r = request({ host: "127.0.0.1", port: server.port, path, method, headers }, (response) => {
    let body = "";
    response.on("data", (bytes) => { body += bytes; });
    response.on("end", () => resolve({ code: response.statusCode, headers: response.headers, body }));
  });
  r.on("error", reject);
  r.end();
});

/** What became of a WebSocket: the code of the refusal, or "open". */
const knock = (url, options = {}, protocols = kProtocols) => new Promise((resolve) => {
  const socket = new WebSocket(url, protocols, options);
  socket.on("open", () => { resolve("open"); socket.close(); });
  socket.on("unexpected-response", (_, response) => { resolve(response.statusCode); socket.terminate(); });
  socket.on("error", () => resolve("error"));
});

const closed = (socket) => new Promise((resolve) => socket.on("close", (code) => resolve(code)));
const opened = async (url = urlOf(server)) => {
  const socket = new WebSocket(url, kProtocols);
  socket.on("error", () => {});
  await new Promise((resolve) => socket.on("open", resolve));
  return socket;
};

test("a page gets its files with a strict policy, and unchanged ones not twice", async () => {
  const page = await ask("/");
  assert.equal(page.code, 200);
  const policy = page.headers["content-security-policy"];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe-eval|https?:|\*/);
  assert.equal(page.headers["x-content-type-options"], "nosniff");
  assert.equal((await ask("/", { "If-None-Match": page.headers.etag })).code, 304);
  assert.match((await ask("/robot/robot.urdf")).body, /<robot/);
});

test("no path leads out of the embedded files", async () => {
  for (const path of ["/../CHANGELOG.md", "/assets/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
    "/robot/../robot.json", "/robot/meshes/..%2f..%2frobot.json", "/assets/%00", "/robot/", "/." + "/x".repeat(900)]) {
    const { code, body } = await ask(path);
    assert.equal(code, 404, path);
    assert.ok(!body.includes("passwd"));
  }
});

test("nothing but GET and HEAD", async () => {
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) assert.equal((await ask("/", {}, method)).code, 405, method);
  const head = await ask("/", {}, "HEAD");
  assert.equal(head.code, 200);
  assert.equal(head.body, "");
});

test("hosts and origins that are not ours are refused, without an echo", async () => {
  const port = server.port;
  for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1:${port + 1}`, `127.0.0.1.evil.example:${port}`,
    `localhost.evil.example:${port}`, `0.0.0.0:${port}`, `[::2]:${port}`, " ", `user@127.0.0.1:${port}`]) {
    const { code, body } = await ask("/", { Host: host });
    assert.ok(code === 403 || code === 400, `${host}: ${code}`);
    assert.ok(!body.includes("evil"));
    assert.equal(await knock(urlOf(server), { headers: { Host: host } }), code === 400 ? 400 : 403, host);
  }
  for (const origin of ["http://evil.example", "https://app.foxglove.dev", "null", "file://", `http://127.0.0.1:${port + 1}`,
    `https://127.0.0.1:${port}`, `http://127.0.0.1:${port}.evil.example`, `http://evil.example:${port}`]) {
    assert.equal(await knock(urlOf(server), { origin }), 403, origin);
  }
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`]) {
    assert.equal((await ask("/", { Host: host })).code, 200, host);
    assert.equal(await knock(urlOf(server), { origin: `http://${host}` }), "open", host);
  }
});

test("wrong tokens are refused, without a token the connection is read-only", async () => {
  for (const token of ["x", "0".repeat(32), server.token.slice(1), `${server.token}0`, "%00"]) {
    assert.equal(await knock(`ws://127.0.0.1:${server.port}/ws?token=${token}`), 403, token);
  }
  const reader = new Listener(urlOf(server, ""));
  const complaint = reader.next("status", (s) => s.level === 2);
  await reader.once("serverInfo");
  await reader.set({ "/motion/speed": 0.5 });
  assert.match((await complaint).message, /token/);
  reader.close();
});

test("a client without one of our sub-protocols is refused", async () => {
  assert.equal(await knock(urlOf(server), {}, ["foxglove.websocket.v2", "chat"]), 400);
  assert.equal(await knock(urlOf(server), {}, []), 400);
  assert.equal(await knock(urlOf(server).replace("/ws", "/other")), 404);
});

test("messages that are none are answered with a reason and change nothing", async () => {
  const l = new Listener(urlOf(server));
  await l.once("serverInfo");
  const wrong = ["", "{", "[]", "null", "7", "\"op\"", "{\"op\":7}", "{\"op\":\"no such op\"}", "{\"op\":\"subscribe\"}",
    "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":-1,\"channelId\":1}]}",
    "{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":1,\"channelId\":4242}]}",
    "{\"op\":\"setParameters\",\"parameters\":[{\"name\":\"/pid/left_knee/kp\",\"value\":1e999}]}",
    "{\"op\":\"getParameters\",\"parameterNames\":7}", `{"op":"${"x".repeat(5000)}"}`, "[".repeat(20000),
    Buffer.from([0xff, 0xfe, 0x00]), Buffer.from([2]), Buffer.from([2, 1, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255]), Buffer.alloc(0)];
  for (const message of wrong) {
    const answer = Promise.race([l.next("status", (s) => s.level >= 1), l.next("serviceCallFailure"), l.next("parameterValues")]);
    l.socket.send(message);
    await answer;
    await pause(25); // fewer than 50 a second
  }
  assert.equal(l.socket.readyState, WebSocket.OPEN);
  await stillRuns();
  l.close();
});

test("ten thousand subscriptions are refused beyond a hundred", async () => {
  const l = new Listener(urlOf(server, ""));
  const channelId = (await l.channel("/joint_states/simulated")).id;
  const complaint = l.next("status", (s) => s.level === 2);
  for (let from = 0; from < 10_000; from += 1000) {
    l.socket.send(JSON.stringify({ op: "subscribe",
      subscriptions: Array.from({ length: 1000 }, (_, i) => ({ id: from + i, channelId })) }));
  }
  assert.match((await complaint).message, /subscriptions/);
  await stillRuns();
  l.close();
});

test("a message above 64 KiB ends its connection, one that never ends too", async () => {
  const huge = await opened();
  const code = closed(huge);
  huge.send(Buffer.alloc(64 * 1024 + 1));
  assert.equal(await code, 1009);
  const endless = await opened();
  const end = closed(endless);
  for (let i = 0; i < 80 && endless.readyState === WebSocket.OPEN; ++i) {
    endless.send("x".repeat(1024), { fin: false });
    await pause(1);
  }
  assert.equal(await end, 1009);
  await stillRuns();
});

test("a flood ends its own connection alone", async () => {
  const floods = await Promise.all(Array.from({ length: 8 }, () => opened()));
  const codes = floods.map(closed);
  for (let i = 0; i < 1000; ++i) for (const socket of floods) if (socket.readyState === WebSocket.OPEN) socket.send("{\"op\":\"getParameters\",\"parameterNames\":[\"/motion/speed\"]}");
  for (const code of await Promise.all(codes)) assert.ok(code === 1008 || code === 1006, `${code}`);
  await stillRuns();
});

test("a client that never reads loses its own frames, or its connection", async () => {
  const sockets = await Promise.all(Array.from({ length: 3 }, () => new Promise((resolve) => {
    const socket = connect(server.port, "127.0.0.1", () => {
      socket.write(`GET /ws?rate=60 HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: foxglove.websocket.v1\r\n\r\n");
      socket.pause();
      const text = Buffer.from(JSON.stringify({ op: "subscribe", subscriptions: Array.from({ length: 13 }, (_, i) => ({ id: i, channelId: i + 1 })) }));
      // a masked frame; the mask of zeros leaves the text as it is
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | 126, text.length >> 8, text.length & 0xff, 0, 0, 0, 0]), text]));
      resolve(socket);
    });
    socket.on("error", () => {});
  })));
  await stillRuns();
  await stillRuns();
  for (const socket of sockets) socket.destroy();
});

test("slow handshakes and idle connections end by themselves, and a reader still gets in", async () => {
  const idle = await Promise.all(Array.from({ length: 20 }, () => new Promise((resolve) => {
    const socket = connect(server.port, "127.0.0.1", () => { socket.write("GET / HTTP/1.1\r\nHo"); resolve(socket); });
    socket.on("error", () => {});
  })));
  const ends = idle.map((socket) => new Promise((resolve) => { socket.on("close", resolve); socket.resume(); }));
  assert.equal((await ask("/")).code, 200);
  await Promise.all(ends); // 5 s of the server's patience
  await stillRuns();
});
