/** What an attacking page runs. Plain scripts: they are evaluated in a browser, where this project's types end. */

/** Every way in which a page can have another resource read. */
export function readFile(url: string): string {
  return `(async () => {
    const url = ${JSON.stringify(url)};
    const settled = (start) => new Promise((resolve) => {
      setTimeout(resolve, 400, 'silent');
      try { start(resolve); } catch (error) { resolve(error); }
    });
    const insert = (name, attributes) => settled((done) => document.documentElement.append(
      Object.assign(document.createElement(name), { onload: done, onerror: done, ...attributes })));
    const importer = 'data:text/javascript,try{importScripts("' + url + '")}catch(e){postMessage(String(e))}';
    const seen = await Promise.all([
      settled((done) => fetch(url).then((answer) => answer.text()).then(done, done)),
      settled((done) => fetch(url, { mode: 'no-cors' }).then((answer) => answer.text()).then(done, done)),
      settled((done) => {
        const request = new XMLHttpRequest();
        request.onloadend = () => done(request.responseText);
        request.open('GET', url);
        request.send();
      }),
      settled((done) => import(url).then(done, done)),
      settled((done) => { new Worker(url).onerror = done; }),
      settled((done) => { new Worker(importer).onmessage = ({ data }) => done(data); }),
      settled((done) => done(window.open(url))),
      settled((done) => done(window.open('view-source:' + url))),
      settled((done) => { new EventSource(url).onerror = done; }),
      settled((done) => done(navigator.sendBeacon(url, 'x'))),
      insert('iframe', { src: url }),
      insert('iframe', { srcdoc: '<meta http-equiv=refresh content="0;url=' + url + '">' }),
      insert('img', { src: url }),
      insert('script', { src: url }),
      insert('link', { rel: 'stylesheet', href: url }),
      insert('object', { data: url }),
      insert('embed', { src: url }),
      insert('video', { src: url }),
    ]);
    return seen.map(String);
  })()`;
}

/** Every kind of request that a page can make, to each of the targets (\`host:port\`). */
export function requestEach(targets: readonly string[]): string {
  return `(async () => {
    const settled = (start) => new Promise((resolve) => {
      setTimeout(resolve, 1500);
      try { start(resolve); } catch { resolve(); }
    });
    const insert = (name, src) => settled((done) => document.body.append(
      Object.assign(document.createElement(name), { src, onload: done, onerror: done })));
    const request = (url, options) =>
      settled((done) => fetch(url, { mode: 'no-cors', ...options }).then(done, done));
    await Promise.all(${JSON.stringify(targets)}.flatMap((target) => [
      request('http://' + target),
      request('https://' + target),
      request('http://' + target, { targetAddressSpace: 'loopback' }),
      settled((done) => { new WebSocket('ws://' + target).onclose = done; }),
      insert('img', 'http://' + target),
      insert('iframe', 'http://' + target),
      navigator.sendBeacon('http://' + target),
      settled((done) => {
        const events = new EventSource('http://' + target);
        events.onerror = () => done(events.close());
      }),
    ]));
  })()`;
}

/** Gathers candidates from STUN and TURN servers on each host; answers all that became known. */
export function gatherCandidates(hosts: readonly string[]): string {
  return `(async () => {
    const urls = ${JSON.stringify(hosts)}.flatMap((host) => [
      'stun:' + host + ':3478',
      'turn:' + host + ':3478',
      'turn:' + host + ':3478?transport=tcp',
      'turns:' + host + ':443?transport=tcp',
    ]);
    const iceServers = urls.map((url) => ({ urls: url, username: 'u', credential: 'c' }));
    const found = [];
    await Promise.all(['all', 'relay'].map(async (iceTransportPolicy) => {
      const peer = new RTCPeerConnection({ iceTransportPolicy, iceServers });
      peer.createDataChannel('x');
      peer.onicecandidate = ({ candidate }) => found.push(candidate?.candidate ?? '');
      await peer.setLocalDescription(await peer.createOffer());
      await new Promise((resolve) => {
        peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve();
        setTimeout(resolve, 1500);
      });
      found.push(peer.localDescription.sdp);
      peer.close();
    }));
    return found.join('\\n');
  })()`;
}

export function openWebTransports(hosts: readonly string[]): string {
  return `Promise.all(${JSON.stringify(hosts)}.map((host) => new Promise((resolve) => {
    const serverCertificateHashes = [{ algorithm: 'sha-256', value: new Uint8Array(32) }];
    const transport = new WebTransport('https://' + host + ':443/', { serverCertificateHashes });
    transport.ready.then(() => resolve('open'), () => resolve('refused'));
    transport.closed.catch(() => {});
    setTimeout(resolve, 1500, 'refused');
  }))).then(String)`;
}

/** Everything that makes a browser look a name up, early or late. */
export const useNames = `(async () => {
  const append = (name, attributes) =>
    document.head.append(Object.assign(document.createElement(name), attributes));
  for (const rel of ['dns-prefetch', 'preconnect', 'prefetch', 'preload', 'prerender', 'modulepreload']) {
    append('link', { rel, as: 'image', href: 'http://' + rel + '.canary.test/' });
  }
  const rules = { prerender: [{ urls: ['http://rules.canary.test/'] }] };
  append('script', { type: 'speculationrules', text: JSON.stringify(rules) });
  const names = ['fetch.canary.test', 'wpad', 'wpad.canary.test', 'printer.local', 'canary.test.'];
  await Promise.all(names.map((name) => fetch('http://' + name, { mode: 'no-cors' }).catch(() => {})));
})()`;

/** How many devices around the host a page can see. */
export const countDevices = `(async () => {
  const attempts = [
    () => navigator.usb.getDevices(),
    () => navigator.serial.getPorts(),
    () => navigator.hid.getDevices(),
    () => navigator.bluetooth.getDevices(),
    () => navigator.bluetooth.getAvailability().then((available) => (available ? ['bluetooth'] : [])),
    () => new PresentationRequest('http://localhost/').getAvailability().then(({ value }) => (value ? ['screen'] : [])),
    () => document.createElement('video').remote.watchAvailability(() => {}).then(() => []),
    () => navigator.requestMIDIAccess().then(({ inputs }) => [...inputs]),
  ];
  const found = await Promise.all(attempts.map(async (attempt) => {
    try {
      return await Promise.race([attempt(), new Promise((resolve) => setTimeout(resolve, 500, []))]);
    } catch {
      return [];
    }
  }));
  return found.flat().length;
})()`;

/** The texts of files that a page was given; the name of the error for those that it cannot read. */
export function readGiven(files: string): string {
  return `Promise.all([...${files}].map((file) => file.text().catch((error) => error.name)))
    .then((texts) => texts.join())`;
}
