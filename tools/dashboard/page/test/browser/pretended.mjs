// A browser and, new for every test, a pretended server: what the tests of a file share.
import { after, afterEach, before, beforeEach } from 'node:test';
import { startDouble } from '../double/double.mjs';
import { launch, open } from './pages.mjs';

export const { KAGAMI_WWW: www, KAGAMI_URDF: urdf } = process.env;

/** Sets both up for the file that calls it. `server` is the present one, visit() opens the page with its token. */
export function pretended() {
  const own = {
    browser: null, server: null,
    visit: (options, tab = 'run') => open(own.browser, `${own.server.url}#token=${own.server.token}&tab=${tab}`, { flat: true, ...options }),
  };
  before(async () => { own.browser = await launch(); });
  beforeEach(async () => { own.server = await startDouble({ www, urdf }); });
  afterEach(() => own.server.close());
  after(() => own.browser?.close());
  return own;
}
