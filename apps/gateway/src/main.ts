import { createLog, endOnCrash, startMetrics, startTelemetry, stopOnSignal } from '@switchboard/platform';
import { gatewayConfig, gatewayTelemetry } from './gateway.config.js';
import { startGateway } from './gateway.js';

const log = createLog('gateway');
endOnCrash(log);
try {
  const stopTelemetry = startTelemetry('gateway', gatewayTelemetry());
  const metrics = startMetrics('gateway', log);
  const gateway = await startGateway(gatewayConfig(), log, metrics);
  stopOnSignal(log, async () => {
    await gateway.stop();
    await Promise.all([stopTelemetry(), metrics.stop()]);
  });
  log.info('service.ready', { url: gateway.url, internalUrl: gateway.internalUrl });
} catch (error) {
  log.error('service.start-failed', error);
  process.exit(1);
}
