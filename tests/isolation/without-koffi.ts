import { registerHooks } from 'node:module';

/** For `node --import`: a system that koffi has no binary for. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === 'koffi') throw new Error('Cannot find the native Koffi module');
    return nextResolve(specifier, context);
  },
});
