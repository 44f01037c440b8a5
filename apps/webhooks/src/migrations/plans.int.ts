import { join } from 'node:path';
import { describePlans, testServers } from '@switchboard/testing';
import { webhooksMigrations } from './all.js';

const folder = join(import.meta.dirname, '..');
const readsWhole = [
  'webhooks.delivery.backlog',
  'webhooks.event.store',
  'webhooks.feed.ahead',
  'webhooks.feed.draw',
  'webhooks.feed.raise',
  'webhooks.feed.raise-base',
  'webhooks.lane.waiting',
  'webhooks.lane.waiting-recent',
  'webhooks.replay.due',
  'webhooks.replay.failures',
  'webhooks.replay.next',
  'webhooks.worker.renew',
];

describePlans({ service: 'webhooks', migrations: webhooksMigrations, folder, servers: testServers(), readsWhole });
