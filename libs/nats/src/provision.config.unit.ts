import { describe, expect, it } from '@jest/globals';
import { provisionConfig } from './provision.config.js';

const access = { NATS_URL: 'nats://127.0.0.1:4222', NATS_USER: 'provisioner', NATS_PASSWORD: 'secret' };

describe('the configuration of the provisioning step', () => {
  it.each([
    ['1', 1],
    ['3', 3],
    ['5', 5],
    ['', undefined],
    [undefined, undefined],
  ])('takes NATS_STREAM_REPLICAS %j as %j', (value, replicas) => {
    expect(provisionConfig({ ...access, NATS_STREAM_REPLICAS: value }).replicas).toBe(replicas);
  });

  it.each(['0', '6', '-1', '2.5', 'three', '3 or so', 'Infinity'])(
    'refuses NATS_STREAM_REPLICAS "%s" by a line',
    (value) => {
      const line = `NATS_STREAM_REPLICAS is "${value}", but a whole number from 1 to 5 is needed`;
      expect(() => provisionConfig({ ...access, NATS_STREAM_REPLICAS: value })).toThrow(new Error(line));
    },
  );
});
