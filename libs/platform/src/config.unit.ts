import { describe, expect, it } from '@jest/globals';
import { httpOrigin, integer, readConfig, retentionDays, serviceConfigSchema } from './config.js';

const set = {
  DATABASE_URL: 'postgres://user:secret@db:5432/switchboard',
  NATS_URL: 'nats://broker:4222',
  NATS_USER: 'user',
  NATS_PASSWORD: 'password',
};

describe('the configuration of a service', () => {
  it.each([
    ['DATABASE_URL', 'postgres://user:s3cret@db:99999/switchboard'],
    ['DATABASE_URL', 'postgres://user:s3cret%ZZ@db/switchboard'],
    ['DATABASE_URL', 'http://user:s3cret@db/switchboard'],
    ['DATABASE_URL', 's3cret'],
    ['NATS_URL', 'nats://user:s3cret@broker:x'],
    ['NATS_URL', 'nats://user:s3cret@broker:99999'],
    ['NATS_URL', 'nats://'],
    ['NATS_URL', '   '],
    ['DATABASE_POOL_MAX', ' '],
    ['SERVICE_HTTP_PORT', '   '],
    ['SERVICE_HTTP_PORT', '0x10'],
  ])('names %s that is %j, and quotes nothing of it', (name, value) => {
    const read = (): unknown => readConfig(serviceConfigSchema, { ...set, [name]: value });
    expect(read).toThrow(new RegExp(`^configuration:\\n  ${name}: must be [^\\n]+$`));
    expect(read).not.toThrow(/s3cret/);
  });

  it.each([
    ['DATABASE_URL', 'postgresql://user:p%40ss@[::1]/switchboard?sslmode=require'],
    ['DATABASE_URL', 'postgres:///switchboard?host=/run/postgresql'],
    ['NATS_URL', 'broker:4222'],
    ['NATS_URL', 'tls://broker'],
  ])('takes %s that is %j', (name, value) => {
    expect(readConfig(serviceConfigSchema, { ...set, [name]: value })).toMatchObject({ [name]: value });
  });

  it.each(['hello', 'ftp://provider', 'https://provider/v23.0', 'https://provider?x', '   '])(
    'takes %j for no base of an API',
    (value) => {
      const schema = { BASE: httpOrigin({ description: 'a base' }) };
      expect(() => readConfig(schema, { BASE: value })).toThrow('BASE: must be an http(s) URL without a path');
      expect(readConfig(schema, { BASE: 'https://provider:8443/' })).toEqual({ BASE: 'https://provider:8443' });
    },
  );

  it('takes white space for no number', () => {
    const options = { description: 'days', default: 0 };
    expect(() => integer({ ...options, min: 0, max: 9 }).parse(' ')).toThrow('whole number');
    expect(() => retentionDays({ ...options, min: 30 }).parse(' ')).toThrow('whole number');
    expect(retentionDays({ ...options, min: 30 }).parse('0')).toBe(0);
  });
});
