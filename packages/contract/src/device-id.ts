import { type OperatingSystem, operatingSystems } from './create-parameters.ts';

/** The system of the device that an id names; undefined if it is no id of a device. The host knows the rest. */
export function systemOfDevice(id: string): OperatingSystem | undefined {
  return operatingSystems.find((os) => id.startsWith(`${os}.`));
}
