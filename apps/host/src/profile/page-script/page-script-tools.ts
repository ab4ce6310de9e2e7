type Native = (...args: unknown[]) => unknown;

/** What the parts of the page script share. */
export interface Tools {
  /** Calls a native function for its stand-in. An error's stack begins where the page called, as without a stand-in. */
  call(native: Native, self: unknown, args: ArrayLike<unknown>, standIn: unknown): unknown;
  /** Finds a native method, or the getter of a property; undefined if there is none. */
  find(owner: object, name: string): Native | undefined;
  /** Puts a stand-in in the place of a native method or getter. */
  replace(owner: object, name: string, standIn: unknown): void;
}

/** Makes the tools. Sent as text, like the parts. */
export function makeTools(): Tools {
  const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
  const { captureStackTrace } = Error;
  return {
    call(native, self, args, standIn) {
      try {
        return apply(native, self, args);
      } catch (error) {
        captureStackTrace(error as object, standIn as Native);
        throw error;
      }
    },
    find(owner, name) {
      const property = getOwnPropertyDescriptor(owner, name);
      return property?.get ?? property?.value;
    },
    replace(owner, name, standIn) {
      const property = getOwnPropertyDescriptor(owner, name);
      if (property) defineProperty(owner, name, { ...property, [property.get ? 'get' : 'value']: standIn });
    },
  };
}

/**
 * Makes V8 print methods whose name begins with `native ` as native functions of that name. V8 does so with every
 * function whose name is this far from its parameters (`kFunctionTokenOffsetTooLongForToString` in its js-function.cc).
 * Unlike a replaced `Function.prototype.toString`, that also holds in error messages and in other frames.
 */
export function asNative(source: string): string {
  return source.replace(/(['"])native ([\w ]+)\1(\s*\()?/g, (_all, _quote, name, open) =>
    open ? `'${name}'${gap}(` : `'${name}'`,
  );
}
const gap = ' '.repeat(2 ** 16);
