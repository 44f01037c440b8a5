import { cuidFloor } from '@switchboard/contracts/grammar/cuid';

/** When the things of the examples were made or happened: one story, so that the examples agree with each other. */
export const exampleTimes = {
  connected: '2026-01-05T08:00:00.000Z',
  met: '2026-01-15T09:30:00.000Z',
  accepted: '2026-02-03T04:05:06.789Z',
  sent: '2026-02-03T04:05:06.912Z',
  delivered: '2026-02-03T04:05:08.000Z',
  failed: '2026-02-03T04:05:09.000Z',
  read: '2026-02-03T04:06:30.000Z',
  replied: '2026-02-03T04:07:12.345Z',
  optedOut: '2026-02-03T04:09:00.000Z',
  closed: '2026-02-03T05:00:00.000Z',
} as const;

/** Ids of the things of the examples; each carries the time at which the thing was made, as those of ours do. */
export const exampleIds = {
  organization: exampleId(exampleTimes.connected, 'o1r9g3a7n5i2z8a4'),
  channel: exampleId(exampleTimes.connected, '1x5c9v3b7n2m6q0p'),
  contact: exampleId(exampleTimes.met, 'q4w8e2r6t0y5u9i1'),
  conversation: exampleId(exampleTimes.met, 'a1s9d3f7g2h6j0k4'),
  outbound: exampleId(exampleTimes.accepted, 'k8v2n4b7q1w9z5e0'),
  inbound: exampleId(exampleTimes.replied, 'i3n7b1o5u9n2d6r4'),
  optOut: exampleId(exampleTimes.optedOut, 'o3p7u1t5o9u2t6x0'),
  job: exampleId(exampleTimes.accepted, 'j0b4s9e2n7d1t5a8'),
  template: exampleId(exampleTimes.connected, 't5e9m3p7l1a4t8e0'),
} as const;

/** An id of something made at that time. @param mark its 16 random characters */
export function exampleId(time: string, mark: string): string {
  return cuidFloor(new Date(time)) + mark;
}
