const range = { min: 2, max: 32 };

/**
 * The value of `navigator.deviceMemory` and the `Device-Memory` header without overrides: the machine's memory in GiB,
 * as the nearest power of two (blink/common/device_memory/approximated_device_memory.cc).
 */
export function browserMemory(totalBytes: number): number {
  const total = totalBytes / 2 ** 30;
  const lower = 2 ** Math.floor(Math.log2(total));
  const nearest = total - lower <= lower * 2 - total ? lower : lower * 2;
  return Math.min(Math.max(nearest, range.min), range.max);
}
