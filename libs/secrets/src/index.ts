export * from './secret-box.js';
export * from './data-key.repository.js';
