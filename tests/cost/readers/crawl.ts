import { rangesIn } from '../../../apps/gateway/src/crawl/page-json.ts';
import { isFile, readAddress } from '../../../apps/gateway/src/crawl/site/address.ts';
import { compileRobots, readRobots } from '../../../apps/gateway/src/crawl/site/robots.ts';
import { readSitemap } from '../../../apps/gateway/src/crawl/site/sitemap.ts';
import { compileGlob, compileRobotsPath } from '../../../apps/gateway/src/crawl/site/wildcard.ts';
import { bytesOf, type Reader } from '../reader.ts';

const glob = compileGlob('https://a.test/**a*a*a**a*a/**b');
const path = compileRobotsPath('/*a*a*a*a*b$');

export const crawlReaders: Reader[] = [
  {
    name: 'members of the JSON of a page',
    tokens: ['{"a":1},', '"', '\\"', '\\\\', '[', '{', ',', '"a":'],
    around: [
      ['{"a":"', '"}'],
      ['{"a":[', '0]}'],
      ['[', '0]'],
    ],
    read: (text) => rangesIn(bytesOf(text)),
  },
  {
    name: 'robots.txt',
    tokens: [
      'User-agent: *\n',
      'Disallow: /*a*',
      'Allow: /a$\n',
      'Sitemap: http://a.test/\n',
      '#',
      ':',
      '%c3',
    ],
    around: [
      ['', ''],
      ['User-agent: *\n', ''],
    ],
    read: async (text) => compileRobots(await readRobots(text))('http://a.test/aaaaaaaaaaaaaaaaaaaaaa?b'),
  },
  {
    name: 'sitemap',
    tokens: ['<loc>', '</loc>', '<urlset', '&amp;', '&', '<![CDATA[', ']]>', 'http://a.test/\n'],
    around: [
      ['', ''],
      ['<urlset><loc>', '</loc></urlset>'],
    ],
    read: (text) => readSitemap(bytesOf(text)),
  },
  {
    name: 'address of a link',
    tokens: ['https://a.test/', '&utm_a=', '../', '%2e', '#', '?', '.png'],
    around: [['https://a.test/?', '']],
    read: (text) => {
      const address = readAddress(text, { dropTracking: true }, 'https://a.test/');
      return address && isFile(address.url);
    },
  },
  {
    name: 'patterns of a crawl',
    tokens: ['a', '/', 'https://a.test/', 'b'],
    around: [['https://a.test/', '']],
    read: (text) => [glob.matches(text), path.matches(text)],
  },
];
