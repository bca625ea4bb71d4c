import assert from 'node:assert/strict';
import { test, beforeEach, afterEach } from 'node:test';
import { FakeClock } from './fake_clock.ts';
import { Client, encodeCall, kSubprotocols, type Loss, type Parameter, type Socket } from '../../src/protocol/client.ts';

/** A socket whose server is the test. */
class FakeSocket implements Socket {
  static made: FakeSocket[] = [];
  binaryType = '';
  readyState = 1;
  onopen: (() => void) | null = null;
  onclose: Socket['onclose'] = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  sent: (string | ArrayBuffer)[] = [];
  constructor(readonly url: string, readonly protocols: string[]) { FakeSocket.made.push(this); }
  send(data: string | ArrayBuffer) { this.sent.push(data); }
  close(event?: { code: number; reason: string }) { this.readyState = 3; this.onclose?.(event); }
  say(message: object) { this.onmessage?.({ data: JSON.stringify(message) }); }
  messages(op: string): any[] { return this.sent.filter((s) => typeof s === 'string').map((s) => JSON.parse(s as string)).filter((m) => m.op === op); }
  calls(): DataView[] { return this.sent.filter((s) => typeof s !== 'string').map((s) => new DataView(s as ArrayBuffer)); }
}

const kTiming = { silence: 1000, retry: [100, 400], answer: 500 };
let events: any[];
let client: Client;
let clock: FakeClock;
const socket = () => FakeSocket.made[FakeSocket.made.length - 1];
const greet = () => {
  socket().onopen?.();
  socket().say({ op: 'serverInfo', name: 's', capabilities: [], sessionId: 'one' });
  socket().say({ op: 'advertise', channels: [{ id: 7, topic: '/status', encoding: 'json' }, { id: 9, topic: '/gains', encoding: 'json' }] });
  socket().say({ op: 'advertiseServices', services: [{ id: 3, name: 'stop' }, { id: 4, name: '/undo' }] });
};
const message = (subscription: number, value: unknown) => {
  const payload = new TextEncoder().encode(JSON.stringify(value));
  const bytes = new Uint8Array(13 + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 1);
  view.setUint32(1, subscription, true);
  view.setBigUint64(5, 1234567890123456789n, true);
  bytes.set(payload, 13);
  return bytes.buffer;
};
const answer = (service: number, call: number, value: unknown) => {
  const payload = new TextEncoder().encode(JSON.stringify(value));
  const bytes = new Uint8Array(17 + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 3);
  view.setUint32(1, service, true);
  view.setUint32(5, call, true);
  view.setUint32(9, 4, true);
  bytes.set(new TextEncoder().encode('json'), 13);
  bytes.set(payload, 17);
  return bytes.buffer;
};

beforeEach(() => {
  clock = new FakeClock();
  FakeSocket.made = [];
  events = [];
  client = new Client('ws://x/ws', {
    opened: (info) => events.push(['opened', info.sessionId]),
    lost: () => events.push(['lost']),
    message: (topic, data, time) => events.push([topic, data, time]),
    parameters: (values: Parameter[]) => events.push(['parameters', values]),
    status: (level, text) => events.push(['status', level, text]),
  }, (url, protocols) => new FakeSocket(url, protocols), kTiming);
});
afterEach(() => { client.close(); clock.restore(); });

test('offers both names of the protocol', () => {
  client.connect();
  assert.deepEqual(socket().protocols, kSubprotocols);
  assert.deepEqual([...kSubprotocols].sort(), ['foxglove.sdk.v1', 'foxglove.websocket.v1']);
});

test('subscribes to what is wanted once it is advertised, and hands on its messages with their time', () => {
  client.want('/status');
  client.want('/not_there');
  client.connect();
  greet();
  const [{ subscriptions }] = socket().messages('subscribe');
  assert.deepEqual(subscriptions.map((s: any) => s.channelId), [7]);
  socket().onmessage?.({ data: message(subscriptions[0].id, { tick: 5 }) });
  assert.deepEqual(events.at(-1), ['/status', { tick: 5 }, 1234567890123456789n]);
});

test('keeps a subscription until it is no longer used', () => {
  client.connect();
  greet();
  const [a, b] = [client.want('/gains'), client.want('/gains')];
  assert.equal(socket().messages('subscribe').length, 1);
  a();
  a();   // giving up twice counts once
  assert.equal(socket().messages('unsubscribe').length, 0);
  b();
  assert.equal(socket().messages('unsubscribe').length, 1);
});

test('a message of a subscription that was given up is dropped', () => {
  client.connect();
  greet();
  const end = client.want('/gains');
  const id = socket().messages('subscribe')[0].subscriptions[0].id;
  end();
  const before = events.length;
  socket().onmessage?.({ data: message(id, {}) });
  assert.equal(events.length, before);
});

test('a service call is opcode 2 with little-endian ids, the encoding and the request', () => {
  const bytes = new Uint8Array(encodeCall(0x01020304, 5, { level: 'hold' }));
  assert.deepEqual([...bytes.subarray(0, 17)], [2, 4, 3, 2, 1, 5, 0, 0, 0, 4, 0, 0, 0, 0x6a, 0x73, 0x6f, 0x6e]);
  assert.equal(new TextDecoder().decode(bytes.subarray(17)), '{"level":"hold"}');
});

test('answers reach the call they belong to, in any order', async () => {
  client.connect();
  greet();
  const first = client.call('stop', { level: 'slow' });
  const second = client.call('undo');
  const [a, b] = socket().calls();
  assert.equal(b.getUint32(1, true), 4);
  socket().onmessage?.({ data: answer(4, b.getUint32(5, true), { ok: false, error: 'nothing to undo' }) });
  socket().onmessage?.({ data: answer(3, a.getUint32(5, true), { ok: true, tick: 12 }) });
  assert.deepEqual(await first, { ok: true, tick: 12 });
  assert.deepEqual(await second, { ok: false, error: 'nothing to undo' });
});

test('a call without an answer ends with a sentence', async () => {
  client.connect();
  greet();
  const late = client.call('stop');
  clock.tick(501);
  assert.deepEqual(await late, { ok: false, error: 'no answer within 0.5 s' });
});

test('a failure of a call and an unknown service are answers', async () => {
  client.connect();
  greet();
  const failed = client.call('stop');
  socket().say({ op: 'serviceCallFailure', serviceId: 3, callId: socket().calls()[0].getUint32(5, true), message: 'no' });
  assert.deepEqual(await failed, { ok: false, error: 'no' });
  assert.match(((await client.call('fly')) as { error: string }).error, /does not offer "fly"/);
});

test('set parameters resolve with the values of the same id', async () => {
  client.connect();
  greet();
  const set = client.setParameters([{ name: '/pid/left_knee/kp', value: 4.2 }]);
  const [request] = socket().messages('setParameters');
  socket().say({ op: 'parameterValues', parameters: [{ name: '/other', value: 1 }] });
  socket().say({ op: 'parameterValues', id: request.id, parameters: [{ name: '/pid/left_knee/kp', value: 4.2 }] });
  assert.deepEqual(await set, [{ name: '/pid/left_knee/kp', value: 4.2 }]);
});

test('a lost connection ends what waits, is reported, and is tried again with growing pauses', async () => {
  client.want('/status');
  client.connect();
  greet();
  const call = client.call('stop');
  const set = client.setParameters([]);
  socket().close();
  assert.equal((await call).ok, false);
  assert.equal(await set, null);
  assert.deepEqual(events.at(-1), ['lost']);
  clock.tick(100);
  assert.equal(FakeSocket.made.length, 2);
  socket().close();
  clock.tick(100);
  assert.equal(FakeSocket.made.length, 2, 'the second pause is longer');
  clock.tick(300);
  assert.equal(FakeSocket.made.length, 3);
  greet();
  assert.equal(socket().messages('subscribe').length, 1, 'what was wanted is subscribed to again');
  assert.deepEqual(await client.call('fly'), { ok: false, error: 'this server does not offer "fly"' });
});

test('a silent server counts as lost', () => {
  client.connect();
  greet();
  clock.tick(900);
  socket().say({ op: 'status', level: 0, message: 'still here' });
  clock.tick(900);
  assert.equal(events.filter(([e]) => e === 'lost').length, 0);
  clock.tick(200);
  assert.equal(events.filter(([e]) => e === 'lost').length, 1);
});

test('a page that was busy itself does not count its server as lost', () => {
  client.connect();
  greet();
  clock.tick(500);
  clock.stall(5000);   // messages of these seconds wait in the socket
  assert.equal(events.filter(([e]) => e === 'lost').length, 0);
  socket().say({ op: 'status', level: 0, message: 'still here' });
  clock.tick(999);
  assert.equal(events.filter(([e]) => e === 'lost').length, 0);
  clock.tick(1);
  assert.equal(events.filter(([e]) => e === 'lost').length, 1);
});

test('restart connects anew by the present address, subscribes again, and no loss is reported', async () => {
  let rate = 30;
  const own = new Client(() => `ws://x/ws?rate=${rate}`, { opened: () => events.push(['opened']), lost: () => events.push(['lost']), message: () => {}, parameters: () => {}, status: () => {} },
    (url, protocols) => new FakeSocket(url, protocols), kTiming);
  own.want('/status');
  own.connect();
  greet();
  const waiting = own.call('stop');
  const old = socket();
  rate = 60;
  own.restart();
  assert.deepEqual(await waiting, { ok: false, error: 'the connection to the server is lost' });
  assert.equal(old.readyState, 3);
  assert.equal(FakeSocket.made.length, 2);
  assert.equal(socket().url, 'ws://x/ws?rate=60');
  greet();
  assert.equal(socket().messages('subscribe')[0].subscriptions[0].channelId, 7);
  assert.deepEqual(events.map(([e]) => e), ['opened', 'opened']);
  own.close();
  own.restart();
  assert.equal(FakeSocket.made.length, 2, 'closed stays closed');
});

test('close ends it: no new attempt', () => {
  client.connect();
  client.close();
  clock.tick(10_000);
  assert.equal(FakeSocket.made.length, 1);
});

test('an end reported by the server is not a loss; a connection that was never open is reported as such', () => {
  const losses: Loss[] = [];
  const own = new Client('ws://x/ws', { opened: () => {}, lost: (how) => losses.push(how), message: () => {}, parameters: () => {}, status: () => {} },
    (url, protocols) => new FakeSocket(url, protocols), kTiming);
  own.connect();
  greet();
  socket().close({ code: 1001, reason: 'stopped; the servos are released, all boards confirmed' });
  assert.deepEqual(losses.at(-1), { wasOpen: true, goodbye: 'stopped; the servos are released, all boards confirmed' });
  clock.tick(101);
  socket().close({ code: 1006, reason: '' });
  assert.deepEqual(losses.at(-1), { wasOpen: false, goodbye: '' });
  clock.tick(401);
  greet();
  socket().close({ code: 1008, reason: 'too many messages' });
  assert.deepEqual(losses.at(-1), { wasOpen: true, goodbye: '' }, 'a forced disconnection is a loss');
  own.close();
});

test('garbage is reported and survived', () => {
  client.connect();
  greet();
  socket().onmessage?.({ data: '{' });
  socket().onmessage?.({ data: new ArrayBuffer(0) });
  socket().onmessage?.({ data: new Uint8Array([3, 0, 0]).buffer });
  assert.equal(events.filter(([e]) => e === 'status').length, 3);
  socket().say({ op: 'status', level: 2, message: 'later' });
  assert.deepEqual(events.at(-1), ['status', 2, 'later']);
});
