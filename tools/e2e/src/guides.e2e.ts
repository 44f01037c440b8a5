import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { subscribableEvents } from '@switchboard/contracts/webhooks/http';
import { baseEnvironment, sim } from '@switchboard/dev';
import { findFreePorts } from '@switchboard/embedded-servers';
import { eventually } from '@switchboard/testing/eventually';
import { Api } from './api.js';
import { appClient } from './app-client.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

const guidesFolder = join(import.meta.dirname, '..', '..', '..', 'docs', 'guides');
/** It runs until it is ended. */
const SERVER = 'receiving-webhooks.md';
/** They end by themselves. */
const PROGRAMS = ['bulk-sends.md', 'consent.md', 'errors-and-retries.md', 'going-live.md', 'sending-safely.md'];
/** Its programs are in other languages: `generated-clients.e2e.ts` runs them. */
const GENERATED = 'generated-clients.md';
const SOON = { deadlineMs: 60_000 };

describe('the code of the guides', () => {
  let all: UsableStack;
  let folder: string;

  beforeAll(async () => {
    all = await sharedStack();
    folder = await mkdtemp(join(tmpdir(), 'switchboard-guides-'));
    // The templates of the channel's account are there once they were synchronised.
    await eventually(
      async () => ((await all.acme.get('/v1/templates?status=APPROVED')).body?.items ?? []).length > 0,
      SOON,
    );
  });

  afterAll(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** Runs a guide's blocks as one program, as a reader does. */
  async function start(
    guide: string,
    more: Record<string, string> = {},
  ): Promise<{ child: ChildProcess; said(): string }> {
    const markdown = await readFile(join(guidesFolder, guide), 'utf8');
    const blocks = [...markdown.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code);
    expect([guide, blocks.length > 1]).toEqual([guide, true]);
    const file = join(folder, guide.replace(/\.md$/, '.mjs'));
    await writeFile(file, blocks.join('\n'));
    const [organization] = all.stack.devJson.organizations ?? [];
    const child = spawn(process.execPath, [file], {
      env: { ...baseEnvironment(), BASE_URL: all.baseUrl, API_KEY: organization?.apiKey ?? '', ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    return { child, said: () => text };
  }

  it('is all of what the folder holds', async () => {
    const files = (await readdir(guidesFolder)).filter((name) => name !== 'README.md');
    expect(files.sort()).toEqual([...PROGRAMS, SERVER, GENERATED].sort());
  });

  it.each(PROGRAMS)('%s does what it says', async (guide) => {
    const { child, said } = await start(guide);
    const [code] = (await once(child, 'exit')) as [number | null];
    expect([code, said()]).toEqual([0, expect.not.stringContaining('Error')]);
  });

  it('bulk-sends.md sends from a line of the account whose template it is, where there are two', async () => {
    const other = all.stack.devJson.organizations?.[2];
    const user = other?.users?.find(({ role }) => role === 'OWNER');
    if (!other || !user) throw new Error('there is no third organization with an owner');
    await writeFile(join(folder, 'dev.json'), JSON.stringify(all.stack.devJson));
    const digits = `1201555${2_000 + (Date.now() % 8_000)}`;
    await sim(folder, ['add-line', '--line', digits, '--token', 'guide-token']);
    const owner = appClient(all.baseUrl);
    await owner.signIn(user);
    const line = { phoneNumberId: `9${digits}`, businessAccountId: `8${digits}`, accessToken: 'guide-token' };
    const connected = await owner.post('/app/api/channels', line);
    expect(connected.status).toBe(201);
    const api = new Api(all.baseUrl, other.apiKey);
    const account = `/v1/templates?status=APPROVED&businessAccountId=${line.businessAccountId}`;
    await eventually(async () => ((await api.get(account)).body?.items ?? []).length > 0, SOON);
    try {
      const { child, said } = await start('bulk-sends.md', { API_KEY: other.apiKey });
      const [code] = (await once(child, 'exit')) as [number | null];
      expect([code, said()]).toEqual([0, '']);
    } finally {
      await owner.post(`/app/api/channels/${String(connected.body?.id)}/disconnect`, {});
    }
  });

  it(`${SERVER} takes what was signed, each event once, and nothing else`, async () => {
    const owner = appClient(all.baseUrl);
    const user = all.stack.devJson.organizations?.[0]?.users?.find(({ role }) => role === 'OWNER');
    if (!user) throw new Error('there is no owner');
    await owner.signIn(user);
    const [port = 0] = await findFreePorts(1);
    const url = `http://127.0.0.1:${port}/hook`;
    const { body } = await owner.post('/app/api/webhooks', { url, events: subscribableEvents });
    const { child, said } = await start(SERVER, { PORT: String(port), WEBHOOK_SECRET: String(body?.['secret']) });
    try {
      const answered = (headers: Record<string, string>): Promise<number | null> =>
        fetch(url, { method: 'POST', body: '{}', headers }).then(
          ({ status }) => status,
          () => null,
        );
      await eventually(async () => (await answered({})) === 401, SOON);
      expect(await answered({ 'x-service-signature': '0'.repeat(64) })).toBe(401);
      await eventually(async () => /^caught up$/m.test(said()), SOON);
      const sent = await all.acme.send('+14155552673', 'Hello');
      expect(sent.status).toBe(200);
      await eventually(async () => /^message\.delivered c\w+ \d+$/m.test(said()), SOON);
      const ids = [...said().matchAll(/^[a-z._]+ (c\w+)/gm)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
    } finally {
      child.kill('SIGKILL');
      await owner.ask('DELETE', `/app/api/webhooks/${String(body?.id)}`);
    }
  });
});
