// The services of the pretended server.
import { kJoints, tunables } from './plant.mjs';

const refused = (error) => ({ ok: false, error });

/** Name -> function of request and client, over a hub. */
export function makeServices(hub) {
  const { plant, history } = hub;
  const trials = new Map();
  let nextId = 1;
  const done = (more = {}) => ({ ok: true, tick: plant.tick, ...more });
  const stop = ({ level }) => {
    hub.stops.push(level);
    plant.state = level === 'release' ? 'released' : 'hold';
    hub.stop = { level, confirmed: false, tick: null };
    // the boards answer a little later
    if (plant.confirms) setTimeout(() => { hub.stop = { level, confirmed: true, tick: plant.tick }; }, 150);
    return done();
  };
  const refuseValues = (changes) => {
    for (const [name, value] of Object.entries(changes)) {
      const t = tunables().find((x) => x.name === name);
      if (!t) return refused(`${name}: unknown`);
      if (!(value >= t.min && value <= t.max)) return refused(`${name}: ${value} is outside [${t.min}, ${t.max}] ${t.unit}`);
    }
    return null;
  };
  const swap = (from, to) => {
    if (from.length === 0) return refused('nothing to go back to');
    to.push(new Map(plant.gains));
    const values = from.pop();
    hub.apply(new Map([...values].filter(([n, v]) => plant.gains.get(n) !== v)), from === history.undo ? 'undo' : 'redo');
    return done();
  };
  const services = {
    stop, release: () => stop({ level: 'release' }), hold: () => stop({ level: 'hold' }),
    play: ({ motion, loop }) => {
      if (motion === 'somersault') return refused('motion "somersault": unknown');
      hub.stop = { level: 'none', confirmed: false, tick: null };
      if (plant.state !== 'paused') plant.motion = { name: motion ?? plant.motion.name, time: 0, speed: plant.motion.speed, loop: Boolean(loop), reverse: false };
      plant.state = 'running';
      return done();
    },
    pause: () => { plant.state = 'paused'; return done(); },
    step: ({ ms }) => { plant.motion.time += ms / 1000; return done(); },
    speed: ({ factor }) => { plant.motion.speed = factor; return done(); },
    set_controller: () => done(),
    reverse: ({ on }) => { plant.motion.reverse = on; return done(); },
    set: ({ base, changes }) => {
      if (base < history.version) return { ...refused(`another page changed something meanwhile (version ${history.version})`), version: history.version };
      const no = refuseValues(changes);
      if (no) return no;
      hub.apply(new Map(Object.entries(changes)), 'propose');
      return done({ version: history.version });
    },
    undo: () => swap(history.undo, history.redo), redo: () => swap(history.redo, history.undo),
    select: ({ set }) => {
      history.sets[history.set] = new Map(plant.gains);
      history.set = set;
      hub.apply(new Map([...history.sets[set]].filter(([n, v]) => plant.gains.get(n) !== v)), `select ${set}`);
      return done();
    },
    store: ({ set }) => { history.sets[set] = new Map(plant.gains); return done(); },
    difference: () => done({ difference: [...history.sets.A].filter(([n, v]) => history.sets.B.get(n) !== v)
      .map(([name, a]) => ({ name, a, b: history.sets.B.get(name) })) }),
    save: ({ name }) => { history.dirty = false; return done({ path: `${name}.json` }); },
    try: ({ changes, seconds }) => {
      const id = `try-${nextId++}`;
      trials.set(id, changes);
      const t = Array.from({ length: 100 }, (_, i) => i * seconds / 100);
      const predicted = Object.fromEntries(kJoints.map((j) => {
        const mean = t.map((x) => 1.2 + 0.5 * Math.sin(4 * x));
        return [j, { mean, low: mean.map((x) => x - 0.05), high: mean.map((x) => x + 0.05) }];
      }));
      return done({ id, t, predicted, reference: Object.fromEntries(kJoints.map((j) => [j, t.map((x) => 1.2 + 0.5 * Math.sin(4 * x + 0.3))])),
        rms: Object.fromEntries(kJoints.map((j) => [j, { before_deg: 4.1, after_deg: 2.9 }])), why: 'no joint follows worse on any of the twins' });
    },
    promote: ({ id }) => {
      if (!trials.has(id)) return refused('this trial is too old');
      hub.apply(new Map(Object.entries(trials.get(id))), 'promote');
      return done();
    },
    experiment: ({ kind, joint, size_deg, seconds, where }) => {
      if (where !== 'robot') return done(plant.test(kind, joint, size_deg, seconds));
      if (plant.state !== 'hold') return refused('a joint is tested while the robot holds');
      hub.event(2, 'joint_test_begins', `A ${kind} of ${size_deg} deg begins on ${joint}.`);
      return done({ ...plant.test(kind, joint, size_deg, seconds), tick_from: plant.tick, tick_to: plant.tick + 200 * seconds });
    },
    autotune: ({ joint }) => {
      const id = `tune-${nextId++}`;
      const name = (g) => `pid/${joint}/${g}`;
      const after = { [name('kp')]: 9.4, [name('ki')]: 12.5, [name('lead_time')]: 0.09 };
      trials.set(id, after);
      const before = Object.fromEntries(Object.keys(after).map((n) => [n, plant.gains.get(n)]));
      const m = (kp) => ({ [joint]: plant.test('step', joint, 10, 1.5, new Map([[name('kp'), kp]])).metrics });
      return done({ id, before: { gains: before, metrics: m(before[name('kp')]), cost_deg: 2.31 }, after: { gains: after, metrics: m(9.4), cost_deg: 1.12 },
        evaluations: 240, aborted: false, why: 'the cost fell by 52 %' });
    },
    accept: ({ id }) => { hub.apply(new Map(Object.entries(trials.get(id))), 'autotune'); return done(); },
    reject: () => done(),
    motions: () => hub.busy-- > 0 ? refused('no answer in time') : done({ motions: [{ name: 'walk_forward' }, { name: 'squat' }, { name: 'getup_back' }, { name: 'somersault' }] }),
    sessions: () => done({ sessions: [
      { name: '2026-11-28T16-58-02-walk_forward', path: '/sessions/2026-11-28T16-58-02-walk_forward/run.mcap', motion: 'walk_forward', seconds: 12.4, bytes: 3_900_000, tags: ['stand', 'pid'], report: true, started: '2026-11-28 16:58' },
      { name: '2026-11-28T16-41-40-squat', path: '/sessions/2026-11-28T16-41-40-squat/run.mcap', motion: 'squat', seconds: 8.1, bytes: 2_600_000, tags: ['floor'], report: true, started: '2026-11-28 16:41' }] }),
    compare: ({ record, baseline }) => {
      const rows = (more) => kJoints.map((name, i) => ({ name, channel: i, samples: 814, rms_deg: 0.3 + 0.2 * i + more, max_deg: 1 + 0.4 * i, bias_deg: 0.1 * (i % 4), lag_ms: i % 5 ? -20 - i : null, floor_deg: 0.28 }));
      return done({ schema: 'kagami.compare/1', record, motion: 'walk_forward', samples: 13838, rms_deg: 1.4, joints: rows(0),
        ...(baseline ? { baseline: { record: baseline }, changes: kJoints.map((name) => ({ name, rms_deg: -0.2, max_deg: 0, bias_deg: 0, lag_ms: null })) } : {}) });
    },
    check: ({ motion }) => motion === 'somersault' ? refused('motion "somersault": unknown')
      : done({ schema: 'kagami.motion_check/1', motion, verdict: motion === 'getup_back' ? 'amber' : 'green', findings: motion === 'getup_back'
        ? [{ level: 'amber', kind: 'speed', joint: 'left_knee', at_s: 1.2, text: 'left knee: 310 deg/s at 1.2 s, the servo does 300' }] : [] }),
    session: ({ name, action, format }) => action === 'verify' ? done({ identical: true, ticks: 8880, state_hash: '69d3aa5297c03861' })
      : done({ path: `/sessions/${name}/${action === 'report' ? 'report.html' : `export.${format}`}`, bytes: 7_000_000 }),
    take_writer: (_, client) => { client.writer = true; return done(); },
    hand_over: (_, client) => { client.writer = false; return done(); },
  };
  // without the token one may look; with it stop and take over; who writes may do all
  const open = ['motions', 'sessions', 'compare', 'check', 'difference'];
  const token = ['stop', 'release', 'hold', 'take_writer'];
  for (const [name, f] of Object.entries(services)) {
    services[name] = (request, client) => {
      if (client.writer || open.includes(name) || (client.hasToken && token.includes(name))) return f(request, client);
      return refused(client.hasToken ? 'another client writes; take_writer takes over' : 'this connection is read-only: it was opened without the token');
    };
  }
  return services;
}
