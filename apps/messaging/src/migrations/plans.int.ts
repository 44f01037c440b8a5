import { join } from 'node:path';
import { describePlans, testServers } from '@switchboard/testing';
import { messagingMigrations } from './all.js';

const folder = join(import.meta.dirname, '..');
const readsWhole = [
  'messaging.conversation.prune',
  'messaging.lane.all-withdrawn-messages',
  'messaging.lane.close',
  'messaging.lane.hold',
  'messaging.lane.lower-passed',
  'messaging.lane.pause-restored',
  'messaging.lane.release-connected',
  'messaging.lane.stepped-back',
  'messaging.message-floor.find',
  'messaging.pace.stepped-back',
  'messaging.pace.sweep',
  'messaging.reservation.close',
  'messaging.waiting-status.next',
];

describePlans({ service: 'messaging', migrations: messagingMigrations, folder, servers: testServers(), readsWhole });
