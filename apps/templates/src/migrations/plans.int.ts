import { join } from 'node:path';
import { describePlans, testServers } from '@switchboard/testing';
import { templatesMigrations } from './all.js';

const folder = join(import.meta.dirname, '..');
const readsWhole = [
  'templates.account.count',
  'templates.job-feed.start',
  'templates.job-feed.stepped-back',
  'templates.job.add-holds',
  'templates.job.changed-causes',
  'templates.job.going-on',
  'templates.job.handed-over',
  'templates.job.next-releases',
  'templates.job.remove-holds',
  'templates.organization.to-ask',
  'templates.staging.begin',
  'templates.staging.give-up',
];

describePlans({ service: 'templates', migrations: templatesMigrations, folder, servers: testServers(), readsWhole });
