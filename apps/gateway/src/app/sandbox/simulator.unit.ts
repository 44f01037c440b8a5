import { describe, expect, it } from '@jest/globals';
import { gatewayConfig } from '../../gateway.config.js';
import { testing } from '../../description/testing.js';
import { magicRecipients } from './magic-recipients.js';
import { SimulatorClient } from './simulator.client.js';

const required = {
  DATABASE_URL: 'postgres://none',
  NATS_URL: 'none',
  NATS_USER: 'none',
  NATS_PASSWORD: 'none',
  CLOUD_APP_SECRET: 'none',
  CLOUD_VERIFY_TOKEN: 'none',
  CREDENTIALS_KEY: Buffer.alloc(32).toString('base64'),
};

describe('the sandbox', () => {
  it('lists the magic recipients of the page on testing, each once and in their order', () => {
    const described = [...testing.matchAll(/^\| `(\+\d+)` \|/gm)].map(([, phone]) => phone);
    expect(described.length).toBeGreaterThan(10);
    expect(magicRecipients.map(({ phone }) => phone)).toEqual(described);
  });

  it('is not there without the setting of the local run', async () => {
    const simulator = new SimulatorClient(gatewayConfig(required));
    expect(() => simulator.requireSandbox()).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    await expect(simulator.play('inbound', {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    'https://simulator.example',
    'http://10.0.0.1:9',
    'http://127.0.0.1.example:9',
    'http://127.0.0.1:9/path',
    'x',
  ])('is on this machine, or the gateway does not start: %s', (url) => {
    expect(() => gatewayConfig({ ...required, SANDBOX_URL: url })).toThrow('SANDBOX_URL');
  });

  it('says that it is away when the simulator is', async () => {
    const simulator = new SimulatorClient(gatewayConfig({ ...required, SANDBOX_URL: 'http://127.0.0.1:9' }));
    await expect(simulator.play('inbound', {})).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
