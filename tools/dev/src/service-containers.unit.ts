import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { serviceNames } from '@switchboard/contracts/topology';
import { telemetryConfig } from '@switchboard/platform';
import { readCompose, type ComposeService } from '../test/compose-file.js';

/** Megabytes that threads of a service may have for their heaps, by their `resourceLimits`. */
const threads = new Map([
  ['gateway', 64 + 4],
  ['webhooks', 256 + 16],
]);
/** What code, stacks and buffers take, in megabytes. */
const REST = 128;

const compose = readCompose(readFileSync(resolve(import.meta.dirname, '../../../docker-compose.yml'), 'utf8'));

function service(name: string): ComposeService {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no ${name}`);
  return found;
}

describe('docker-compose.yml', () => {
  it.each(serviceNames)('gives %s more memory than its heaps may have', (name) => {
    const limit = /^(\d+)([MG])$/.exec(service(name).deploy?.resources.limits.memory ?? '');
    const megabytes = Number(limit?.[1]) * (limit?.[2] === 'G' ? 1_024 : 1);
    // Node's own default in a container, as it was read there: 259 MB of 512, 560 MB of 1,024.
    const heap = megabytes / 2 + 48;
    expect(megabytes).toBeGreaterThan(heap + (threads.get(name) ?? 0) + REST);
  });

  it.each(serviceNames)('hands every variable of OpenTelemetry on to %s that it reads', (name) => {
    const read = new Set<string>();
    telemetryConfig(new Proxy<Record<string, string>>({}, { get: (_, key) => void read.add(String(key)) }));
    expect(read.size).toBeGreaterThan(5);
    expect(Object.keys(service(name).environment ?? {})).toEqual(expect.arrayContaining([...read]));
  });
});
