import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@switchboard/contracts/topology';
import { telemetryConfig } from '@switchboard/platform';
import { readCompose, serviceIn, type ComposeService } from '../test/compose-file.js';
import { NODE_ENVIRONMENT, NODE_FLAGS } from './node-program.js';

/** Megabytes that threads of a service may have for their heaps, by their `resourceLimits`. */
const threads = new Map([
  ['gateway', 64 + 4],
  ['webhooks', 256 + 16],
]);
/** What code, stacks and buffers take, in megabytes. */
const REST = 128;

const compose = readCompose(readFileSync(resolve(import.meta.dirname, '../../../docker-compose.yml'), 'utf8'));

const service = (name: string): ComposeService => serviceIn(compose, name);

/** Megabytes. */
function memoryOf(name: string): number {
  const limit = /^(\d+)([MG])$/.exec(service(name).deploy?.resources.limits.memory ?? '');
  return Number(limit?.[1]) * (limit?.[2] === 'G' ? 1_024 : 1);
}

describe('docker-compose.yml', () => {
  it.each(serviceNames)('gives %s more memory than its heaps may have', (name) => {
    const megabytes = memoryOf(name);
    // Node's own default in a container, as it was read there: 259 MB of 512, 560 MB of 1,024.
    const heap = megabytes / 2 + 48;
    expect(megabytes).toBeGreaterThan(heap + (threads.get(name) ?? 0) + REST);
  });

  it('starts services as the local run does', () => {
    const dockerfile = readFileSync(resolve(import.meta.dirname, '../../../deploy/docker/Dockerfile'), 'utf8');
    expect(dockerfile).toContain(`\nENTRYPOINT ${JSON.stringify(['node', ...NODE_FLAGS]).replaceAll('","', '", "')}\n`);
    const variables = Object.entries(NODE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);
    expect(dockerfile).toContain(`\nENV NODE_ENV=production ${variables.join(' ')}\n`);
  });

  it('has NATS collect what it may before its limit is reached', () => {
    const soft = /^(\d+)MiB$/.exec(service('nats').environment?.['GOMEMLIMIT'] ?? '')?.[1];
    expect(Number(soft)).toBeGreaterThan(256);
    expect(Number(soft)).toBeLessThan(0.9 * memoryOf('nats'));
  });

  it.each(serviceNames)('hands every variable of OpenTelemetry on to %s that it reads', (name) => {
    const read = new Set<string>();
    telemetryConfig(new Proxy<Record<string, string>>({}, { get: (_, key) => void read.add(String(key)) }));
    expect(read.size).toBeGreaterThan(5);
    expect(Object.keys(service(name).environment ?? {})).toEqual(expect.arrayContaining([...read]));
  });
});
