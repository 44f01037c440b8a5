import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { testServers } from '@switchboard/testing';
import { prepareGatewayAdmin, type GatewayAdmin } from '../test/gateway-harness.js';

const servers = testServers();

async function prepared(): Promise<GatewayAdmin & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-admin-'));
  servers.onEnd(() => rm(folder, { recursive: true }));
  return { ...(await prepareGatewayAdmin(servers)), folder };
}

it('audit verify says how many entries were removed, and which saved heads it can still compare', async () => {
  const { sql, admin, folder } = await prepared();
  await sql(`INSERT INTO gateway.organization (id, name, plan) VALUES ('cacme000', 'Acme', 'SCALE')`);
  const early = join(folder, 'early');
  const late = join(folder, 'late');
  for (const status of ['PAST_DUE', 'ACTIVE']) await admin('subscription', 'set', 'cacme000', status);
  await admin('audit', 'verify', '--save-heads', early);
  for (const status of ['PAST_DUE', 'ACTIVE']) await admin('subscription', 'set', 'cacme000', status);
  await admin('audit', 'verify', '--save-heads', late);
  await sql(`WITH gone AS (DELETE FROM gateway.audit_entry WHERE sequence <= 3 RETURNING *)
    INSERT INTO gateway.audit_floor SELECT organization_id, sequence, hash FROM gone WHERE sequence = 3`);
  const all = '1 rows in 1 chains are as they were written, and none is missing';
  const removed = '3 before them were removed for their age.';
  expect((await admin('audit', 'verify')).out).toEqual([`${all}; ${removed}`]);
  expect((await admin('audit', 'verify', '--expect', early)).out).toEqual([`${all}; 0 saved heads fit; ${removed}`]);
  expect((await admin('audit', 'verify', '--expect', late)).out).toEqual([`${all}; 1 saved heads fit; ${removed}`]);
  const [json] = (await admin('audit', 'verify', '--json')).out;
  expect(JSON.parse(json ?? '')).toEqual({ chains: 1, rows: 1, removed: 3, faulty: 0 });
});

it('audit verify of one organization counts no saved head of another as one that fits', async () => {
  const { sql, admin, folder } = await prepared();
  const own = 'cacme000';
  const heads = join(folder, 'heads');
  for (const [id, name] of [
    [own, 'Acme'],
    ['cglobex0', 'Globex'],
  ]) {
    await sql(`INSERT INTO gateway.organization (id, name, plan) VALUES ('${id}', '${name}', 'SCALE')`);
    await admin('subscription', 'set', id ?? '', 'PAST_DUE');
  }
  await admin('audit', 'verify', '--save-heads', heads);
  const { out } = await admin('audit', 'verify', '--organization', own, '--expect', heads);
  expect(out).toEqual(['1 rows in 1 chains are as they were written, and none is missing; 1 saved heads fit.']);
});

it('audit verify finds that one row was noted with two hashes, whichever comes last', async () => {
  const { sql, admin, folder } = await prepared();
  const own = 'cacme000';
  const heads = join(folder, 'heads');
  await sql(`INSERT INTO gateway.organization (id, name, plan) VALUES ('${own}', 'Acme', 'SCALE')`);
  await admin('subscription', 'set', own, 'PAST_DUE');
  await admin('audit', 'verify', '--save-heads', heads);
  const saved = await readFile(heads, 'utf8');
  const other = `${JSON.stringify({ organizationId: own, sequence: 1, hash: 'ab'.repeat(32) })}\n`;
  const wrong = `${own}: row 1 does not have the hash that was noted: it, or a row before it, was written anew`;
  for (const text of [other + saved, saved + other]) {
    await writeFile(heads, text);
    expect(await admin('audit', 'verify', '--expect', heads)).toMatchObject({ code: 1, out: [wrong] });
  }
});
