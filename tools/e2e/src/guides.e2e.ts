import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { subscribableEvents } from '@switchboard/contracts/webhooks/http';
import { sim } from '@switchboard/dev';
import { findFreePorts } from '@switchboard/embedded-servers';
import { eventually } from '@switchboard/testing/eventually';
import { Api } from './api.js';
import { signedInClient } from './app-client.js';
import { blocksOf, guidesFolder, runProgram, startProgram } from './guide-program.js';
import { ownerOf, personIn } from './people.js';
import { sharedStack } from './shared-stack.js';
import type { UsableStack } from './start-everything.js';

/** It runs until it is ended. */
const SERVER = 'receiving-webhooks.md';
/** They end by themselves. */
const PROGRAMS = ['bulk-sends.md', 'consent.md', 'errors-and-retries.md', 'going-live.md', 'sending-safely.md'];
/** Its programs are in other languages: `generated-clients.e2e.ts` runs them. */
const GENERATED = 'generated-clients.md';
const BROKEN = 'c00000000';
/** As a database that is away for a moment. */
const FIRST_LINE_FAILS = `
const { log } = console;
console.log = (...words) => {
  if (!words.includes('${BROKEN}')) return log(...words);
  console.log = log;
  throw new Error('not stored');
};`;
const SOON = { deadlineMs: 60_000 };
/** What a reader has stored: another run sends something else. */
const stored = { ORDER: `order-${Date.now()}`, CAMPAIGN: `campaign-${Date.now()}` };

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

  /** What a guide's program gets from its reader. */
  function environmentOf(more: Record<string, string> = {}): Record<string, string> {
    const [organization] = all.stack.devJson.organizations ?? [];
    return { BASE_URL: all.baseUrl, API_KEY: organization?.apiKey ?? '', ...more };
  }

  /** Runs a guide's blocks as one program, to its end. */
  async function run(guide: string, more: Record<string, string>): Promise<[number | null, string]> {
    return runProgram(folder, (await blocksOf(guide, 'js')).join('\n'), environmentOf(more));
  }

  it('is all of what the folder holds', async () => {
    const files = (await readdir(guidesFolder)).filter((name) => name !== 'README.md');
    expect(files.sort()).toEqual([...PROGRAMS, SERVER, GENERATED].sort());
  });

  it.each(PROGRAMS)('%s does what it says', async (guide) => {
    expect(await run(guide, stored)).toEqual([0, expect.not.stringContaining('Error')]);
  });

  it.each([
    ['bulk-sends.md', 'customer-0'],
    ['sending-safely.md', stored.ORDER],
  ])('%s sends nothing a second time when it is run again', async (guide, reference) => {
    const sent = async (): Promise<number | undefined> => {
      const { body } = await all.acme.get(`/v1/messages?direction=OUTBOUND&limit=100&clientReference=${reference}`);
      return body?.items?.length;
    };
    await run(guide, stored);
    const once = await sent();
    expect(await run(guide, stored)).toEqual([0, '']);
    expect(once).toBeGreaterThan(0);
    expect(await sent()).toBe(once);
  });

  it('bulk-sends.md sends from a line of the account whose template it is, where there are two', async () => {
    const other = all.stack.devJson.organizations?.[2];
    if (!other) throw new Error('there is no third organization');
    await writeFile(join(folder, 'dev.json'), JSON.stringify(all.stack.devJson));
    const digits = `1201555${2_000 + (Date.now() % 8_000)}`;
    await sim(folder, ['add-line', '--line', digits, '--token', 'guide-token']);
    const owner = await signedInClient(all.baseUrl, personIn(other, 'OWNER'));
    const line = { phoneNumberId: `9${digits}`, businessAccountId: `8${digits}`, accessToken: 'guide-token' };
    const connected = await owner.post('/app/api/channels', line);
    expect(connected.status).toBe(201);
    const api = new Api(all.baseUrl, other.apiKey);
    const account = `/v1/templates?status=APPROVED&businessAccountId=${line.businessAccountId}`;
    await eventually(async () => ((await api.get(account)).body?.items ?? []).length > 0, SOON);
    try {
      expect(await run('bulk-sends.md', { ...stored, API_KEY: other.apiKey })).toEqual([0, '']);
    } finally {
      await owner.post(`/app/api/channels/${String(connected.body?.id)}/disconnect`, {});
    }
  });

  it(`${SERVER} takes what was signed, each event once, and nothing else`, async () => {
    const owner = await signedInClient(all.baseUrl, ownerOf(all.stack));
    const [port = 0] = await findFreePorts(1);
    const url = `http://127.0.0.1:${port}/hook`;
    const { body } = await owner.post('/app/api/webhooks', { url, events: subscribableEvents });
    const secret = String(body?.['secret']);
    const code = [FIRST_LINE_FAILS, ...(await blocksOf(SERVER, 'js'))].join('\n');
    const environment = environmentOf({ PORT: String(port), WEBHOOK_SECRET: secret });
    const { child, said } = await startProgram(folder, code, environment);
    try {
      const answered = (headers: Record<string, string>, text = '{}'): Promise<number | null> =>
        fetch(url, { method: 'POST', body: text, headers }).then(
          ({ status }) => status,
          () => null,
        );
      await eventually(async () => (await answered({})) === 401, SOON);
      expect(await answered({ 'x-service-signature': '0'.repeat(64) })).toBe(401);
      const text = JSON.stringify({ event: 'message.read', data: { id: BROKEN } });
      const signed = { 'x-service-signature': createHmac('sha256', secret).update(text).digest('hex') };
      const answers = [await answered(signed, text), await answered(signed, text), await answered(signed, text)];
      expect(answers).toEqual([null, 204, 204]);
      await eventually(() => said().includes(`message.read ${BROKEN}`), SOON);
      const sent = await all.acme.send('+14155552673', 'Hello');
      expect(sent.status).toBe(200);
      await eventually(async () => /^message\.delivered c\w+ \d+$/m.test(said()), SOON);
      const ids = [...said().matchAll(/^[a-z._]+ (c\w+)/gm)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const missed = (await blocksOf(SERVER, 'js catch-up')).join('\n');
      const [exitCode, caughtUp] = await runProgram(folder, missed, environmentOf());
      expect([exitCode, caughtUp]).toEqual([
        0,
        expect.stringMatching(/^(caught up with [a-z._]+ c\w+\n)+caught up\n$/),
      ]);
      const [, later] = await runProgram(folder, missed, environmentOf());
      const again = later.split('\n').filter((line) => line.startsWith('caught up with') && caughtUp.includes(line));
      expect(again).toEqual([]);
    } finally {
      child.kill('SIGKILL');
      await owner.ask('DELETE', `/app/api/webhooks/${String(body?.id)}`);
    }
  });
});
