import type { RelayReport } from '@switchboard/outbox';
import type { Log } from './logger.js';

/** Writes each report of a relay as one line. */
export function logRelay(log: Log, report: RelayReport): void {
  switch (report.kind) {
    case 'failed':
      return log.error('outbox.relay-failed', report.error);
    case 'stream-missing':
      return log.error('outbox.stream-missing', new Error('there is no stream to publish to: it is to be provisioned'));
    case 'stream-lost': {
      const { recorded, found, why } = report;
      return log.error('outbox.stream-lost', new Error(`the stream was lost: ${why}`), {
        recordedCreated: recorded.created,
        recordedSequence: recorded.lastSequence,
        foundCreated: found.created,
        foundSequence: found.lastSequence,
      });
    }
    case 'database-restored': {
      const { recorded, found, events } = report;
      return log.error('outbox.database-restored', new Error('the database is older than the stream: restored?'), {
        recordedSequence: recorded.lastSequence,
        foundSequence: found.lastSequence,
        count: events,
      });
    }
    case 'dead-letter':
      return log.error('outbox.dead-letter', report.error, { eventId: report.eventId, subject: report.subject });
    case 'replayed':
    case 'redriven':
      return log.warn(`outbox.${report.kind}`, { count: report.events });
  }
}
