import { describe, expect, it } from '@jest/globals';
import { isZone } from './zone.policy.js';

describe('names of time zones', () => {
  it.each(
    (
      'UTC GMT Japan Iran Cuba Turkey Singapore Hongkong Iceland NZ-CHAT GB-Eire W-SU EST5EDT GMT+0 GMT-0 GMT0 Zulu PRC ROK ' +
      'Etc/UTC Etc/GMT+5 Etc/GMT-14 Asia/Kathmandu Asia/Katmandu Asia/Calcutta Asia/Ho_Chi_Minh Australia/Eucla ' +
      'Australia/Lord_Howe Pacific/Chatham America/Argentina/Buenos_Aires America/Indiana/Tell_City America/Port-au-Prince ' +
      'US/Eastern Brazil/East Canada/Newfoundland Chile/EasterIsland Mexico/BajaNorte Antarctica/DumontDUrville'
    ).split(' '),
  )('take %s', (name) => expect(isZone(name)).toBe(true));

  it.each([
    ...'Mars/Olympus Asia/Nowhere BST JST IST PST ACT Local Factory utc europe/berlin Asia/ Asia SystemV/PST8 +05:45'.split(
      ' ',
    ),
    'UTC+1',
    'GMT+1',
    'Europe/Berlin ',
    '../etc/passwd',
    '',
    'Etc/Unknown',
    'Asia/Kathmandu/X/Y',
    5,
    null,
  ])('refuse %p', (name) => expect(isZone(name)).toBe(false));
});
