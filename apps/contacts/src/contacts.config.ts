import { readConfig, serviceConfigSchema, type ServiceConfig } from '@switchboard/platform';

/** Contacts needs what every service needs, and nothing else. @throws Error that lists every problem at once */
export function contactsConfig(env: NodeJS.ProcessEnv = process.env): ServiceConfig {
  return readConfig(serviceConfigSchema, env);
}
