/** What the provisioning step reads from its environment. */
export interface ProvisionConfig {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  /** Of each stream; undefined leaves those of existing streams as they are. */
  readonly replicas: number | undefined;
  /** Services whose consumers begin anew; none by default. */
  readonly restartConsumersOf: readonly string[];
}

/** So many replicas of a stream does the server allow. Source: NATS documentation, "JetStream", "Streams", "Replicas". */
const REPLICAS_MAX = 5;

/** @throws Error naming the variable that is missing, or that is no number of replicas */
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
    replicas: replicasOf(env.NATS_STREAM_REPLICAS),
    restartConsumersOf: (env.NATS_RESTART_CONSUMERS_OF ?? '').split(',').flatMap((name) => name.trim() || []),
  };
}

/** An empty value, as `NATS_STREAM_REPLICAS=` of a shell leaves it, is none. */
function replicasOf(value: string | undefined): number | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  const replicas = Number(value);
  if (Number.isInteger(replicas) && replicas >= 1 && replicas <= REPLICAS_MAX) return replicas;
  throw new Error(`NATS_STREAM_REPLICAS is "${value}", but a whole number from 1 to ${REPLICAS_MAX} is needed`);
}
