// Starts `kagami tune` on the virtual robot in simulated time, ends it, and reads what it left.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const program = process.env.KAGAMI_PROGRAM;
const run = promisify(execFile);
/** Name of a second motion of every run: must be shown as plain text. */
export const kHostileName = '<img src=x onerror="document.title=1"><b>walk</b>';

/** Why these tests cannot run here; false: they can. */
export function whyNot() {
  if (!program) return 'KAGAMI_PROGRAM names no program';
  try {
    return execFileSync(program, ['tune', '--help'], { encoding: 'utf8' }).includes('--port') ? false : 'this program has no dashboard';
  } catch (error) {
    return `${program} does not run: ${error.message}`;
  }
}

/** A folder for everything that the runs of one test file write. */
export function makeFolder(motions) {
  const folder = mkdtempSync(join(tmpdir(), 'kagami-page-'));
  const walk = JSON.parse(readFileSync(join(motions, 'walk_forward.json'), 'utf8'));
  writeFileSync(join(folder, 'hostile.json'), JSON.stringify({ ...walk, name: kHostileName }));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts it and waits for the address it prints; port 0 is any. */
export async function startTune(folder, port = 0) {
  const child = spawn(program, ['tune', 'walk_forward', '--on', 'stand', '--controller', 'pid', '--port', String(port), '--token', 'secret', '--no-open',
    '--more-motion', join(folder, 'hostile.json'), '--clock', 'virtual'], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, XDG_DATA_HOME: folder } });
  let output = '';
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      output += data;
      const found = /http:\/\/\S+#token=\S+/.exec(output);
      if (found) resolve(found[0]);
    });
    child.on('exit', (code) => reject(new Error(`kagami tune ended with ${code}: ${output}`)));
  });
  return {
    url, child, output: () => output,
    /** Ends it as Ctrl-C does; answers the exit code. */
    end: () => { child.kill('SIGINT'); return ended; },
    kill: () => { child.kill('SIGKILL'); return ended; },
  };
}

/** A record that a run has left in the folder: the newest, -2 the one before, ... */
export function newestRecord(folder, which = -1) {
  const sessions = join(folder, 'kagami', 'sessions');
  return join(sessions, readdirSync(sessions).sort().at(which), 'run.mcap');
}

/** The first line that `kagami verify` prints; fails when the record does not re-execute. */
export const verify = async (record) => (await run(program, ['verify', record])).stdout.split('\n')[0];

/** What was turned in the run, as `kagami log changes` finds it in the record. */
export const changesOf = async (record) => JSON.parse((await run(program, ['log', 'changes', record, '--json'])).stdout).changes;
