import { join } from 'node:path';
import { describeMigrations, testServers } from '@switchboard/testing';
import { analyticsMigrations } from './all.js';

const servers = testServers();
const schemaFile = join(import.meta.dirname, '..', '..', 'schema.sql');

describeMigrations({ service: 'analytics', migrations: analyticsMigrations, schemaFile, servers });
