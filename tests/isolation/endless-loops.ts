import { SessionFiles } from '../../apps/host/src/files/session-files.ts';
import { TrafficLedger } from '../../apps/host/src/forwarder/traffic-ledger.ts';
import { Mask } from '../../apps/host/src/recording/masks/mask.ts';
import { ClientStream } from '../../apps/host/src/switchboard/client-stream.ts';

/** Loaded into a service before anything else (`--import`): handlers of each kind that never return when asked not to. */

const marker = 'endless-loop';

function loopIfAsked(text: string): void {
  if (text.includes(marker)) for (;;);
}

const { report } = ClientStream.prototype;
ClientStream.prototype.report = function (one) {
  if (one.type === 'clientMessage') loopIfAsked(Buffer.from(one.message).toString('latin1'));
  report.call(this, one);
};

const { text: maskText } = Mask.prototype;
Mask.prototype.text = function (text, maxLength) {
  loopIfAsked(text);
  return maskText.call(this, text, maxLength);
};

const { request } = TrafficLedger.prototype;
TrafficLedger.prototype.request = function (target) {
  loopIfAsked(target.host);
  request.call(this, target);
};

const { read } = SessionFiles.prototype;
SessionFiles.prototype.read = function (name) {
  loopIfAsked(name);
  return read.call(this, name);
};

const { parse } = JSON;
JSON.parse = (text: string, ...rest) => {
  if (typeof text === 'string' && text.includes(`"${marker} body"`)) for (;;);
  return parse(text, ...rest);
};
