// A script for Puppeteer, as the guides of Browserless write it: connect, open a page, read it, close.
import puppeteer from 'puppeteer-core';

const browser = await puppeteer.connect({ browserWSEndpoint: process.env.BROWSERLESS_WS });
const page = await browser.newPage();
await page.setViewport({ width: 640, height: 480 });
await page.goto(process.env.PAGE, { waitUntil: 'networkidle2' });
const title = await page.title();
const heading = await page.$eval('h1', (element) => element.textContent);
const picture = Buffer.from(await page.screenshot()).toString('latin1', 1, 4);
const pdf = Buffer.from(await page.pdf({ format: 'A4' })).toString('latin1', 0, 4);
await browser.close();
console.log(JSON.stringify({ title, heading, picture, pdf }));
