import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { webhooksConfig } from './webhooks.config.js';

const required = {
  DATABASE_URL: 'postgres://localhost/switchboard',
  NATS_URL: 'nats://localhost:4222',
  NATS_USER: 'webhooks',
  NATS_PASSWORD: 'secret',
  CREDENTIALS_KEY: Buffer.alloc(32).toString('base64'),
};
const authority = join(import.meta.dirname, '../../../tools/dev/test/authority.pem');
const read = (path: string): string => webhooksConfig({ ...required, WEBHOOKS_CA_FILE: path }).WEBHOOKS_CA_FILE;

it('authorities of receivers are read from a file: without any, or without a file, the service does not start', () => {
  expect(new X509Certificate(read(authority)).subject).toBe('CN=An authority of tests');
  expect(() => read(import.meta.filename)).toThrow('WEBHOOKS_CA_FILE');
  expect(() => read(`${authority}.none`)).toThrow('WEBHOOKS_CA_FILE');
  expect(webhooksConfig(required).WEBHOOKS_CA_FILE).toBe('');
});
