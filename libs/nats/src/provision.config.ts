/** What the provisioning step reads from its environment. */
export interface ProvisionConfig {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly replicas: number;
  /** Services whose consumers begin anew; none by default. */
  readonly restartConsumersOf: readonly string[];
}

/** @throws Error naming the variable that is missing */
export function provisionConfig(env: NodeJS.ProcessEnv = process.env): ProvisionConfig {
  const required = (name: string): string => {
    const value = env[name];
    if (!value) throw new Error(`${name} is required`);
    return value;
  };
  return {
    url: required('NATS_URL'),
    user: required('NATS_USER'),
    password: required('NATS_PASSWORD'),
    replicas: Number(env.NATS_STREAM_REPLICAS ?? 1),
    restartConsumersOf: (env.NATS_RESTART_CONSUMERS_OF ?? '').split(',').flatMap((name) => name.trim() || []),
  };
}
