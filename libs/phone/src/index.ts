export { isRegion, regionOf } from './region.js';
export { needsRegion, parsePhone, phoneFromDigits, type Phone } from './phone.js';
