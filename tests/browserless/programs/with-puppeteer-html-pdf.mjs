// puppeteer-html-pdf, a library that makes PDFs of HTML, with the browser that its option names.
import PuppeteerHTMLPDF from 'puppeteer-html-pdf';

const maker = new PuppeteerHTMLPDF();
await maker.setOptions({ format: 'A4', browserWSEndpoint: process.env.BROWSERLESS_WS });
const ofHtml = await maker.create('<h1>Invoice</h1>');
const ofAddress = await maker.create(process.env.PAGE);
const start = (pdf) => Buffer.from(pdf).toString('latin1', 0, 4);
console.log(JSON.stringify({ ofHtml: start(ofHtml), ofAddress: start(ofAddress) }));
process.exit();
