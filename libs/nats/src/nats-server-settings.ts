/** A line of a server's configuration, in its own format, and why it is there. */
export interface NatsServerSetting {
  readonly setting: string;
  readonly reason: string;
}

/**
 * What every NATS server of the platform is set to, the deployed one and that of a local run.
 *
 * Source: NATS documentation, "Configuration", "Connectivity" and "Limits".
 */
export const natsServerSettings: readonly NatsServerSetting[] = [
  {
    setting: 'max_payload: 1MB',
    reason: 'A domain event fits; the limit is the documented one, not an accident of a newer default.',
  },
  {
    setting: 'authorization { timeout: 10 }',
    reason: 'A client that stands still for the 2 s of the default would be sent away in the midst of its start.',
  },
  {
    setting: 'ping_interval: "5s"',
    reason:
      'With ping_max, a client that stands still is closed after 10 to 20 s: its subscriptions take requests until then.',
  },
  { setting: 'ping_max: 2', reason: 'Pings that may stay unanswered; the default is two every two minutes.' },
];
