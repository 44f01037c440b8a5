import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sim, SimUsageError } from './sim.command.js';

let server: Server;
let dataDir: string;
let asked = 0;

/** A simulator that refuses everything, as the simulator does. */
beforeAll(async () => {
  server = createServer((_request, response) => {
    asked++;
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end('{"error":{"field":"from","message":"`from` must be a phone number"}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  dataDir = await mkdtemp(join(tmpdir(), 'sim-'));
  const simulatorUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await writeFile(join(dataDir, 'dev.json'), JSON.stringify({ simulatorUrl }));
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

it('gives the reason of a refusal once', async () => {
  const refused = sim(dataDir, ['inbound', '--from', 'x', '--text', 'y']);
  await expect(refused).rejects.toThrow(/^The simulator refuses it: `from` must be a phone number$/);
});

it.each([
  [['status', '--message', 'c1', '--status', 'nonsense'], '--status must be sent, delivered, read or failed.'],
  [['status', '--message', 'c1', '--status', 'failed', '--code', 'x'], '--code must be a whole number.'],
  [['fly'], 'There is no "fly"; there are inbound, '],
  [['lines', 'extra'], 'lines takes no "extra".'],
  [['knobs', '--line', '1'], 'knobs takes no --line.'],
  [[], 'Say what the provider does: inbound, '],
])('asks the simulator nothing where its words are not understood: %j', async (words, message) => {
  asked = 0;
  const refused = sim(dataDir, words);
  await expect(refused).rejects.toThrow(SimUsageError);
  await expect(refused).rejects.toThrow(message);
  expect(asked).toBe(0);
});
