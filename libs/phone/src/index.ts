export { needsRegion, parsePhone, phoneFromDigits, type Phone } from './phone.js';
