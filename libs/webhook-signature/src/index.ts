export * from './signing-secret.js';
export * from './sign.js';
export * from './verify.js';
