import { join } from 'node:path';
import { describeMigrations, testServers } from '@switchboard/testing';
import { messagingMigrations } from './all.js';

const servers = testServers();
const schemaFile = join(import.meta.dirname, '..', '..', 'schema.sql');

describeMigrations({ service: 'messaging', migrations: messagingMigrations, schemaFile, servers });
