import { join } from 'node:path';
import { describeMigrations, testServers } from '@switchboard/testing';
import { templatesMigrations } from './all.js';

const servers = testServers();
const schemaFile = join(import.meta.dirname, '..', '..', 'schema.sql');

describeMigrations({ service: 'templates', migrations: templatesMigrations, schemaFile, servers });
