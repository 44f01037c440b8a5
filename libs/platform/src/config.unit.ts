import { describe, expect, it } from '@jest/globals';
import { httpBase, httpOrigin, integer, readConfig, retentionDays, serviceConfigSchema } from './config.js';
import { migrationConfig } from './migration.config.js';

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
    ['DATABASE_POOL_MAX', '3'],
    ['SERVICE_HTTP_PORT', '   '],
    ['SERVICE_HTTP_PORT', '0x10'],
    ['SERVICE_HTTP_HOST', '   '],
    ['SERVICE_HTTP_HOST', 'http://0.0.0.0'],
    ['SERVICE_HTTP_HOST', '127.0.0.1:3001'],
    ['SERVICE_HTTP_HOST', '[::1]'],
    ['NATS_USER', '  '],
    ['NATS_PASSWORD', '\t'],
  ])('names %s that is %j, and quotes nothing of it', (name, value) => {
    const read = (): unknown => readConfig(serviceConfigSchema, { ...set, [name]: value });
    expect(read).toThrow(new RegExp(`^configuration:\\n  ${name}: must (not )?be [^\\n]+$`));
    expect(read).not.toThrow(/s3cret/);
  });

  it.each([
    ['DATABASE_URL', 'postgresql://user:p%40ss@[::1]/switchboard?sslmode=require'],
    ['DATABASE_URL', 'postgres:///switchboard?host=/run/postgresql'],
    ['NATS_URL', 'broker:4222'],
    ['NATS_URL', 'tls://broker'],
    ['SERVICE_HTTP_HOST', '::1'],
    ['SERVICE_HTTP_HOST', 'my-host.internal'],
    ['NATS_PASSWORD', ' with spaces '],
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

  it.each(['hello', 'ftp://api', 'https://api?x', 'https://api#x', '   '])(
    'takes %j for no base that paths are appended to',
    (value) => {
      const schema = { BASE: httpBase({ description: 'a base' }) };
      expect(() => readConfig(schema, { BASE: value })).toThrow('BASE: must be an http(s) URL without query');
      expect(readConfig(schema, { BASE: 'https://api:8443/sub/' })).toEqual({ BASE: 'https://api:8443/sub' });
    },
  );

  it.each(['s3cret', 'http://user:s3cret@db/switchboard'])('of a migration names a URL that is %j', (url) => {
    const read = (): unknown => migrationConfig({ MIGRATOR_DATABASE_URL: url, SERVICE_DATABASE_ROLE: 'role' });
    expect(read).toThrow('MIGRATOR_DATABASE_URL: must be a postgres:// URL');
    expect(read).not.toThrow(/s3cret/);
  });

  it('takes white space for no number', () => {
    const options = { description: 'days', default: 0 };
    expect(() => integer({ ...options, min: 0, max: 9 }).parse(' ')).toThrow('whole number');
    expect(() => retentionDays({ ...options, min: 30 }).parse(' ')).toThrow('whole number');
    expect(retentionDays({ ...options, min: 30 }).parse('0')).toBe(0);
  });
});
