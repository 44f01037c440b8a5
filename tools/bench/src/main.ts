import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchSend, type SendBenchRow } from './send/send.bench.js';

const HELP = `usage: npm run bench -- send [--short] [--connections 1,32,128] [--rounds 5] [--seconds 6]

  send   POST /v1/messages against a hand-tuned floor, in alternating runs
  --short    one round of 2 s at 32 connections
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    connections: { type: 'string', default: '1,32,128' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
    help: { type: 'boolean', default: false },
  },
});

const onLine = (line: string): void => void process.stdout.write(`${line}\n`);

if (values.help || positionals[0] !== 'send') {
  onLine(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const rows = await benchSend({
    connections: values.short ? [32] : values.connections.split(',').map(Number),
    rounds: values.short ? 1 : Number(values.rounds),
    roundMs: values.short ? 2_000 : Number(values.seconds) * 1_000,
    onLine,
  });
  onLine(`\nPOST /v1/messages, ${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`);
  onLine(
    '| connections | floor req/s | ours req/s | ratio | floor p50 / p99 ms | ours p50 / p99 ms | p99 ratio | CPU µs/request floor, ours |',
  );
  onLine('|---|---|---|---|---|---|---|---|');
  for (const row of rows) onLine(lineOf(row));
}

function lineOf({ connections, floor, ours, throughputRatio, p99Ratio }: SendBenchRow): string {
  const cells = [
    connections,
    floor.perSecond.toFixed(0),
    ours.perSecond.toFixed(0),
    throughputRatio.toFixed(2),
    `${floor.p50Ms.toFixed(1)} / ${floor.p99Ms.toFixed(1)}`,
    `${ours.p50Ms.toFixed(1)} / ${ours.p99Ms.toFixed(1)}`,
    p99Ratio.toFixed(2),
    `${floor.cpuMicros.toFixed(0)}, ${ours.cpuMicros.toFixed(0)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}
