import { readConfig, serviceConfigSchema, type ServiceConfig } from '@switchboard/platform';

/** The keys that every service reads. @throws Error that lists every problem at once */
export function webhooksConfig(env: NodeJS.ProcessEnv = process.env): ServiceConfig {
  return readConfig(serviceConfigSchema, env);
}
