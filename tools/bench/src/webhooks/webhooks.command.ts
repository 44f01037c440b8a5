import { loadavg } from 'node:os';
import type { BenchCall } from '../bench-call.js';
import { benchWebhooks, WEBHOOKS_PARTS, type WebhooksPart } from './webhooks.bench.js';

/** `npm run bench -- webhooks`: measures, and prints its table. */
export async function runWebhooks({ values, machine, onLine }: BenchCall): Promise<void> {
  const isPart = (text: string): text is WebhooksPart => WEBHOOKS_PARTS.some((part) => part === text);
  const parts = values.parts.split(',');
  if (!parts.every(isPart)) {
    onLine(`--parts is some of ${WEBHOOKS_PARTS.join(', ')}, with commas between, and not ${values.parts}`);
    process.exitCode = 2;
    return;
  }
  const lines = await benchWebhooks({
    parts: new Set(parts),
    events: values.short ? 2_000 : Number(values.events),
    rounds: values.short ? 1 : Number(values.rounds),
    roundMs: values.short ? 3_000 : Math.max(Number(values.seconds), 20) * 1_000,
    spread: values.short ? 100 : 500,
    onLine,
  });
  onLine(`\nWebhooks, ${machine}, load of the machine ${loadavg()[0]?.toFixed(1)}`);
  onLine('| what | ours | against | ratio | bar |');
  onLine('|---|---|---|---|---|');
  for (const line of lines) onLine(line);
}
