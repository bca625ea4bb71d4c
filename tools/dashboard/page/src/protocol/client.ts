// A client of the Foxglove WebSocket protocol: channels, parameters, services. It connects again by itself, and
// counts a silent server as lost.
import type { Answer } from './messages.ts';

export interface Parameter { name: string; value: unknown; type?: string }
export interface ServerInfo { name: string; sessionId?: string; capabilities: string[]; metadata?: Record<string, string> }
/** How a connection ended: whether it was ever one, and the message of the server at its end ('': none, the connection is lost). */
export interface Loss { wasOpen: boolean; goodbye: string }

export interface Handlers {
  opened(info: ServerInfo): void;
  lost(how: Loss): void;
  message(topic: string, data: unknown, time: bigint): void;
  parameters(values: Parameter[]): void;
  /** level 0 info, 1 warning, 2 error */
  status(level: number, message: string): void;
}

/** The part of a WebSocket that the client uses; tests provide their own. */
export interface Socket {
  binaryType: string;
  readyState: number;
  onopen: (() => void) | null;
  onclose: ((event?: { code: number; reason: string }) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  send(data: string | ArrayBuffer): void;
  close(): void;
}

export interface Timing {
  /** ms without a message from the server after which it counts as lost */
  silence: number;
  /** ms before the first, second, ... new attempt; the last one stays */
  retry: number[];
  /** ms that a service may take, unless specified otherwise */
  answer: number;
}

export const kSubprotocols = ['foxglove.sdk.v1', 'foxglove.websocket.v1'];
const kTiming: Timing = { silence: 3000, retry: [300, 600, 1200, 2400], answer: 8000 };
const kSilenceParts = 5;
const kOpen = 1;
const kGoingAway = 1001;   // close code of a server that ends, RFC 6455
const kLost = 'the connection to the server is lost';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Waiting<T> { done: (value: T) => void; timer: ReturnType<typeof setTimeout> }

export class Client {
  private socket: Socket | null = null;
  private channels = new Map<number, string>();            // channel id -> topic
  private subscriptions = new Map<number, string>();       // subscription id -> topic
  private wanted = new Map<string, number>();              // topic -> number of users
  private services = new Map<string, number>();            // name -> service id
  private calls = new Map<number, Waiting<Answer>>();
  private settings = new Map<string, Waiting<Parameter[] | null>>();
  private nextId = 1;
  private attempt = 0;
  private ready = false;
  private closed = false;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly url: string | (() => string),
    private readonly handlers: Handlers,
    private readonly makeSocket: (url: string, protocols: string[]) => Socket =
      (u, p) => new WebSocket(u, p) as unknown as Socket,
    private readonly timing: Timing = kTiming) {}

  /** Connects, and goes on trying until close(). */
  connect(): void {
    const socket = this.makeSocket(typeof this.url === 'string' ? this.url : this.url(), kSubprotocols);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => this.feedWatchdog();
    socket.onmessage = (event) => { if (socket === this.socket) this.receive(event.data); };
    socket.onclose = (e) => { if (socket === this.socket) this.drop(e?.code === kGoingAway ? e.reason : ''); };
    this.feedWatchdog();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.retryTimer);
    this.socket?.close();
    this.drop();
  }

  /** Connects anew, by the address as it is now; this is reported as no loss. */
  restart(): void {
    if (this.closed) return;
    clearTimeout(this.retryTimer);
    const old = this.socket;
    this.forgetServer();
    old?.close();
    this.connect();
  }

  /** Tries at once instead of at the end of the pause. */
  retryNow(): void {
    if (this.socket || this.closed) return;
    clearTimeout(this.retryTimer);
    this.connect();
  }

  /** Subscribes to a topic for as long as it is used; returns the function that ends it. */
  want(topic: string): () => void {
    const count = this.wanted.get(topic) ?? 0;
    this.wanted.set(topic, count + 1);
    if (count === 0) this.subscribe([topic]);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const left = (this.wanted.get(topic) ?? 1) - 1;
      if (left > 0) { this.wanted.set(topic, left); return; }
      this.wanted.delete(topic);
      this.unsubscribe(topic);
    };
  }

  /** Calls a service; a refusal, a time-out and a lost connection are answers too. */
  call<T = object>(name: string, request: object = {}, timeout = this.timing.answer): Promise<Answer<T>> {
    const service = this.services.get(name);
    if (!this.ready) return Promise.resolve({ ok: false, error: kLost });
    if (service === undefined) return Promise.resolve({ ok: false, error: `this server does not offer "${name}"` });
    const id = this.nextId++;
    const answer = new Promise<Answer<T>>((resolve) => {
      const late = () => this.finishCall(id, { ok: false, error: `no answer within ${timeout / 1000} s` });
      this.calls.set(id, { done: resolve as (value: Answer) => void, timer: setTimeout(late, timeout) });
    });
    this.socket?.send(encodeCall(service, id, request));
    return answer;
  }

  /** Asks for parameters to be set; the values that hold then, or null without an answer. */
  setParameters(parameters: Parameter[]): Promise<Parameter[] | null> {
    return this.askParameters({ op: 'setParameters', parameters });
  }

  /** All parameters, or those named. */
  getParameters(parameterNames: string[] = []): Promise<Parameter[] | null> {
    return this.askParameters({ op: 'getParameters', parameterNames });
  }

  /** A request without effect: a sign of life for the server. */
  sayHello(): void { if (this.ready) this.sendJson({ op: 'getParameters', parameterNames: ['/motion/speed'] }); }

  hasService(name: string): boolean { return this.services.has(name); }

  private askParameters(request: object): Promise<Parameter[] | null> {
    if (!this.ready) return Promise.resolve(null);
    const id = `p${this.nextId++}`;
    const answer = new Promise<Parameter[] | null>((resolve) => {
      const timer = setTimeout(() => this.finishSetting(id, null), this.timing.answer);
      this.settings.set(id, { done: resolve, timer });
    });
    this.sendJson({ ...request, id });
    return answer;
  }

  private sendJson(value: object): void {
    if (this.socket?.readyState === kOpen) this.socket.send(JSON.stringify(value));
  }

  private subscribe(topics: Iterable<string>): void {
    const fresh: { id: number; channelId: number }[] = [];
    for (const topic of topics) {
      const channel = [...this.channels].find(([, t]) => t === topic);
      if (!channel || [...this.subscriptions.values()].includes(topic)) continue;
      const id = this.nextId++;
      this.subscriptions.set(id, topic);
      fresh.push({ id, channelId: channel[0] });
    }
    if (fresh.length > 0) this.sendJson({ op: 'subscribe', subscriptions: fresh });
  }

  private unsubscribe(topic: string): void {
    for (const [id, t] of this.subscriptions) {
      if (t !== topic) continue;
      this.subscriptions.delete(id);
      this.sendJson({ op: 'unsubscribe', subscriptionIds: [id] });
    }
  }

  // in parts: a page that was busy itself for longer has missed one of them, and messages wait for it
  private feedWatchdog(parts = kSilenceParts): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => {
      if (parts > 1) return this.feedWatchdog(parts - 1);
      const socket = this.socket;
      this.drop();
      socket?.close();
    }, this.timing.silence / kSilenceParts);
  }

  private drop(goodbye = ''): void {
    if (!this.socket) return;
    const wasOpen = this.ready;
    this.forgetServer();
    this.handlers.lost({ wasOpen, goodbye });
    if (this.closed) return;
    const pause = this.timing.retry[Math.min(this.attempt++, this.timing.retry.length - 1)];
    this.retryTimer = setTimeout(() => this.connect(), pause);
  }

  private forgetServer(): void {
    clearTimeout(this.watchdog);
    this.socket = null;
    this.ready = false;
    this.channels.clear();
    this.subscriptions.clear();
    this.services.clear();
    for (const id of [...this.calls.keys()]) this.finishCall(id, { ok: false, error: kLost });
    for (const id of [...this.settings.keys()]) this.finishSetting(id, null);
  }

  private finishCall(id: number, answer: Answer): void {
    const waiting = this.calls.get(id);
    if (!waiting) return;
    this.calls.delete(id);
    clearTimeout(waiting.timer);
    waiting.done(answer);
  }

  private finishSetting(id: string, values: Parameter[] | null): void {
    const waiting = this.settings.get(id);
    if (!waiting) return;
    this.settings.delete(id);
    clearTimeout(waiting.timer);
    waiting.done(values);
  }

  private receive(data: unknown): void {
    this.feedWatchdog();
    try {
      if (typeof data === 'string') this.receiveText(JSON.parse(data));
      else if (data instanceof ArrayBuffer) this.receiveBinary(new DataView(data));
    } catch (error) {
      this.handlers.status(2, `invalid message from the server: ${error}`);
    }
  }

  // the fields of each op are the protocol's
  private receiveText(m: any): void {
    switch (m.op) {
      case 'serverInfo':
        this.ready = true;
        this.attempt = 0;
        this.handlers.opened(m);
        this.sendJson({ op: 'subscribeParameterUpdates', parameterNames: [] });
        break;
      case 'advertise':
        for (const c of m.channels) this.channels.set(c.id, c.topic);
        this.subscribe(this.wanted.keys());
        break;
      case 'unadvertise':
        for (const id of m.channelIds) this.forget(id);
        break;
      case 'advertiseServices':
        for (const s of m.services) this.services.set(s.name.replace(/^\//, ''), s.id);
        break;
      case 'unadvertiseServices':
        for (const [name, id] of this.services) if (m.serviceIds.includes(id)) this.services.delete(name);
        break;
      case 'parameterValues':
        this.handlers.parameters(m.parameters);
        if (m.id) this.finishSetting(m.id, m.parameters);
        break;
      case 'serviceCallFailure':
        this.finishCall(m.callId, { ok: false, error: m.message });
        break;
      case 'status':
        this.handlers.status(m.level, m.message);
        break;
    }
  }

  private forget(channel: number): void {
    const topic = this.channels.get(channel);
    this.channels.delete(channel);
    for (const [id, t] of this.subscriptions) if (t === topic) this.subscriptions.delete(id);
  }

  private receiveBinary(view: DataView): void {
    const op = view.getUint8(0);
    if (op === 1) {
      const topic = this.subscriptions.get(view.getUint32(1, true));
      if (topic === undefined) return;  // was on its way when we unsubscribed
      this.handlers.message(topic, JSON.parse(text(view, 13)), view.getBigUint64(5, true));
    } else if (op === 3) {
      const length = view.getUint32(9, true);
      this.finishCall(view.getUint32(5, true), JSON.parse(text(view, 13 + length)));
    }
  }
}

/** A service call as bytes: opcode 2, service, call, length and name of the encoding, payload. */
export function encodeCall(service: number, call: number, request: object): ArrayBuffer {
  const payload = encoder.encode(JSON.stringify(request));
  const encoding = encoder.encode('json');
  const bytes = new Uint8Array(13 + encoding.length + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, 2);
  view.setUint32(1, service, true);
  view.setUint32(5, call, true);
  view.setUint32(9, encoding.length, true);
  bytes.set(encoding, 13);
  bytes.set(payload, 13 + encoding.length);
  return bytes.buffer;
}

const text = (view: DataView, from: number): string =>
  decoder.decode(new Uint8Array(view.buffer, view.byteOffset + from, view.byteLength - from));
