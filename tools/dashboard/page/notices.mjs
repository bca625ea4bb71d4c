// The notices of the libraries' licences.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The licence of every package whose code went into a bundle; `here`: the folder of node_modules. */
export function collectNotices(meta, here) {
  const packages = new Set();
  for (const input of Object.keys(meta.inputs)) {
    const m = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
    if (m) packages.add(m[1]);
  }
  let text = 'The page contains code of these packages, each under its own licence.\n';
  for (const name of [...packages].sort()) {
    const folder = join(here, 'node_modules', name);
    const { version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const own = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
    // a package without the text: Apache's is at hand, it is this project's too
    if (!own && license !== 'Apache-2.0') throw new Error(`${folder}: no text of its licence ${license}`);
    const words = readFileSync(own ? join(folder, own) : join(here, 'LICENSE'), 'utf8').trim();
    text += `\n==== ${name} ${version} (${license})${author ? `, ${author.name ?? author}` : ''}\n\n${words}\n`;
  }
  return text;
}
