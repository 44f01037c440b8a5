import { describe, expect, it } from '@jest/globals';
import { deviceName } from './device.policy.js';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('the name of a device', () => {
  it.each([
    [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chromium/142.0 Chrome/142.0 Safari/537.36`, 'Chromium on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/142.0 Safari/537.36 Edg/142.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) ${WEBKIT} Version/18.0 Safari/605.1.15`, 'Safari on macOS'],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) ${WEBKIT} Version/18.0 Mobile/15E148 Safari/604.1`, 'Safari on iOS'],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) ${WEBKIT} CriOS/142.0 Mobile/15E148 Safari/604.1`, 'Chrome on iOS'],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) ${WEBKIT} Mobile/15E148`, 'Browser on iOS'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    ['curl/8.14.1', 'curl/8.14.1'],
    ['', null],
    [null, null],
  ])('of %s is %s', (userAgent, name) => {
    expect(deviceName(userAgent)).toBe(name);
  });
});
