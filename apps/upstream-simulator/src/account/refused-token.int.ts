import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PHONE_NUMBER_ID, SimulatorHarness, TOKEN, WABA_ID } from '../../test/harness.js';

const headers = { authorization: `Bearer ${TOKEN}` };

describe('what an integrator reaches by a control alone', () => {
  let sim: SimulatorHarness;
  beforeAll(async () => void (sim = await SimulatorHarness.start({})));
  afterAll(() => SimulatorHarness.stopAll());

  it('is a line whose token is refused, at sends and in the list of lines, until it is taken again', async () => {
    const lines = (): Promise<Response> => fetch(`${sim.simulator.url}/v23.0/${WABA_ID}/phone_numbers`, { headers });
    const refused = await sim.control('PUT', 'tokens', { phoneNumberId: PHONE_NUMBER_ID, refused: true });
    expect([refused.status, refused.body]).toEqual([200, { refused: [PHONE_NUMBER_ID] }]);
    const sent = await sim.send({ to: '16505551234' });
    expect([sent.status, sent.body['error']]).toMatchObject([401, { code: 190 }]);
    expect((await lines()).status).toBe(401);
    expect((await sim.control('PUT', 'tokens', { displayPhone: '1', refused: true })).status).toBe(400);
    expect((await sim.control('PUT', 'tokens', { refused: 'yes' })).status).toBe(400);
    await sim.control('PUT', 'tokens', { phoneNumberId: PHONE_NUMBER_ID, refused: false });
    expect((await sim.control('GET', 'tokens')).body).toEqual({ refused: [] });
    expect((await sim.send({ to: '16505551234' })).status).toBe(200);
    expect((await lines()).status).toBe(200);
  });

  it('is a message of which nothing is ever heard: 13 is accepted, its answer cut, and no status comes', async () => {
    await expect(sim.send({ to: '+12015550113', biz_opaque_callback_data: '13' })).rejects.toThrow();
    expect((await sim.requests('reference=13'))['items']?.[0]).toMatchObject({ answer: null, outcome: 'cut' });
    expect((await sim.control('GET', 'health')).body['callbacks']).toMatchObject({ pendingMessages: 0 });
  });
});
