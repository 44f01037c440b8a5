import { expect, it } from '@jest/globals';
import { isRegion, regionOf } from './region.js';

it.each([
  ['+14155550123', 'US'],
  ['+15550783881', 'US'],
  ['+5215512345678', 'MX'],
  ['+4930123456', 'DE'],
  ['+12042345678', 'CA'],
  ['+88213123456789', null],
  ['+999123456', null],
])('the region of %s is %s', (phone, region) => {
  expect(regionOf(phone)).toBe(region);
});

it.each([
  ['US', true],
  ['us', false],
  ['XX', false],
  ['', false],
])('%j is a region: %s', (region, is) => {
  expect(isRegion(region)).toBe(is);
});
