import { parentPort, workerData } from 'node:worker_threads';
import { startPacedLoad, type PacedLoadOptions } from './paced-load.js';

// A thread of its own: what it does must not make the other organization's clock late.
const load = startPacedLoad(workerData as PacedLoadOptions);
parentPort?.once('message', () => void load.stop().then((result) => parentPort?.postMessage(result.statuses)));
