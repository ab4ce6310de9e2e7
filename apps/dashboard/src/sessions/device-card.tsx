import type { Device } from '@turnpike/contract/dashboard/account-pages';
import { Card, Fact, Facts } from '../parts/page.tsx';
import { countryName, operatingSystemNames } from '../parts/values/figures.ts';

/** The device that a session's browser reports. */
export function DeviceCard({ device }: { device: Device | null }) {
  if (!device) {
    return (
      <Card title="Device">
        <span className="faint">This browser has no device profile.</span>
      </Card>
    );
  }
  const { screen, hardware, country } = device;
  return (
    <Card title="Device" about="The device that the browser reports">
      <Facts>
        <Fact name="System">{operatingSystemNames[device.os] ?? device.os}</Fact>
        <Fact name="Browser">Chromium {device.browserVersion}</Fact>
        <Fact name="Screen">
          {screen.width} × {screen.height} px, ratio {screen.pixelRatio}
        </Fact>
        <Fact name="Hardware">
          {hardware.processors} processors, {hardware.memory} GB
        </Fact>
        <Fact name="Graphics">{hardware.gpu}</Fact>
        <Fact name="Languages">{device.languages.join(', ')}</Fact>
        <Fact name="UI language">{device.uiLanguage}</Fact>
        <Fact name="Time zone">{device.timeZone}</Fact>
        {country && <Fact name="Country">{countryName(country)}</Fact>}
        <Fact name="User agent">
          <span className="mono">{device.userAgent}</span>
        </Fact>
      </Facts>
    </Card>
  );
}
