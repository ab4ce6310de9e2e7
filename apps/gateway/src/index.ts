/** The gateway as other apps use it: start one, or give the metered proxy its side of the store. */
export { storeMeterBackend } from './bandwidth/meter-backend.ts';
export { type RunningGateway, startGateway } from './main.ts';
export { startStoreClock } from './store/clock/store-clock.ts';
export { openDatabase } from './store/database.ts';
