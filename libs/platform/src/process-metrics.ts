import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance, type EventLoopUtilization } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { metrics } from '@opentelemetry/api';
import { descriptorsMax, openDescriptors } from './descriptors.js';

/** The timer that feels the event loop; its own period is no lag. Each of its ticks wakes a process that has nothing else to do. */
const LAG_RESOLUTION_MS = 250;

/** Observes the process itself: CPU, memory, descriptors, event loop, uptime and build. Names as Prometheus clients have them. */
export function observeProcess(service: string): void {
  const meter = metrics.getMeter('@switchboard/platform');
  const gauge = (name: string, description: string, read: () => number | undefined): void =>
    meter.createObservableGauge(name, { description }).addCallback((result) => {
      const value = read();
      if (value !== undefined) result.observe(value);
    });
  meter
    .createObservableCounter('process_cpu_seconds_total', { description: 'CPU time used, user and system, in seconds' })
    .addCallback((result) => {
      const { user, system } = process.cpuUsage();
      result.observe((user + system) / 1_000_000);
    });
  gauge('process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss());
  gauge('process_uptime_seconds', 'Time since the process began', () => process.uptime());
  gauge('nodejs_heap_size_used_bytes', "Used part of V8's heap", () => getHeapStatistics().used_heap_size);
  gauge('nodejs_heap_size_limit_bytes', 'Heap at which V8 gives up', () => getHeapStatistics().heap_size_limit);
  gauge('process_open_fds', 'Open file descriptors', openDescriptors);
  const descriptors = descriptorsMax();
  gauge('process_max_fds', 'File descriptors that the process may open', () => descriptors);
  gauge(
    'nodejs_eventloop_lag_p99_seconds',
    'Event loop lag since the scrape before, 99th percentile, felt four times a second',
    lagReader(),
  );
  gauge('nodejs_eventloop_utilization_ratio', 'Busy share of the event loop since the scrape before', busyReader());
  const build = { service, version: versionOf(), node: process.version };
  meter
    .createObservableGauge('switchboard_build_info', { description: 'Always 1; the labels say what runs' })
    .addCallback((result) => result.observe(1, build));
}

function lagReader(): () => number {
  const delays = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  delays.enable();
  return () => {
    const lagMs = delays.percentile(99) / 1_000_000 - LAG_RESOLUTION_MS;
    delays.reset();
    return Math.max(0, lagMs) / 1_000;
  };
}

function busyReader(): () => number {
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

/** Of the workspace: its packages are built and shipped as one. */
function versionOf(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest && 'version' in manifest ? String(manifest.version) : 'unknown';
}
