import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { SimulatorHarness, type Json } from '../../test/harness.js';

let sim: SimulatorHarness;

beforeAll(async () => {
  sim = await SimulatorHarness.start({});
});

afterAll(() => SimulatorHarness.stopAll());

describe('the control surface', () => {
  const ask = (path: string, headers: Readonly<Record<string, string>>, body?: string): Promise<number> => {
    const method = body === undefined ? 'GET' : 'PUT';
    const asked = request(`${sim.simulator.url}/_sim/${path}`, { method, headers, ...(body && { body }), reset: true });
    return asked.then(async ({ statusCode, body: answer }) => {
      await answer.dump();
      return statusCode;
    });
  };
  const json = { 'content-type': 'application/json' };

  it('is for this machine alone: no foreign Host, no page of a browser', async () => {
    const port = new URL(sim.simulator.url).port;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST`, `[::1]:${port}`]) {
      expect([host, await ask('knobs', { host })]).toEqual([host, 200]);
    }
    for (const host of [
      'rebound.example',
      `rebound.example:${port}`,
      'localhost.rebound.example',
      '127.0.0.1.example',
    ]) {
      expect([host, await ask('knobs', { host })]).toEqual([host, 403]);
      expect([host, await ask('knobs', { host, ...json }, '{"down":true}')]).toEqual([host, 403]);
    }
    for (const origin of ['https://attacker.example', 'null', sim.simulator.url]) {
      expect([origin, await ask('requests', { origin })]).toEqual([origin, 403]);
      expect([origin, await ask('knobs', { origin, ...json }, '{"down":true}')]).toEqual([origin, 403]);
    }
    expect((await sim.control('GET', 'knobs')).body['down']).toBe(false);
  });

  it('takes JSON alone', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', '']) {
      expect([type, await ask('knobs', { 'content-type': type }, '{}')]).toEqual([type, 415]);
    }
    expect(await ask('knobs', { 'content-type': 'application/json; charset=utf-8' }, '{}')).toBe(200);
  });

  it('shows no secret: neither tokens nor what signs callbacks, whatever asks', async () => {
    const before = await sim.control('GET', 'callback');
    await sim.control('PUT', 'callback', { appSecret: 'canary-secret', verifyToken: 'canary-verify' });
    const { body } = await sim.control('GET', 'accounts');
    const account = { token: 'canary-token', wabaId: '77', phoneNumbers: [] };
    await sim.control('PUT', 'accounts', { items: [...(body['items'] ?? []), account] });
    const shown: unknown[] = [];
    for (const path of ['accounts', 'callback', 'knobs', 'health', 'requests', 'templates?wabaId=77']) {
      shown.push((await sim.control('GET', path)).body);
    }
    // An account keeps the token that is not shown.
    shown.push((await sim.control('PUT', 'accounts', { items: (shown[0] as Json)['items'] })).body);
    shown.push((await sim.control('PUT', 'callback', {})).body);
    expect(JSON.stringify(shown)).not.toMatch(/canary|simulator-token|app-secret|verify-token/);
    expect((await sim.get(`/v23.0/77/phone_numbers`)).status).not.toBe(200);
    const own = await request(`${sim.simulator.url}/v23.0/77/phone_numbers`, {
      headers: { authorization: 'Bearer canary-token' },
      reset: true,
    });
    await own.body.dump();
    expect(own.statusCode).toBe(200);
    await sim.control('PUT', 'accounts', { items: body['items'] });
    await sim.control('PUT', 'callback', { url: before.body['url'], appSecret: 'simulator-app-secret' });
  });
});
