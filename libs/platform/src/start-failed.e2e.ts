import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..', '..', '..');
const services = ['gateway', 'messaging', 'contacts', 'templates', 'webhooks', 'analytics'];

/** How a program ends without any configuration but this. */
async function endOf(program: string, env: NodeJS.ProcessEnv = {}): Promise<Record<string, string>> {
  return (await run(process.execPath, [program], { cwd: root, env }).catch((error: unknown) => error)) as Record<
    string,
    string
  >;
}

describe.each([
  ['main', 'service.start-failed', 'DATABASE_URL'],
  ['migrate', 'migrations.failed', 'MIGRATOR_DATABASE_URL'],
])('%s of a service without configuration', (program, event, variable) => {
  it.each(services)('ends with one line that names what is missing: %s', async (service) => {
    const { code, stdout, stderr } = await endOf(`apps/${service}/dist/${program}.js`);
    expect({ code, stderr, line: JSON.parse(stdout ?? '') }).toMatchObject({
      code: 1,
      stderr: '',
      line: { event, error: { message: expect.stringContaining(variable) } },
    });
  });
});

describe('a collector of traces that is no URL', () => {
  it.each(services)('ends a service with one line that names it: %s', async (service) => {
    const { code, stdout, stderr } = await endOf(`apps/${service}/dist/main.js`, {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    });
    expect({ code, stderr, line: JSON.parse(stdout ?? '') }).toMatchObject({
      code: 1,
      stderr: '',
      line: {
        event: 'service.start-failed',
        error: { message: expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT: must be an http(s) URL') },
      },
    });
  });
});
