import { createLog, startTelemetry, stopOnSignal } from '@switchboard/service';
import { samplingOf } from './edge/http/request-trace.js';
import { gatewayConfig, gatewayTelemetry } from './gateway.config.js';
import { startGateway } from './gateway.js';

const log = createLog('gateway');
const telemetry = gatewayTelemetry();
const stopTelemetry = startTelemetry('gateway', telemetry);
try {
  const gateway = await startGateway(gatewayConfig(), log, samplingOf(telemetry));
  stopOnSignal(log, async () => {
    await gateway.stop();
    await stopTelemetry();
  });
  log.info('service.ready', { url: gateway.url });
} catch (error) {
  log.error('service.start-failed', error);
  process.exit(1);
}
