import { join } from 'node:path';
import { describePlans, testServers } from '@switchboard/testing';
import { gatewayMigrations } from './all.js';

const folder = join(import.meta.dirname, '..');
const readsWhole = ['gateway.list-plans', 'gateway.organizations-named'];

describePlans({ service: 'gateway', migrations: gatewayMigrations, folder, servers: testServers(), readsWhole });
