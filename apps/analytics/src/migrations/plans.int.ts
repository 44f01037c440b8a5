import { join } from 'node:path';
import { describePlans, testServers } from '@switchboard/testing';
import { analyticsMigrations } from './all.js';

const folder = join(import.meta.dirname, '..');
const readsWhole = ['analytics.rebuild.claim', 'analytics.rebuild.open', 'analytics.rebuild.request-all'];

describePlans({ service: 'analytics', migrations: analyticsMigrations, folder, servers: testServers(), readsWhole });
