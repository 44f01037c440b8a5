import { join } from 'node:path';
import { describeMigrations, testServers } from '@switchboard/testing';
import { webhooksMigrations } from './all.js';

const servers = testServers();
const schemaFile = join(import.meta.dirname, '..', '..', 'schema.sql');

describeMigrations({ service: 'webhooks', migrations: webhooksMigrations, schemaFile, servers });
